"""What a claim replaces, disputes or puts in doubt. For what dedup called NEW."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from memory_platform.consolidation.authority import may_close
from memory_platform.consolidation.claims import (
    Claim,
    Neighbour,
    denies_state,
    deny_each_other,
    describe_different_things,
    is_record,
    name_different_things,
    share_a_slot,
    speak_of_different_people,
    states_the_same,
)
from memory_platform.model import ClaimRelation, RelationThresholds, Status, Strength


class ConflictOutcome(StrEnum):
    """What becomes of the claim.

    NONE: store it. SUPERSEDE: store it and close `targets`. STORE_CLOSED: store it with `valid_until`, superseded by
    `closed_by`. REJECT: a Rejection row and an open `contradicts` link; the claim becomes no item. FLAG: store it open;
    only `disputed` or `doubted` say what is linked to it.
    """

    NONE = "none"
    SUPERSEDE = "supersede"
    STORE_CLOSED = "store_closed"
    REJECT = "reject"
    FLAG = "flag"


class ConflictReason(StrEnum):
    """Stable codes for what decided."""

    UNRELATED = "unrelated"
    COMPATIBLE = "compatible"
    UPDATED = "updated"
    CORRECTED = "corrected"
    OLDER = "older"
    WEAKER = "weaker"
    DISPUTED = "disputed"
    DOUBTED = "doubted"


@dataclass(frozen=True, slots=True)
class ConflictDecision:
    """What to do with the claim and with the items it concerns.

    SUPERSEDE: each of `targets` gets `valid_until` = the claim's said_at, status superseded, `delta` on its effective
    confidence and a `supersedes` link from the new item; those of `corrected` never held. STORE_CLOSED: `valid_until`
    belongs to the claim itself, `closed_by` is the newer item; `targets`, if any, are still older items that the claim
    closes. REJECT: `targets` are the stronger items, flagged by an open `contradicts`. `disputed` get an open
    `contradicts`, `doubted` an open `probably_superseded`, both from the stored claim; `doubted_by` are newer items
    that put the claim itself in doubt.
    """

    outcome: ConflictOutcome
    reason: ConflictReason
    targets: tuple[UUID, ...] = ()
    corrected: frozenset[UUID] = frozenset()
    valid_until: datetime | None = None
    closed_by: UUID | None = None
    delta: float = 0.0
    disputed: tuple[UUID, ...] = ()
    doubted: tuple[UUID, ...] = ()
    doubted_by: tuple[UUID, ...] = ()


_UNRELATED: Final = ClaimRelation()
_RANK: Final = {Strength.INFERRED: 0, Strength.IMPLIED: 1, Strength.EXPLICIT: 2}


def decide(
    claim: Claim, neighbours: Sequence[Neighbour], *, thresholds: RelationThresholds, penalty: float = 0.2
) -> ConflictDecision:
    """Weigh the claim against every open neighbour somebody has judged, whatever their order. A claim that arrives late
    also gives way to what was said after it and has been replaced itself since.

    What surely replaces an older neighbour closes it, and with it every open item of the same slot that it may replace;
    what only probably does puts it in doubt, and so does what surely would but for its role (`authority.MAY_CLOSE`). A
    weaker claim closes nothing and is turned down. No agent's claim closes another's: where authors differ both stay
    open, disputed. `penalty` is Policy's contradicted_penalty.
    """
    judged = [n for n in neighbours if n.relation is not None and not _are_apart(claim, n)]
    seen = [_as_denied(n) if deny_each_other(claim, n) else n for n in judged if n.is_open or _is_replaced(n)]
    comparable = [n for n in seen if n.is_open]
    mine = [n for n in seen if not _is_by_another(claim, n)]
    earlier = [n for n in mine if n.is_open and n.said_at <= claim.said_at]
    later = [n for n in mine if n.said_at > claim.said_at]
    if not comparable and not later:
        return ConflictDecision(ConflictOutcome.NONE, ConflictReason.UNRELATED)
    decision = _against_own(claim, earlier, later, thresholds, penalty)
    if decision.outcome is ConflictOutcome.REJECT:
        return decision
    return _with_open_questions(claim, decision, comparable, thresholds)


def closed_along(claim: Claim, closed: Sequence[Neighbour], others: Sequence[Neighbour]) -> tuple[UUID, ...]:
    """Which open items, judged or not, say of a state what one of `closed` says, and therefore give way with it.

    Never a second thing of the same kind, for that is another value, nor what says the same as the claim, was said
    later, is stronger, is another agent's or is held on a word that the claim's role may not close.
    """
    return _ids(
        [
            n
            for n in others
            if n.is_open
            and n.said_at <= claim.said_at
            and not _is_by_another(claim, n)
            and not _are_apart(claim, n)
            and not describe_different_things(claim, n)
            and _may_close(claim, n)
            and _is_as_strong(claim, n)
            and not _says(n, claim)
            and any(_says(n, one) for one in closed)
        ]
    )


def _says(neighbour: Neighbour, other: Claim | Neighbour) -> bool:
    return states_the_same(neighbour.slot, other.slot) and neighbour.is_negated == other.is_negated


def _as_denied(neighbour: Neighbour) -> Neighbour:
    """What a model takes for the same but for a "not" was replaced: as the likelier, by what never held or what did."""
    own = _judged(neighbour)
    taken = (
        {"correction": own.correction + own.same} if own.correction > own.update else {"update": own.update + own.same}
    )
    return replace(neighbour, relation=replace(own, same=0.0, **taken))


def _are_apart(claim: Claim, neighbour: Neighbour) -> bool:
    return speak_of_different_people(claim, neighbour) or name_different_things(claim, neighbour)


def _is_replaced(neighbour: Neighbour) -> bool:
    """Whether it was true until something else was."""
    return neighbour.status is Status.SUPERSEDED and neighbour.valid_until is not None


def _since(claim: Claim, neighbour: Neighbour) -> datetime:
    """From when a newer neighbour held in the claim's place; one that was true before the claim, when said again."""
    if neighbour.valid_from is not None and neighbour.valid_from > claim.said_at:
        return neighbour.valid_from
    return neighbour.said_at


