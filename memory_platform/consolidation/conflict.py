"""Whether a claim contradicts what is stored, and which of the two holds from when on. For what dedup called NEW."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from memory_platform.consolidation.claims import Claim, Neighbour
from memory_platform.consolidation.contradiction import Disagreement, disagreement, restates
from memory_platform.model import Strength, Thresholds


class ConflictOutcome(StrEnum):
    """What becomes of the claim.

    NONE: store it. SUPERSEDE: store it and close `targets`. STORE_CLOSED: store it with `valid_until`, superseded by
    `closed_by`. REJECT: a Rejection row and an open `contradicts` link; the claim becomes no item. FLAG: store it open
    and link it to `targets` by an open `contradicts` (an older, stronger claim that arrived late, or one that another
    agent disputes).
    """

    NONE = "none"
    SUPERSEDE = "supersede"
    STORE_CLOSED = "store_closed"
    REJECT = "reject"
    FLAG = "flag"


class ConflictReason(StrEnum):
    """Stable codes for what decided; Disagreement says how the two texts contradict each other."""

    UNRELATED = "unrelated"
    COMPATIBLE = "compatible"
    NEWER = "newer"
    OLDER = "older"
    WEAKER = "weaker"
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True)
class ConflictDecision:
    """What to do with the claim and with the items it contradicts.

    SUPERSEDE: each of `targets` gets `valid_until` = the claim's said_at, status superseded, `delta` on its effective
    confidence and a `supersedes` link from the new item. STORE_CLOSED: `valid_until` belongs to the claim itself,
    `closed_by` is the newer item (link closed_by → claim, kind supersedes); `targets`, if any, are still older items
    that the claim closes as SUPERSEDE would. REJECT: `targets` are the stronger items; they keep their confidence and
    are flagged by an open `contradicts` link. `kind` says how they disagree, `reason` what decided. `disputed` are
    items of other agents that stay as they are and are linked to the stored claim by an open `contradicts`.
    """

    outcome: ConflictOutcome
    reason: ConflictReason
    kind: Disagreement | None = None
    targets: tuple[UUID, ...] = ()
    valid_until: datetime | None = None
    closed_by: UUID | None = None
    delta: float = 0.0
    disputed: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class _Contradiction:
    neighbour: Neighbour
    kind: Disagreement


_Said = tuple[str, tuple[str, ...]]
_RANK: Final = {Strength.INFERRED: 0, Strength.IMPLIED: 1, Strength.EXPLICIT: 2}


def decide(
    claim: Claim,
    neighbours: Sequence[Neighbour],
    *,
    thresholds: Thresholds,
    penalty: float = 0.2,
) -> ConflictDecision:
    """Compare the claim with every open neighbour at or above `thresholds.related`, whatever their order.

    Below it only a sentence that is another one with a part exchanged and says so contradicts ("Wanda approves the
    releases from now on"), for a short sentence about somebody else may lie far from what it replaces.

    Newer and at least as strong supersedes (a decayed item counts with what is left of its confidence); `penalty` is
    Policy's contradicted_penalty. No agent's claim closes or turns down another's: where authors differ both stay open,
    flagged.
    """
    related = [n for n in neighbours if n.is_open and (n.cosine >= thresholds.related or _restates(claim, n))]
    if not related:
        return ConflictDecision(ConflictOutcome.NONE, ConflictReason.UNRELATED)
    contradictions = sorted(_contradictions(claim, related), key=lambda c: (c.neighbour.said_at, str(c.neighbour.id)))
    disputed = [c for c in contradictions if _is_by_another(claim, c.neighbour)]
    decision = _against_own(claim, [c for c in contradictions if c not in disputed], penalty)
    if not disputed or decision.outcome in {ConflictOutcome.REJECT, ConflictOutcome.STORE_CLOSED}:
        return decision
    if decision.outcome is ConflictOutcome.NONE:
        decision = ConflictDecision(ConflictOutcome.FLAG, ConflictReason.DISPUTED, disputed[-1].kind)
    return replace(decision, disputed=_ids(disputed))


def _against_own(claim: Claim, contradictions: Sequence[_Contradiction], penalty: float) -> ConflictDecision:
    if not contradictions:
        return ConflictDecision(ConflictOutcome.NONE, ConflictReason.COMPATIBLE)
    later = [c for c in contradictions if c.neighbour.said_at > claim.said_at]
    earlier = [c for c in contradictions if c.neighbour.said_at <= claim.said_at]
    return _arrived_late(claim, later, earlier, penalty) if later else _arrived_new(claim, earlier, penalty)


def _is_by_another(claim: Claim, neighbour: Neighbour) -> bool:
    return claim.author is not None and neighbour.author is not None and claim.author != neighbour.author


def _restates(claim: Claim, neighbour: Neighbour) -> bool:
    (newer, newer_names), (older, older_names) = _in_order(claim, neighbour)
    return restates(newer, older, newer_entities=newer_names, older_entities=older_names)


def _in_order(claim: Claim, neighbour: Neighbour) -> tuple[_Said, _Said]:
    """Text and entities of both, the newer first."""
    claimed, known = (claim.text, claim.entities), (neighbour.text, neighbour.entities)
    return (claimed, known) if claim.said_at >= neighbour.said_at else (known, claimed)


def _contradictions(claim: Claim, related: Sequence[Neighbour]) -> Iterator[_Contradiction]:
    for neighbour in related:
        (newer, newer_names), (older, older_names) = _in_order(claim, neighbour)
        kind = disagreement(newer, older, newer_entities=newer_names, older_entities=older_names)
        if kind is not None:
            yield _Contradiction(neighbour, kind)


def _is_as_strong(claim: Claim, neighbour: Neighbour) -> bool:
    return _RANK[claim.strength] >= _RANK[neighbour.strength] or claim.confidence >= neighbour.confidence


def _arrived_new(claim: Claim, earlier: Sequence[_Contradiction], penalty: float) -> ConflictDecision:
    stronger = [c for c in earlier if not _is_as_strong(claim, c.neighbour)]
    if stronger:
        return ConflictDecision(ConflictOutcome.REJECT, ConflictReason.WEAKER, stronger[0].kind, _ids(stronger))
    return ConflictDecision(
        ConflictOutcome.SUPERSEDE,
        ConflictReason.NEWER,
        earlier[-1].kind,
        _ids(earlier),
        valid_until=claim.said_at,
        delta=-penalty,
    )


def _arrived_late(
    claim: Claim, later: Sequence[_Contradiction], earlier: Sequence[_Contradiction], penalty: float
) -> ConflictDecision:
    closing = next((c for c in later if _would_close(c.neighbour, claim)), None)
    if closing is None:
        return ConflictDecision(ConflictOutcome.FLAG, ConflictReason.OLDER, later[0].kind, _ids(later))
    closed = [c for c in earlier if _is_as_strong(claim, c.neighbour)]
    return ConflictDecision(
        ConflictOutcome.STORE_CLOSED,
        ConflictReason.OLDER,
        closing.kind,
        _ids(closed),
        valid_until=closing.neighbour.said_at,
        closed_by=closing.neighbour.id,
        delta=-penalty,
    )


def _would_close(neighbour: Neighbour, claim: Claim) -> bool:
    return _RANK[neighbour.strength] >= _RANK[claim.strength] or neighbour.confidence >= claim.confidence


def _ids(contradictions: Sequence[_Contradiction]) -> tuple[UUID, ...]:
    return tuple(c.neighbour.id for c in contradictions)
