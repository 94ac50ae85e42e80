"""Whether a claim contradicts what is stored, and which of the two holds from when on. Runs on what dedup called NEW."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from memory_platform.claims import Claim, Neighbour
from memory_platform.model import Thresholds


class ConflictOutcome(StrEnum):
    """NONE: store it. SUPERSEDE: store it, close `targets`. STORE_CLOSED: store it with `valid_until`, as superseded by
    `closed_by`. REJECT: a Rejection row and an open `contradicts` link to `targets`; the claim becomes no item."""

    NONE = "none"
    SUPERSEDE = "supersede"
    STORE_CLOSED = "store_closed"
    REJECT = "reject"


class ConflictReason(StrEnum):
    """Stable codes: how the two disagree."""

    UNRELATED = "unrelated"
    COMPATIBLE = "compatible"
    NEGATED = "negated"
    OPPOSITE = "opposite"
    VALUE_CHANGED = "value_changed"
    CORRECTED = "corrected"
    WEAKER = "weaker"
    OLDER = "older"


@dataclass(frozen=True, slots=True)
class ConflictDecision:
    """What to do with the claim and with the items it contradicts.

    SUPERSEDE: each of `targets` gets `valid_until` = the claim's said_at, status superseded, `delta` on its confidence
    and a `supersedes` link from the new item. STORE_CLOSED: `valid_until` belongs to the claim itself and `closed_by`
    is the newer item (link closed_by → claim, kind supersedes). REJECT: `targets` are the stronger items; each loses
    nothing but is flagged by an open `contradicts` link. `kind` says how they disagree, `reason` what decided.
    """

    outcome: ConflictOutcome
    reason: ConflictReason
    kind: ConflictReason | None = None
    targets: tuple[UUID, ...] = ()
    valid_until: datetime | None = None
    closed_by: UUID | None = None
    delta: float = 0.0


def decide(
    claim: Claim,
    neighbours: Sequence[Neighbour],
    *,
    thresholds: Thresholds,
    penalty: float = 0.2,
) -> ConflictDecision:
    """Compare the claim with every open neighbour at or above `thresholds.related`, whatever their order."""
    raise NotImplementedError


def disagreement(newer: str, older: str) -> ConflictReason | None:
    """How two texts contradict each other (NEGATED, OPPOSITE, VALUE_CHANGED, CORRECTED), or None when both can hold."""
    raise NotImplementedError