def _is_by_another(claim: Claim, neighbour: Neighbour) -> bool:
    return claim.author is not None and neighbour.author is not None and claim.author != neighbour.author


def _against_own(
    claim: Claim,
    earlier: Sequence[Neighbour],
    later: Sequence[Neighbour],
    thresholds: RelationThresholds,
    penalty: float,
) -> ConflictDecision:
    stronger = [n for n in _closed(claim, earlier, thresholds) if not _is_as_strong(claim, n)]
    if stronger:
        return ConflictDecision(ConflictOutcome.REJECT, ConflictReason.WEAKER, _ids(stronger))
    closing = _closed(claim, [n for n in earlier if _may_close(claim, n)], thresholds)
    corrected = frozenset(n.id for n in closing if _judged(n).correction > _judged(n).update)
    closing_it = [n for n in later if _surely_replaces(claim, n, thresholds) and _may_be_closed_by(claim, n)]
    closed_by = min(closing_it, key=lambda n: _since(claim, n), default=None)
    if closed_by is not None:
        return ConflictDecision(
            ConflictOutcome.STORE_CLOSED, ConflictReason.OLDER, _ids(closing), corrected, _since(claim, closed_by),
            closed_by.id, -penalty if closing else 0.0,
        )  # fmt: skip
    if closing:
        reason = ConflictReason.CORRECTED if corrected else ConflictReason.UPDATED
        return ConflictDecision(ConflictOutcome.SUPERSEDE, reason, _ids(closing), corrected, delta=-penalty)
    return ConflictDecision(ConflictOutcome.NONE, ConflictReason.COMPATIBLE)


def _closed(claim: Claim, earlier: Sequence[Neighbour], thresholds: RelationThresholds) -> list[Neighbour]:
    """What the claim surely replaces, and what goes with that."""
    sure = [n for n in earlier if _surely_replaces(claim, n, thresholds)]
    others = [n for n in earlier if n not in sure and not describe_different_things(claim, n)]
    along = [n for n in others if any(_goes_with(claim, n, other, thresholds) for other in sure)]
    return sorted([*sure, *along], key=lambda n: (n.said_at, str(n.id)))


