"""Whether a claim says what a stored item already says. Never on cosine alone: what both assert must agree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final
from uuid import UUID

from memory_platform.consolidation.claims import (
    Claim,
    Neighbour,
    Reading,
    alignment,
    names_agree,
    normalised,
    read,
    unmatched,
)
from memory_platform.consolidation.contradiction import disagreement
from memory_platform.model import Thresholds
from memory_platform.text.lexicon import ALTERNATIVES, OPPOSITES, stem, swaps


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
    CLOSED = "closed"
    NUMBERS_DIFFER = "numbers_differ"
    NEGATION_DIFFERS = "negation_differs"
    NAMES_DIFFER = "names_differ"
    OPPOSITES = "opposites"
    ROLES_SWAPPED = "roles_swapped"
    CONTRADICTS = "contradicts"
    OBJECT_DIFFERS = "object_differs"
    FEW_WORDS_SHARED = "few_words_shared"
    ADDS_DETAIL = "adds_detail"


class Reinforcement(StrEnum):
    """What a merge does to its target.

    OTHER_SOURCE: confidence +0.1, one more ItemSource. REPEATED: same session, same or older words: +0.05, one more
    ItemSource. FRESHER_WORDING: same session, newer words: a new item supersedes the target and inherits its
    confidence + 0.05 and its sources. NONE: the same source again, or a closed item: confidence stays.
    """

    NONE = "none"
    OTHER_SOURCE = "other_source"
    REPEATED = "repeated"
    FRESHER_WORDING = "fresher_wording"


@dataclass(frozen=True, slots=True)
class DedupDecision:
    """`target` is the item to merge into (None when NEW); `delta` is added to its effective confidence, capped at 1.

    When NEW, `reason` tells about the nearest neighbour and `cosine` is its cosine.
    """

    outcome: DedupOutcome
    reason: DedupReason
    target: UUID | None = None
    reinforcement: Reinforcement = Reinforcement.NONE
    delta: float = 0.0
    cosine: float | None = None


_SAME_SENTENCE: Final = 0.8
"""Alignment from which two texts count as one sentence with words exchanged; set on bench/data/dedup_pairs.jsonl."""
_SHARED_WORDS: Final = 0.65
"""Mean share of content words with a counterpart that a merge needs; docs/dedup-calibration.md says what it costs."""
_CLAIM_WORDS: Final = 0.6
"""The same of the claim alone: its other words are lost by the merge."""
_MERGES: Final = frozenset({DedupReason.SAME_WORDS, DedupReason.PARAPHRASE})


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
    from a claim said before it was closed, and is then not reinforced. The two deltas are Policy's
    reinforce_other_source and reinforce_same_session.
    """
    ranked = sorted(neighbours, key=_preference)
    if not ranked:
        return DedupDecision(DedupOutcome.NEW, DedupReason.NO_NEIGHBOUR)
    verdicts = [(neighbour, _compare(claim, neighbour, thresholds)) for neighbour in ranked]
    for neighbour, reason in verdicts:
        if reason in _MERGES:
            return _merge(claim, neighbour, reason, other_source=other_source, same_session=same_session)
    nearest, reason = max(verdicts, key=lambda pair: (pair[0].cosine, -ranked.index(pair[0])))
    return DedupDecision(DedupOutcome.NEW, reason, cosine=nearest.cosine)


def agreement(
    claim: str, stored: str, *, entities: Sequence[str] = (), stored_entities: Sequence[str] = ()
) -> DedupReason:
    """PARAPHRASE when nothing the two texts assert speaks against their being the same, else what does."""
    new, old = read(claim, entities), read(stored, stored_entities)
    if new.numbers != old.numbers:
        return DedupReason.NUMBERS_DIFFER
    if polarity := _polarity(new, old):
        return polarity
    if not names_agree(new, old):
        return DedupReason.NAMES_DIFFER
    if _roles_swapped(new, old):
        return DedupReason.ROLES_SWAPPED
    if disagreement(claim, stored, newer_entities=entities, older_entities=stored_entities):
        return DedupReason.CONTRADICTS
    return _difference(new, old)


def _polarity(new: Reading, old: Reading) -> DedupReason | None:
    """A negation undoes an opposite ("not closed", "open"); one of the two alone is a disagreement."""
    has_opposites = bool(swaps(new.stems, old.stems, OPPOSITES))
    if new.is_negated != old.is_negated:
        return None if has_opposites else DedupReason.NEGATION_DIFFERS
    if has_opposites or swaps(new.stems, old.stems, ALTERNATIVES):
        return DedupReason.OPPOSITES
    return None


