"""What the verbs on memories do, once the gateway has let the caller in."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from apps.api import verbs
from apps.api.admission import admitted
from apps.api.flows import forgetting, listing, sharing
from apps.api.flows.listing import SupersessionEnd
from apps.api.gateway import Gateway
from apps.api.memories.contract import (
    ConfirmInput,
    CorrectInput,
    Explanation,
    FeedbackInput,
    ForgetInput,
    Forgotten,
    Memory,
    MemoryFeedback,
    Rejection,
    RejectionCount,
    RejectionFilter,
    RememberInput,
    SeenInput,
    Version,
    WriteResult,
)
from apps.api.recall.contract import Source
from apps.core.paging import PageRequest, Slice
from apps.memory import selectors as memory_selectors
from apps.memory import services as memory_services
from apps.memory.requests import ItemOrder, SeenItem
from apps.retrieval.requests import Filter


def memory(gateway: Gateway, memory_id: UUID) -> Memory | None:
    with gateway.open(verbs.MEMORY):
        return gateway.answer_or_none(Memory, memory_selectors.item(memory_id))


def memories(
    gateway: Gateway,
    *,
    wanted: Filter,
    page: PageRequest,
    order: ItemOrder = ItemOrder.NEWEST,
    as_of: datetime | None = None,
) -> Slice[Memory]:
    """`as_of`: what was believed and true then."""
    with gateway.open(verbs.MEMORIES, whose=gateway.content_of):
        moment = admitted(as_of, "as_of")
        return gateway.page(Memory, listing.items(wanted=wanted, order=order, page=page, as_of=moment))


def explain_memory(gateway: Gateway, memory_id: UUID) -> Explanation | None:
    with gateway.open(verbs.EXPLAIN_MEMORY):
        return gateway.answer_or_none(Explanation, memory_selectors.explain(memory_id))


def memories_by_id(gateway: Gateway, item_ids: Sequence[UUID]) -> dict[UUID, Memory]:
    """Those of them that the caller may read."""
    with gateway.open(verbs.MEMORY):
        return {found.id: gateway.answer(Memory, found) for found in memory_selectors.hydrate(item_ids).values()}


def linked_memories(gateway: Gateway, item_ids: Sequence[UUID], link: SupersessionEnd) -> dict[UUID, list[Memory]]:
    """What each of the items replaced, or what replaced it, in full."""
    with gateway.open(verbs.MEMORY_LINKS):
        found = listing.linked(item_ids, link)
        return {item_id: gateway.answers(Memory, ends) for item_id, ends in found.items()}


def versions(gateway: Gateway, item_id: UUID, page: PageRequest) -> Slice[Version]:
    with gateway.open(verbs.MEMORY_VERSIONS):
        return gateway.page(Version, listing.versions(item_id, page=page))


def sources_of(gateway: Gateway, resource_id: UUID | None) -> list[Source]:
    """The captured message behind a row, if it has one."""
    if resource_id is None:
        return []
    with gateway.open(verbs.SOURCES):
        return gateway.answers(Source, listing.sources(resource_id))


def weak_memories(gateway: Gateway, page: PageRequest) -> Slice[Memory]:
    with gateway.open(verbs.WEAK_MEMORIES, whose=gateway.content_of):
        return gateway.page(Memory, memory_selectors.weak(page=page))


def rejections(gateway: Gateway, wanted: RejectionFilter, page: PageRequest) -> Slice[Rejection]:
    with gateway.open(verbs.REJECTIONS, whose=gateway.content_of):
        return gateway.page(Rejection, memory_selectors.rejections(wanted=wanted.as_filter(), page=page))


def rejection_counts(gateway: Gateway, weeks: int) -> list[RejectionCount]:
    with gateway.open(verbs.REJECTION_COUNTS):
        return gateway.answers(RejectionCount, memory_selectors.rejection_counts(weeks=weeks))


def remember(gateway: Gateway, given: RememberInput) -> WriteResult:
    whose = gateway.written_for(given.user_id or None)
    owned = given.model_copy(update={"user_id": whose.user_id}).as_new()
    with gateway.admit(verbs.REMEMBER, visibility=given.visibility, whose=whose) as within:
        filed = sharing.filed(owned, gateway.principal)
        return gateway.answer(WriteResult, memory_services.remember(filed, within=within))


def correct(gateway: Gateway, memory_id: UUID, given: CorrectInput) -> WriteResult:
    with gateway.admit(verbs.CORRECT) as within:
        corrected = memory_services.correct(memory_id, given.text, given.reason, seen=_seen(given.seen), within=within)
        return gateway.answer(WriteResult, corrected)


def confirm(gateway: Gateway, memory_id: UUID, given: ConfirmInput) -> Memory:
    with gateway.open(verbs.CONFIRM):
        return gateway.answer(Memory, memory_services.confirm(memory_id, seen=_seen(given.seen)))


def withdraw_confirmation(gateway: Gateway, memory_id: UUID, given: ConfirmInput) -> Memory:
    with gateway.open(verbs.WITHDRAW_CONFIRMATION):
        return gateway.answer(Memory, memory_services.withdraw_confirmation(memory_id, seen=_seen(given.seen)))


def unmerge(gateway: Gateway, memory_id: UUID) -> Memory:
    with gateway.open(verbs.UNMERGE):
        return gateway.answer(Memory, memory_services.unmerge(memory_id))


def give_feedback(gateway: Gateway, memory_id: UUID, given: FeedbackInput) -> MemoryFeedback:
    """A reviewer's key speaks of any agent's memory."""
    with gateway.open(verbs.GIVE_FEEDBACK, of_all_agents=gateway.curates):
        told = memory_services.give_feedback(memory_id, given.kind, given.note)
        return gateway.answer(MemoryFeedback, told)


def withdraw_feedback(gateway: Gateway, memory_id: UUID) -> Memory:
    with gateway.open(verbs.WITHDRAW_FEEDBACK, of_all_agents=gateway.curates):
        return gateway.answer(Memory, memory_services.withdraw_feedback(memory_id))


def forget(gateway: Gateway, given: ForgetInput) -> Forgotten:
    whose = gateway.content_of if given.query is not None else gateway.of(given.user_id).whose
    with gateway.admit(verbs.FORGET, whose=whose) as within:
        what = given.as_request()
        return gateway.answer(Forgotten, forgetting.forget(what, within=within, domain=gateway.principal.domain))


def restore(gateway: Gateway, batch_id: UUID) -> Forgotten:
    """An admin's key gives back any agent's batch, and what maintenance forgot, which is no agent's."""
    with gateway.open(verbs.RESTORE, of_all_agents=gateway.administers):
        return gateway.answer(Forgotten, forgetting.restore(batch_id))


def _seen(given: Sequence[SeenInput]) -> tuple[SeenItem, ...]:
    return tuple(each.as_seen() for each in given)
