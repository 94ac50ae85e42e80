"""Whether a claim says what a stored item already says. Never on cosine alone: what both assert must agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from memory_platform.claims import Claim, Neighbour
from memory_platform.model import Thresholds


class DedupOutcome(StrEnum):
    NEW = "new"
    MERGE = "merge"


class DedupReason(StrEnum):
    """Stable codes; the first three belong to MERGE, the others say why nothing was merged."""

    SAME_WORDS = "same_words"
    PARAPHRASE = "paraphrase"
    SAME_SOURCE = "same_source"
    NO_NEIGHBOUR = "no_neighbour"
    BELOW_THRESHOLD = "below_threshold"
    NUMBERS_DIFFER = "numbers_differ"
    NEGATION_DIFFERS = "negation_differs"
    NAMES_DIFFER = "names_differ"
    OPPOSITES = "opposites"


class Reinforcement(StrEnum):
    """What a merge does to its target.

    OTHER_SOURCE: confidence +0.1, one more ItemSource. REPEATED: same session, same or older words: +0.05, one more
    ItemSource. FRESHER_WORDING: same session, newer words: a new item supersedes the target and inherits its
    confidence + 0.05 and its sources. NONE: the same source again: nothing changes.
    """

    NONE = "none"
    OTHER_SOURCE = "other_source"
    REPEATED = "repeated"
    FRESHER_WORDING = "fresher_wording"


@dataclass(frozen=True, slots=True)
class DedupDecision:
    """`target` is the item to merge into (None when NEW); `delta` is added to its effective confidence, capped at 1."""

    outcome: DedupOutcome
    reason: DedupReason
    target: UUID | None = None
    reinforcement: Reinforcement = Reinforcement.NONE
    delta: float = 0.0
    cosine: float | None = None


def decide(
    claim: Claim,
    neighbours: Sequence[Neighbour],
    *,
    thresholds: Thresholds,
    other_source: float = 0.1,
    same_session: float = 0.05,
) -> DedupDecision:
    """Find the item the claim repeats, whatever the order of `neighbours`.

    Merges need a cosine at or above `thresholds.duplicate` (or the same normalised words) and agreeing numbers,
    negation, names and no pair of opposites. A closed neighbour (valid_until set, or superseded) takes a merge only
    from a claim said before it was closed, and is then not reinforced.
    """
    raise NotImplementedError