def _preference(neighbour: Neighbour) -> tuple[bool, float, object, str]:
    """Open before closed, nearest first, then the oldest (it has the history), then by id so that ties are stable."""
    return (not neighbour.is_open, -neighbour.cosine, neighbour.said_at, str(neighbour.id))


def _compare(claim: Claim, neighbour: Neighbour, thresholds: Thresholds) -> DedupReason:
    if not neighbour.is_open and not _was_open(claim, neighbour):
        return DedupReason.CLOSED
    if normalised(claim.text) == normalised(neighbour.text):
        return DedupReason.SAME_WORDS
    if neighbour.cosine < thresholds.duplicate:
        return DedupReason.BELOW_THRESHOLD
    return agreement(claim.text, neighbour.text, entities=claim.entities, stored_entities=neighbour.entities)


def _was_open(claim: Claim, neighbour: Neighbour) -> bool:
    return neighbour.valid_until is not None and claim.said_at < neighbour.valid_until


def _merge(
    claim: Claim, neighbour: Neighbour, reason: DedupReason, *, other_source: float, same_session: float
) -> DedupDecision:
    reinforcement, delta = Reinforcement.OTHER_SOURCE, other_source
    if claim.source_id is not None and claim.source_id in neighbour.source_ids:
        reason, reinforcement, delta = DedupReason.SAME_SOURCE, Reinforcement.NONE, 0.0
    elif not neighbour.is_open:
        reinforcement, delta = Reinforcement.NONE, 0.0
    elif claim.session_id is not None and claim.session_id == neighbour.session_id:
        is_fresher = reason is DedupReason.PARAPHRASE and claim.said_at >= neighbour.said_at
        reinforcement = Reinforcement.FRESHER_WORDING if is_fresher else Reinforcement.REPEATED
        delta = same_session
    return DedupDecision(DedupOutcome.MERGE, reason, neighbour.id, reinforcement, delta, neighbour.cosine)


def _roles_swapped(new: Reading, old: Reading) -> bool:
    """Two names that change places: in the same sentence, or as the subjects of both ("Anna thanks Bob").

    Names joined by "and" have no order, a passive turns it round, and "Anna's boss is Bob" reads both ways.
    """
    known = {*new.names, *new.openers, *old.names, *old.openers}
    first, second = _without_possessive(new.words), _without_possessive(old.words)
    order, other_order = [word for word in first if word in known], [word for word in second if word in known]
    if not order or not other_order or order == other_order or _is_passive(first, known) != _is_passive(second, known):
        return False
    if _is_pair(new.words, order, other_order):
        return False
    if new.words[0] in known and old.words[0] in known and new.words[0] != old.words[0]:
        return {order[0], other_order[0]} <= set(order) & set(other_order)
    if len(order) < 2 or sorted(order) != sorted(other_order):
        return False
    masked = [["" if word in known else word for word in words] for words in (first, second)]
    return alignment(*masked) >= _SAME_SENTENCE


def _is_passive(words: Sequence[str], names: set[str]) -> bool:
    return any(before == "by" and after in names for before, after in pairwise(words))


def _is_pair(words: Sequence[str], order: Sequence[str], other_order: Sequence[str]) -> bool:
    """Whether the two leading names are joined by "and"."""
    pair = {order[0], other_order[0]}
    return any({before, after} == pair and joint == "and" for before, joint, after in _triples(words))


def _triples(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    return zip(words, words[1:], words[2:], strict=False)


def _without_possessive(words: Sequence[str]) -> list[str]:
    return [word.removesuffix("'s") for word in words]


def _difference(new: Reading, old: Reading) -> DedupReason:
    """Whether the words that are not shared make another statement.

    The same sentence with other words in some places speaks of another object ("likes tea", "likes coffee"; synonyms
    count as the same word); a claim that holds all of the stored words and two or more of its own adds detail that a
    merge would lose. Within one long conversation about one matter the cosine of different facts reaches 0.9, so most
    words must have a counterpart.
    """
    added, lost = unmatched(new, old), unmatched(old, new)
    kept, covered = 1 - _share(added, new), 1 - _share(lost, old)
    if kept < _CLAIM_WORDS or (kept + covered) / 2 < _SHARED_WORDS:
        return DedupReason.FEW_WORDS_SHARED
    if added and lost:
        frames = [[word for word in r.words if stem(word) not in own] for r, own in ((new, added), (old, lost))]
        return DedupReason.OBJECT_DIFFERS if alignment(*frames) >= _SAME_SENTENCE else DedupReason.PARAPHRASE
    if len(added) >= 2 and len(new.content) - len(added) >= 1:
        return DedupReason.ADDS_DETAIL
    return DedupReason.PARAPHRASE


def _share(words: frozenset[str], reading: Reading) -> float:
    return len(words) / len(reading.content) if reading.content else 0.0
