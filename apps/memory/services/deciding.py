"""The loop in which a batch's facts meet what is known: dedup, then conflict, and what each decision does.

Runs under the audience's lock. Facts are taken in the order they were said, and each sees what the ones before it did.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from apps.memory.confidence import Confidence
from apps.memory.documents import CONDENSED, FRESHER_WORDING, MERGED
from apps.memory.models import Item, ItemLink, Rejection, RejectionStage
from apps.memory.requests import Condensed, Former
from apps.memory.services import neighbourhood as neighbourhoods
from apps.memory.services import settling
from apps.memory.services.candidates import Candidate, Correction, Shared
from apps.memory.services.changes import Changes
from apps.memory.services.closing import SUPERSEDED, Closing, close
from apps.memory.services.confirming import CONFIRMED
from apps.memory.services.finding import refuse_changed
from apps.memory.services.neighbourhood import CandidateNeighbours, KnownItem
from apps.memory.services.rows import item_of, rejected
from apps.memory.services.settling import Settler
from apps.tenants.models import Policy
from memory_platform.consolidation import conflict, dedup, echo
from memory_platform.consolidation.claims import Neighbour
from memory_platform.consolidation.conflict import ConflictDecision, ConflictOutcome, ConflictReason
from memory_platform.consolidation.dedup import DedupDecision, DedupOutcome, Reinforcement
from memory_platform.consolidation.settling import Side
from memory_platform.errors import Conflict
from memory_platform.extraction.observing import DropReason
from memory_platform.lifecycle.belief import believed_from
from memory_platform.model import Role, Status, Verdict

ECHO = DropReason.ECHO.value
_OPEN = frozenset({Status.ACTIVE, Status.STALE})
REINFORCED_TIMES = ("reinforced_at", "last_confirmed_at", "said_at", "valid_from", "recorded_at")
"""What a merge changes in its target, beside the confidence."""


class Outcome(StrEnum):
    """What became of a candidate. CLOSED: stored as history. GONE: what was to be compared is no longer open."""

    STORED = "stored"
    HELD = "held"
    CLOSED = "closed"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"
    GONE = "gone"


MADE: Final = frozenset({Outcome.STORED, Outcome.HELD, Outcome.CLOSED, Outcome.SUPERSEDED})
"""Outcomes of a candidate that became an item."""


@dataclass(frozen=True, slots=True)
class CandidateDecision:
    """What became of a candidate: the item it is or was merged into (None: rejected), which gave way, and why."""

    outcome: Outcome
    item: Item | None
    reason: str
    superseded_items: tuple[Item, ...] = ()


@dataclass(slots=True)
class Decider:
    """One audience's batch under decision: reads the neighbourhood, writes into `changes`, counts."""

    neighbourhood: CandidateNeighbours
    changes: Changes
    policy: Policy
    confidence: Confidence
    counts: Counter[str] = field(default_factory=Counter)

    def settle(self, position: int) -> CandidateDecision:
        """Decide on the candidate at `position` and note what follows."""
        candidate = self.neighbourhood.embedded.candidates[position]
        if isinstance(candidate.purpose, Former):
            return self._keep_former(position, candidate, candidate.purpose)
        if isinstance(candidate.purpose, Condensed):
            return self._keep_insight(position, candidate, candidate.purpose)
        if candidate.existing is None and not self.neighbourhood.is_judged(position):
            candidate = replace(candidate, pending=True)
        if candidate.existing is not None and self._item(candidate.existing).status not in _OPEN:
            return CandidateDecision(Outcome.GONE, None, "gone")
        return self._compare(position, candidate)

    def _compare(self, position: int, candidate: Candidate) -> CandidateDecision:
        near = self._near(position, candidate)
        repeated = self._dedup(candidate, near)
        if repeated.outcome is DedupOutcome.MERGE and repeated.target is not None:
            if candidate.origin.role is Role.ASSISTANT and candidate.existing is None:
                return self._drop_echo(candidate, self._item(repeated.target))
            settled_by_it = self._answer_questions(candidate, near)
            settled = self._change_sides(candidate, near, self._merge(position, candidate, repeated))
            return replace(settled, superseded_items=(*settled.superseded_items, *settled_by_it))
        if (echoed := self._echoed(candidate)) is not None:
            return self._drop_echo(candidate, self._item(echoed.id))
        if candidate.is_held:
            return self._store(position, candidate, Outcome.HELD)
        return self._resolve(position, candidate, self._conflict(candidate, near))

    def _resolve(self, position: int, candidate: Candidate, contradicted: ConflictDecision) -> CandidateDecision:
        match contradicted.outcome:
            case ConflictOutcome.NONE:
                return self._store(position, candidate, Outcome.STORED)
            case ConflictOutcome.SUPERSEDE:
                return self._supersede(position, candidate, contradicted)
            case ConflictOutcome.STORE_CLOSED:
                return self._store_closed(position, candidate, contradicted)
            case ConflictOutcome.FLAG:
                return self._flag(position, candidate, contradicted)
            case ConflictOutcome.REJECT:
                return self._reject(candidate, contradicted)

    def _near(self, position: int, candidate: Candidate) -> list[Neighbour]:
        """Neighbours to compare with. What the gate allows is not measured by closed rows that waited for review."""
        apart = {candidate.corrects, candidate.existing}
        near = [n for n in self.neighbourhood.neighbours(position, self.confidence) if n.id not in apart]
        if candidate.is_held:
            return near
        return [n for n in near if n.is_open or self._item(n.id).verdict == Verdict.ALLOW]

    def _dedup(self, candidate: Candidate, near: list[Neighbour]) -> DedupDecision:
        return dedup.decide(
            candidate.claim,
            [n for n in near if not self.neighbourhood.is_parted(candidate, n.id)],
            merge_from=self.neighbourhood.thresholds.merge,
            other_source=self.policy.reinforce_other_source,
            same_session=self.policy.reinforce_same_session,
            other_session=self.policy.operational_gain if self.neighbourhood.is_operational(candidate) else 0.0,
        )

    def _conflict(self, candidate: Candidate, near: Sequence[Neighbour]) -> ConflictDecision:
        return conflict.decide(
            candidate.claim,
            [
                neighbour
                for neighbour in near
                if self._item(neighbour.id).verdict == Verdict.ALLOW and not echo.tells_back(candidate.claim, neighbour)
            ],
            thresholds=self.neighbourhood.thresholds,
            penalty=self.policy.contradicted_penalty,
        )

    def _echoed(self, candidate: Candidate) -> Neighbour | None:
        """What an assistant only says back, what was replaced since included."""
        if candidate.origin.role is not Role.ASSISTANT or candidate.existing is not None:
            return None
        said_at = candidate.origin.said_at
        known = self.neighbourhood.known.values()
        return echo.echoed(
            candidate.claim, [neighbourhoods.neighbour(one, self.confidence, said_at=said_at) for one in known]
        )

    # What a merge does.

    def _merge(self, position: int, candidate: Candidate, decision: DedupDecision) -> CandidateDecision:
        target = self.neighbourhood.known[_some(decision.target)]
        self.counts["merged"] += 1
        if decision.reinforcement is Reinforcement.FRESHER_WORDING or _takes_the_place(candidate, target):
            return self._reword(position, candidate, target, decision)
        if decision.reason is dedup.DedupReason.SAME_SOURCE and candidate.existing is None:
            return CandidateDecision(Outcome.MERGED, target.item, decision.reason)
        self._keep_merged(candidate, target, decision)
        for resource_id, quote in self._sources(candidate):
            self._add_sources(target, resource_id, quote, inherited=True)
        target.voices.add(candidate.claim.voice)
        self._reinforce(candidate, target.item, decision)
        self._correct(candidate, target.item)
        return CandidateDecision(Outcome.MERGED, target.item, decision.reason)

    def _keep_merged(self, candidate: Candidate, target: KnownItem, decision: DedupDecision) -> None:
        """Keep the merged wording as a closed item of its own, so that the merge can be taken back."""
        item = self._set_state(
            candidate,
            status=Status.SUPERSEDED,
            status_reason=MERGED,
            retracted_at=self._moment(candidate),
            operation="merged",
            dedup_pending=False,
        )
        if candidate.origin.resource_id is not None and candidate.existing is None:
            self.changes.source(item, candidate.origin.resource_id, candidate.fact.quote)
        is_reinforced = decision.reinforcement is not Reinforcement.NONE
        undo = self._undo(candidate, target.item, decision.delta) if is_reinforced else {}
        self.changes.link(ItemLink.Kind.MERGED_INTO, to=target.item, start=item, reason=decision.reason, undo=undo)

    def _undo(self, candidate: Candidate, item: Item, delta: float) -> dict[str, Any]:
        """What the item was, what the merge adds, and when the confidence's clock starts with it (`restarted_at`)."""
        gained = self._repeated(candidate, item, delta) - self._confidence(candidate).effective(item)
        times = {name: getattr(item, name) for name in REINFORCED_TIMES}
        times["restarted_at"] = max(item.reinforced_at, self._moment(candidate))
        plain = {name: time.isoformat() if time else None for name, time in times.items()}
        return {"confidence": item.confidence, "gained": gained, **plain}

    def _reinforce(self, candidate: Candidate, item: Item, decision: DedupDecision) -> None:
        if decision.reinforcement is Reinforcement.NONE:
            self.changes.alter(item, "merged", decision.reason, merged_count=item.merged_count + 1)
            return
        moment = self._moment(candidate)
        self.changes.alter(
            item,
            "merged",
            decision.reason,
            merged_count=item.merged_count + 1,
            confidence=self._repeated(candidate, item, decision.delta),
            reinforced_at=max(item.reinforced_at, moment),
            last_confirmed_at=max(item.last_confirmed_at or item.recorded_at, moment),
            said_at=max(item.said_at, candidate.origin.said_at),
            valid_from=min(item.valid_from, candidate.origin.said_at),
            recorded_at=min(item.recorded_at, moment),
            **_revived(item),
        )

    def _reword(
        self, position: int, candidate: Candidate, target: KnownItem, decision: DedupDecision
    ) -> CandidateDecision:
        """Fresher words: a new item with the old one's sources and history takes its place."""
        old, moment = target.item, self._moment(candidate)
        item = self._set_state(
            candidate,
            confidence=self._repeated(candidate, old, decision.delta),
            valid_from=min(old.valid_from, candidate.origin.said_at),
            merged_count=old.merged_count + 1,
            protected=old.protected,
            last_confirmed_at=moment,
            reason=FRESHER_WORDING,
        )
        known = self._admit(position, candidate, item)
        for resource_id in sorted(target.source_ids - known.source_ids):
            self._add_sources(known, resource_id, "", inherited=True)
        known.voices |= target.voices
        self.changes.alter(
            old, SUPERSEDED, FRESHER_WORDING, status=Status.SUPERSEDED, status_reason=FRESHER_WORDING,
            retracted_at=moment,
        )  # fmt: skip
        self.changes.link(ItemLink.Kind.SUPERSEDES, to=old, start=item, reason=FRESHER_WORDING)
        self.changes.inherited_use.append((old.id, item.id))
        settling.carry_over(old, item, self.changes)
        self._correct(candidate, item)
        return CandidateDecision(Outcome.MERGED, item, decision.reason, (old,))

    def _change_sides(
        self, candidate: Candidate, near: Sequence[Neighbour], settled: CandidateDecision
    ) -> CandidateDecision:
        """Who agrees with another agent no longer says what it said before: its own older contradiction is closed."""
        kept = settled.item
        if candidate.is_held or kept is None or kept.agent_id == candidate.origin.audience.agent_id:
            return settled
        mine = [n for n in near if n.author == candidate.claim.author and n.id != kept.id]
        decision = self._conflict(candidate, mine)
        if decision.outcome is not ConflictOutcome.SUPERSEDE:
            return settled
        return replace(
            settled, superseded_items=(*settled.superseded_items, *self._close_targets(candidate, kept, decision))
        )

    # What conflict's outcomes do.

    def _store(self, position: int, candidate: Candidate, outcome: Outcome) -> CandidateDecision:
        gate = candidate.gate
        item = self._set_state(candidate, reason=f"{gate.reason}: {gate.detail}" if gate.detail else "")
        self._admit(position, candidate, item)
        corrected = self._correct(candidate, item)
        return CandidateDecision(Outcome.SUPERSEDED if corrected else outcome, item, candidate.gate.reason, corrected)

    def _supersede(self, position: int, candidate: Candidate, decision: ConflictDecision) -> CandidateDecision:
        item = self._set_state(candidate)
        self._admit(position, candidate, item)
        closed = self._close_targets(candidate, item, decision)
        self._open_questions(item, decision)
        return CandidateDecision(Outcome.SUPERSEDED, item, decision.reason, (*self._correct(candidate, item), *closed))

    def _store_closed(self, position: int, candidate: Candidate, decision: ConflictDecision) -> CandidateDecision:
        self.counts["closed"] += 1
        newer = self._item(_some(decision.closed_by))
        item = self._set_state(
            candidate, status=Status.SUPERSEDED, status_reason=SUPERSEDED, valid_until=decision.valid_until,
            operation="closed",
        )  # fmt: skip
        self._admit(position, candidate, item)
        self.changes.link(ItemLink.Kind.SUPERSEDES, to=item, start=newer, reason=decision.reason)
        closed = self._close_targets(candidate, item, decision)
        self._open_questions(item, decision)
        return CandidateDecision(Outcome.CLOSED, item, decision.reason, (*self._correct(candidate, item), *closed))

    def _keep_former(self, position: int, candidate: Candidate, former: Former) -> CandidateDecision:
        """History that was decided on elsewhere: it meets nothing of what is known, and ends nothing."""
        self.counts["closed"] += 1
        item = self._set_state(candidate)
        self._admit(position, candidate, item)
        for resource_id in former.resource_ids:
            self.changes.source(item, resource_id, "")
        self.changes.alter(
            item, SUPERSEDED, former.reason, status=Status.SUPERSEDED, status_reason=former.reason,
            valid_until=former.valid_until, retracted_at=former.retracted_at,
        )  # fmt: skip
        for known in neighbourhoods.fetch(self.neighbourhood, candidate.origin.audience, Q(id=former.by)):
            self.changes.link(ItemLink.Kind.SUPERSEDES, to=item, start=known.item, reason=former.reason)
        return CandidateDecision(Outcome.CLOSED, item, former.reason)

    def _keep_insight(self, position: int, candidate: Candidate, told: Condensed) -> CandidateDecision:
        """What others said, told as it was elsewhere: it rests on what they rest on."""
        item = self._set_state(candidate, operation=CONDENSED, verdict_reason=CONDENSED)
        insight = self._admit(position, candidate, item)
        found = neighbourhoods.fetch(self.neighbourhood, candidate.origin.audience, Q(id__in=told.item_ids))
        for known in sorted(found, key=lambda one: told.item_ids.index(one.item.id)):
            self.changes.link(ItemLink.Kind.CONDENSES, to=known.item, start=item, reason=CONDENSED)
            for resource_id in sorted(known.source_ids):
                self._add_sources(insight, resource_id, "", inherited=True)
        return CandidateDecision(Outcome.STORED, item, CONDENSED)

    def _flag(self, position: int, candidate: Candidate, decision: ConflictDecision) -> CandidateDecision:
        item = self._set_state(candidate)
        self._admit(position, candidate, item)
        self._open_questions(item, decision)
        return CandidateDecision(Outcome.STORED, item, decision.reason, self._correct(candidate, item))

    def _drop_echo(self, candidate: Candidate, echoed: Item) -> CandidateDecision:
        """What an assistant repeats it was told: no fact, no source, and no confirmation of one. What becomes of the
        item becomes of its echo.
        """
        self.counts["discarded"] += 1
        if candidate.origin.resource_id is not None:
            self.changes.echo(candidate.origin.resource_id, echoed)
        self.changes.rejections.append(rejected(candidate, stage=RejectionStage.GATE, reason=ECHO, detail=""))
        return CandidateDecision(Outcome.REJECTED, None, ECHO)

    def _reject(self, candidate: Candidate, decision: ConflictDecision) -> CandidateDecision:
        self.counts["rejected"] += 1
        if candidate.existing is not None:
            self._set_state(
                candidate, status=Status.SUPERSEDED, status_reason="contradicted",
                retracted_at=self._moment(candidate), operation="rejected",
            )  # fmt: skip
        rejection = rejected(candidate, stage=RejectionStage.CONFLICT, reason=decision.reason, detail="")
        self.changes.rejections.append(rejection)
        self._link_open(ItemLink.Kind.CONTRADICTS, rejection, decision.targets, decision.reason)
        return CandidateDecision(
            Outcome.REJECTED, None, decision.reason, tuple(self._item(target) for target in decision.targets)
        )

    def _open_questions(self, item: Item, decision: ConflictDecision) -> None:
        """Links that stay open until somebody answers them: disputes, and what probably no longer holds."""
        doubted = ItemLink.Kind.PROBABLY_SUPERSEDED
        self._link_open(ItemLink.Kind.CONTRADICTS, item, decision.disputed, ConflictReason.DISPUTED)
        self._link_open(doubted, item, decision.doubted, ConflictReason.DOUBTED)
        for newer in map(self._item, decision.doubted_by):
            self._ask(doubted, newer, item, ConflictReason.DOUBTED)

    def _link_open(self, kind: ItemLink.Kind, claim: Item | Rejection, others: Sequence[UUID], reason: str) -> None:
        operation = "contradicted" if kind is ItemLink.Kind.CONTRADICTS else "doubted"
        for target in map(self._item, others):
            if self._ask(kind, claim, target, reason):
                self.changes.note(target, operation, reason=reason, by=str(claim.id))

    def _ask(self, kind: ItemLink.Kind, start: Item | Rejection, target: Item, reason: str) -> bool:
        """Open a link between the two; False where there is one already, or was."""
        is_new = not self._is_asked(kind, start, target)
        if is_new:
            self.changes.link(kind, to=target, start=start, reason=reason)
        return is_new

    def _is_asked(self, kind: ItemLink.Kind, start: Item | Rejection, target: Item) -> bool:
        """Whether this was asked of the two before, and be it answered: items that are compared again had met."""
        ends = {start.id, target.id}
        if any(link.kind == kind and settling.ends(link) == ends for link in self.changes.links):
            return True
        if not isinstance(start, Item) or not ends.isdisjoint(self.changes.created):
            return False
        either = Q(from_item_id=start.id, to_item_id=target.id) | Q(from_item_id=target.id, to_item_id=start.id)
        return ItemLink.objects.filter(either, tenant_id=start.tenant_id, kind=kind).exists()

    def _close_targets(self, candidate: Candidate, item: Item, decision: ConflictDecision) -> tuple[Item, ...]:
        closed = []
        for target in map(self._item, decision.targets):
            is_wrong = target.id in decision.corrected
            reason = ConflictReason.CORRECTED if is_wrong else ConflictReason.UPDATED
            closing = Closing(item, reason, candidate.origin.said_at, self._moment(candidate), is_wrong)
            closed.append((target, closing))
            self._close(target, closing)
        return self._with_their_kind(candidate, closed)

    def _close(self, target: Item, closing: Closing) -> None:
        self.counts[SUPERSEDED] += 1
        penalty = self.policy.contradicted_penalty
        close(target, closing, changes=self.changes, confidence=self.confidence, penalty=penalty)

    def _with_their_kind(self, candidate: Candidate, closed: Sequence[tuple[Item, Closing]]) -> tuple[Item, ...]:
        """What was closed, and what is closed with it: every open item that gives the same state the same value, found
        by its slot, for the nearest neighbours need not hold it.
        """
        gone = {target.id: target for target, _ in closed}
        for target, closing in closed:
            for other in self._of_one_kind(candidate, target):
                if other.id not in gone and other.id != closing.by.id:
                    gone[other.id] = other
                    self._close(other, replace(closing, until=max(closing.until, other.said_at)))
        return tuple(gone.values())

    def _of_one_kind(self, candidate: Candidate, closed: Item) -> list[Item]:
        if not closed.subject or not closed.value:
            return []
        slot = ("subject", "attribute", "qualifier", "mood", "is_negated", "reported_by")
        alike = Q(**{name: getattr(closed, name) for name in slot}, verdict=Verdict.ALLOW, status__in=_OPEN)
        neighbourhoods.fetch(self.neighbourhood, candidate.origin.audience, alike)
        known = [one for one in self.neighbourhood.known.values() if _is_alike(one.item, closed, slot)]
        said_at = candidate.origin.said_at
        along = conflict.closed_along(
            candidate.claim,
            [neighbourhoods.neighbour(KnownItem(closed, set(), set()), self.confidence, said_at=said_at)],
            [neighbourhoods.neighbour(one, self.confidence, said_at=said_at) for one in known],
        )
        return [self._item(item_id) for item_id in along]

    def _answer_questions(self, candidate: Candidate, near: Sequence[Neighbour]) -> tuple[Item, ...]:
        """What a user says again settles the doubts about it: what gave way."""
        if candidate.is_held or candidate.origin.role is not Role.USER:
            return ()
        repeated = dedup.repeated(candidate.claim, near, merge_from=self.neighbourhood.thresholds.merge)
        links = settling.open_questions(repeated, self.changes)
        if not links:
            return ()
        involved = set().union(*map(settling.ends, links))
        neighbourhoods.fetch(
            self.neighbourhood, candidate.origin.audience, Q(id__in=involved - self.neighbourhood.known.keys())
        )
        claim = Side(candidate.origin.said_at, candidate.origin.audience.agent_id, candidate.fact.said_by)
        items = {item_id: self._item(item_id) for item_id in involved & self.neighbourhood.known.keys()}
        settler = Settler(self.changes, self.confidence, self.policy.contradicted_penalty)
        closed = settler.settle(claim, repeated, links, items)
        self.counts[SUPERSEDED] += len(closed)
        return self._with_their_kind(candidate, closed)

    def _correct(self, candidate: Candidate, item: Item) -> tuple[Item, ...]:
        """What a caller explicitly corrects was never right: no longer believed from now on."""
        if not isinstance(candidate.purpose, Correction):
            return ()
        refuse_changed(candidate.purpose.seen)
        wrong = self._item(candidate.purpose.item_id)
        if wrong.status in {Status.DELETED, Status.SUPERSEDED}:
            raise Conflict("The memory has been superseded or forgotten meanwhile; read it again and correct that one.")
        self.counts[SUPERSEDED] += 1
        self.changes.alter(
            wrong, "corrected", "corrected", candidate.purpose.why, status=Status.SUPERSEDED, status_reason="corrected",
            retracted_at=self._moment(candidate), valid_until=wrong.valid_until or candidate.origin.said_at,
        )  # fmt: skip
        self.changes.link(ItemLink.Kind.SUPERSEDES, to=wrong, start=item, reason="corrected")
        return (wrong,)

    def _sources(self, candidate: Candidate) -> list[tuple[UUID, str]]:
        """The resources a candidate rests on, with the words: its message, or those its item has already."""
        if candidate.existing is not None:
            return [
                (resource_id, "") for resource_id in sorted(self.neighbourhood.known[candidate.existing].source_ids)
            ]
        resource_id = candidate.origin.resource_id
        return [] if resource_id is None else [(resource_id, candidate.fact.quote)]

    # Rows.

    def _set_state(
        self, candidate: Candidate, *, operation: str = "stored", reason: str = "", **fields: object
    ) -> Item:
        """The candidate as an item: a new row, or the one it already has."""
        if candidate.existing is None:
            item = self.changes.create(
                item_of(candidate, self.changes.now, **fields), operation=operation, reason=reason
            )
            self._vouch(candidate, item)
            if isinstance(candidate.purpose, Shared):
                self.changes.link(ItemLink.Kind.SHARED_FROM, to=candidate.purpose.item, start=item, reason="shared")
            return item
        item = self._item(candidate.existing)
        self.changes.alter(item, "compared", reason or operation, **{"dedup_pending": False, **fields})
        return item

    def _vouch(self, candidate: Candidate, item: Item) -> None:
        """Somebody did so where it was exported; that can be taken back."""
        if candidate.carried.protected:
            at = min(candidate.carried.confirmed_at or self.changes.now, self.changes.now)
            confirmed_at = max(item.last_confirmed_at or at, at)
            self.changes.alter(item, CONFIRMED, "", protected=True, last_confirmed_at=confirmed_at)

    def _admit(self, position: int, candidate: Candidate, item: Item) -> KnownItem:
        """Make a stored candidate known to the rest of the batch, with its source and vector."""
        known = self.neighbourhood.known.get(item.id) or KnownItem(item, set(), {candidate.claim.voice})
        vector = self.neighbourhood.embedded.vector(position)
        if vector is not None:
            self.changes.vectors[item.id] = vector
        if candidate.origin.resource_id is not None and candidate.existing is None:
            self._add_sources(known, candidate.origin.resource_id, candidate.fact.quote)
        self.neighbourhood.admit(known, position)
        return known

    def _add_sources(self, known: KnownItem, resource_id: UUID, quote: str, *, inherited: bool = False) -> None:
        if resource_id not in known.source_ids:
            known.source_ids.add(resource_id)
            self.changes.source(known.item, resource_id, quote, inherited=inherited)

    def _item(self, item_id: UUID) -> Item:
        return self.neighbourhood.known[item_id].item

    def _moment(self, candidate: Candidate) -> datetime:
        """When what follows from the candidate counts from."""
        return believed_from(said_at=candidate.origin.said_at, heard_at=self.changes.now)

    def _repeated(self, candidate: Candidate, item: Item, delta: float) -> float:
        return self._confidence(candidate).repeated(item, delta, candidate.confidence)

    def _confidence(self, candidate: Candidate) -> Confidence:
        return self.confidence.when(candidate.origin.said_at)


def _takes_the_place(candidate: Candidate, target: KnownItem) -> bool:
    """Whether a claim may not vanish into the item it repeats: what the gate allows into one that waits for review,
    and a caller's, which has no message to be a source, into one that only an assistant said.
    """
    is_told = candidate.origin.resource_id is None and candidate.existing is None
    is_reviewed = target.item.verdict == Verdict.HOLD and not candidate.is_held
    return is_reviewed or (is_told and candidate.origin.role is Role.USER and target.role is Role.ASSISTANT)


def _is_alike(item: Item, other: Item, columns: Sequence[str]) -> bool:
    """Whether both agree in these columns, and the item is allowed."""
    return item.verdict == Verdict.ALLOW and all(getattr(item, name) == getattr(other, name) for name in columns)


def _revived(item: Item) -> dict[str, object]:
    """What was going stale, or had faded, and is said again is active again."""
    is_back = item.status == Status.STALE or item.is_dormant
    return {"status": Status.ACTIVE, "status_reason": ""} if is_back else {}


def _some(item_id: UUID | None) -> UUID:
    if item_id is None:
        raise ValueError("The decision names no item.")
    return item_id
