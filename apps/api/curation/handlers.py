"""What the verbs of curation do, once the gateway has let the caller in."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final
from uuid import UUID

from apps.api import verbs
from apps.api.curation.contract import (
    CuratedCommit,
    CuratedMemory,
    CuratedRepository,
    DecisionInput,
    Proposal,
    QueueEntry,
    RestoreCuratedInput,
)
from apps.api.gateway import Gateway
from apps.api.graph.contract import StartedJob
from apps.core.paging import PageRequest, Slice
from apps.curation import projecting, results, selectors, services
from apps.curation.requests import GivenNumbers, ProposalFilter, ProposalOrder
from apps.curation.results import QueueKind
from apps.curation.services.reflecting import REFLECT_JOB
from apps.erasure import selectors as erasing
from apps.erasure.requests import Subject
from apps.erasure.results import ErasureView, Extent
from apps.erasure.services import extents_of
from apps.jobs import services as jobs
from apps.memory.commons import Position
from memory_platform.errors import Forbidden

_TAKING_BACK: Final = ("rejectErasure",)
_DECIDING: Final = ("approveErasure", *_TAKING_BACK)
"""What answers an erasure that somebody else asked for."""


def curated_memory(gateway: Gateway) -> CuratedMemory:
    with gateway.open(verbs.CURATED_MEMORY, of_all_agents=True):
        return gateway.answer(CuratedMemory, selectors.curated())


def curated_history(gateway: Gateway, page: PageRequest) -> Slice[CuratedCommit]:
    with gateway.admit(verbs.CURATED_HISTORY, of_all_agents=True) as within:
        return gateway.page(CuratedCommit, projecting.history(page, within=within))


def proposals(
    gateway: Gateway, wanted: ProposalFilter, page: PageRequest, order: ProposalOrder = ProposalOrder.OLDEST
) -> Slice[Proposal]:
    with gateway.open(verbs.PROPOSALS, of_all_agents=True):
        return gateway.page(Proposal, selectors.proposals(filter=wanted, page=page, order=order))


def review_queue(gateway: Gateway, kinds: Sequence[QueueKind], page: PageRequest) -> Slice[QueueEntry]:
    """Memories are those the caller may read, of the users it asks for; erasures those it may decide on."""
    wanted = tuple(dict.fromkeys(kinds)) or tuple(QueueKind)
    with gateway.open(verbs.REVIEW_QUEUE, whose=gateway.content_of) as within:
        decides = QueueKind.ERASURE in wanted and gateway.administers
        others = partial(_erasures, gateway.only_user, gateway.principal.actor) if decides else None
        found = selectors.queue(within=within, kinds=wanted, page=page, others=others)
        return gateway.page(QueueEntry, found)


def _erasures(of_user: str | None, who: str, behind: Position | None, most: int) -> Iterator[results.QueueEntry]:
    waiting = erasing.waiting(of_user=of_user, behind=behind, most=most)
    extents = extents_of([erasure.id for erasure in waiting])
    for erasure in waiting:
        extent = extents[erasure.id]
        yield results.QueueEntry(
            id=erasure.id,
            kind=QueueKind.ERASURE,
            at=erasure.requested_at,
            task="Shall this be erased for good?",
            texts=(_told(erasure, extent), *filter(None, [erasure.reason])),
            items=(),
            verbs=_TAKING_BACK if erasure.requested_person == who else _DECIDING,
            user_id=erasure.about.get("user_id"),
            samples=tuple(sample.text for sample in extent.samples),
        )


def _told(erasure: ErasureView, extent: Extent) -> str:
    about = Subject.of_json(erasure.kind, erasure.about).told
    return (
        f"{about} (memories: {extent.memories:,}, messages: {extent.messages:,}, sessions: {extent.sessions:,},"
        f" names: {extent.names:,})"
    )


def decide_proposal(gateway: Gateway, proposal_id: UUID, given: DecisionInput) -> Proposal:
    _require_unbound(gateway)
    decision = given.as_decision_made()
    with gateway.open(verbs.DECIDE_PROPOSAL, of_all_agents=True):
        (view,) = selectors.viewed([services.decide(proposal_id, decision)])
        return gateway.answer(Proposal, view)


def reflect(gateway: Gateway) -> StartedJob:
    _require_unbound(gateway)
    with gateway.open(verbs.REFLECT, of_all_agents=True):
        return StartedJob(job_id=jobs.enqueue(REFLECT_JOB, {}, serial_key=REFLECT_JOB, dedup_key=REFLECT_JOB))


def check(gateway: Gateway) -> CuratedRepository:
    with gateway.admit(verbs.CHECK_CURATED_MEMORY) as within:
        return gateway.answer(CuratedRepository, projecting.check(within=within))


def rebuild(gateway: Gateway) -> CuratedRepository:
    _require_unbound(gateway)
    with gateway.admit(verbs.REBUILD_CURATED_MEMORY) as within:
        projecting.rebuild(within=within)
        return gateway.answer(CuratedRepository, projecting.check(within=within))


def restore(gateway: Gateway, given: RestoreCuratedInput) -> CuratedRepository:
    _require_unbound(gateway)
    entries = [line.as_entry() for line in given.entries]
    log = [line.as_line() for line in given.log]
    with gateway.admit(verbs.RESTORE_CURATED_MEMORY) as within:
        projecting.restore(entries, log, within=within, given=GivenNumbers(given.changes, given.decisions))
        return gateway.answer(CuratedRepository, projecting.check(within=within))


def _require_unbound(gateway: Gateway) -> None:
    """The curated memory is the whole tenant's. Raises Forbidden for a key or request of one user."""
    if gateway.principal.user_id is not None:
        raise Forbidden("This key speaks for one user; the curated memory is everybody's.", field="userId")