def _surely_replaces(claim: Claim, neighbour: Neighbour, thresholds: RelationThresholds) -> bool:
    """Whether the newer of the two ends the older; of the left and the right knee a model may be as sure and wrong. Of
    what denies the very same a model need not be as sure.
    """
    least = thresholds.doubt if denies_state(claim, neighbour) else thresholds.close
    return _judged(neighbour).replaces >= least and not describe_different_things(claim, neighbour)


def _goes_with(claim: Claim, neighbour: Neighbour, closed: Neighbour, thresholds: RelationThresholds) -> bool:
    """Whether it speaks of the state of one that is closed, and says the same of it or is probably replaced too.

    A claim that only ends what it names ("no longer has a dog") ends no second thing of the same kind.
    """
    if not share_a_slot(neighbour.slot, closed.slot):
        return False
    if _says(neighbour, closed):
        return True
    only_ends = claim.is_negated and states_the_same(claim.slot, closed.slot)
    return not only_ends and _judged(neighbour).replaces >= thresholds.doubt


def _with_open_questions(
    claim: Claim, decision: ConflictDecision, comparable: Sequence[Neighbour], thresholds: RelationThresholds
) -> ConflictDecision:
    """Add what stays open: disputes between two sides, and doubts."""
    settled = {*decision.targets, decision.closed_by}
    left = [n for n in comparable if n.id not in settled]
    if decision.closed_by is not None:
        # What ended with the next claim is in no doubt because of those that came after that one.
        left = [n for n in left if n.said_at <= claim.said_at or _judged(n).replaces < thresholds.close]
    disputed = [n for n in left if _is_disputed(claim, n, thresholds)]
    doubts = [n for n in left if n not in disputed and _may_replace(n) >= thresholds.doubt]
    doubted = [n for n in doubts if n.said_at <= claim.said_at]
    if not disputed and not doubts:
        return decision
    if decision.outcome is ConflictOutcome.NONE:
        reason = ConflictReason.DISPUTED if disputed else ConflictReason.DOUBTED
        decision = ConflictDecision(ConflictOutcome.FLAG, reason)
    return replace(
        decision,
        disputed=_ids(disputed),
        doubted=_ids(doubted),
        doubted_by=_ids([n for n in doubts if n not in doubted]),
    )


def _is_disputed(claim: Claim, neighbour: Neighbour, thresholds: RelationThresholds) -> bool:
    """Two that cannot both be true, and neither may overrule the other."""
    if _is_by_another(claim, neighbour):
        return _may_replace(neighbour) >= thresholds.doubt
    return _judged(neighbour).conflict >= thresholds.conflict


def _may_close(claim: Claim, neighbour: Neighbour) -> bool:
    return may_close(claim.role, neighbour.role, are_records=_are_records(claim, neighbour))


def _may_be_closed_by(claim: Claim, neighbour: Neighbour) -> bool:
    return may_close(neighbour.role, claim.role, are_records=_are_records(claim, neighbour))


def _are_records(claim: Claim, neighbour: Neighbour) -> bool:
    return is_record(claim.text, claim.slot) and is_record(neighbour.text, neighbour.slot)


def _is_as_strong(claim: Claim, neighbour: Neighbour) -> bool:
    return _RANK[claim.strength] >= _RANK[neighbour.strength] or claim.confidence >= neighbour.confidence


def _judged(neighbour: Neighbour) -> ClaimRelation:
    return neighbour.relation or _UNRELATED


def _may_replace(neighbour: Neighbour) -> float:
    """How likely the older of the two no longer holds, whether or not anything says which."""
    return _judged(neighbour).replaces + _judged(neighbour).conflict


def _ids(neighbours: Sequence[Neighbour]) -> tuple[UUID, ...]:
    return tuple(neighbour.id for neighbour in neighbours)
