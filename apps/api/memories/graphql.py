"""Memories in GraphQL."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

import strawberry
from strawberry import Parent

from apps.api import verbs
from apps.api.descriptions import ARGUMENTS
from apps.api.flows.listing import SupersessionEnd
from apps.api.graph import handlers as graph
from apps.api.graph.contract import NamedEntity
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import aware, uuid_of
from apps.api.graphql.shapes import OfUser, mutation, query, walk
from apps.api.memories import handlers
from apps.api.memories.contract import (
    ConfirmInput,
    CorrectInput,
    Explanation,
    FeedbackInput,
    ForgetInput,
    Forgotten,
    Memory,
    MemoryFeedback,
    OpenLink,
    Rejection,
    RejectionCount,
    RejectionFilter,
    RememberInput,
    SeenInput,
    Version,
    WriteResult,
)
from apps.api.recall.contract import MemoryFilter, Source
from apps.core.paging import page
from apps.memory.requests import REJECTION_WEEKS, ItemOrder
from memory_platform.lifecycle.feedback import Opinion

_WHICH: Final = strawberry.argument(description=ARGUMENTS["filter"])


@strawberry.type
class Query:
    @query(verbs.MEMORY)
    def memory(self, info: Info, id: strawberry.ID, user_id: str | None = None) -> Memory | None:  # noqa: A002
        return _told(info, handlers.memory(info.context.ask(info, user_id), uuid_of(id, field="id")))

    @query(verbs.MEMORIES)
    def memories(
        self,
        info: Info,
        filter: Annotated[MemoryFilter | None, _WHICH] = None,  # noqa: A002  the API's word
        order_by: ItemOrder = ItemOrder.NEWEST,
        as_of: datetime | None = None,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Memory]:
        given, moment = filter or MemoryFilter(), aware(as_of, field="asOf")
        gateway = info.context.ask_named(info, given)
        cut = handlers.memories(
            gateway, wanted=given.as_filter(), order=order_by, page=page(first, after), as_of=moment
        )
        info.context.batch(info).add(each.id for each in cut.rows)
        return connection(cut, after=after)

    @query(verbs.EXPLAIN_MEMORY)
    def explain_memory(self, info: Info, id: strawberry.ID, user_id: str | None = None) -> Explanation | None:  # noqa: A002
        found = handlers.explain_memory(info.context.ask(info, user_id), uuid_of(id, field="id"))
        if found is not None:
            info.context.follow(info, found.memory.user_id)
        return found

    @query(verbs.WEAK_MEMORIES)
    def weak_memories(
        self,
        info: Info,
        user_id: OfUser = None,
        *,
        all_users: bool = False,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Memory]:
        gateway = info.context.ask(info, user_id, all_users=all_users)
        cut = handlers.weak_memories(gateway, page(first, after))
        info.context.batch(info).add(each.id for each in cut.rows)
        return connection(cut, after=after)

    @query(verbs.REJECTIONS)
    def rejections(
        self,
        info: Info,
        filter: RejectionFilter | None = None,  # noqa: A002  the API's word
        user_id: OfUser = None,
        *,
        all_users: bool = False,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Rejection]:
        gateway = info.context.ask(info, user_id, all_users=all_users)
        return connection(handlers.rejections(gateway, filter or RejectionFilter(), page(first, after)), after=after)

    @query(verbs.REJECTION_COUNTS)
    def rejection_counts(self, info: Info, weeks: int = REJECTION_WEEKS) -> list[RejectionCount]:
        return handlers.rejection_counts(info.context.ask(info), weeks)


@strawberry.type
class Mutation:
    @mutation(verbs.REMEMBER)
    def remember(self, info: Info, input: RememberInput) -> WriteResult:  # noqa: A002  the API's word
        return _written(info, handlers.remember(info.context.ask(info), input))

    @mutation(verbs.CORRECT)
    def correct(
        self,
        info: Info,
        id: strawberry.ID,  # noqa: A002
        text: str,
        reason: str | None = None,
        seen: list[SeenInput] | None = None,
    ) -> WriteResult:
        given = CorrectInput(text=text, reason=reason or "", seen=tuple(seen or ()))
        return _written(info, handlers.correct(info.context.ask(info), uuid_of(id, field="id"), given))

    @mutation(verbs.CONFIRM)
    def confirm(self, info: Info, id: strawberry.ID, seen: list[SeenInput] | None = None) -> Memory:  # noqa: A002
        given = ConfirmInput(seen=tuple(seen or ()))
        confirmed = handlers.confirm(info.context.ask(info), uuid_of(id, field="id"), given)
        info.context.follow(info, confirmed.user_id)
        return confirmed

    @mutation(verbs.WITHDRAW_CONFIRMATION)
    def withdraw_confirmation(
        self,
        info: Info,
        id: strawberry.ID,  # noqa: A002
        seen: list[SeenInput] | None = None,
    ) -> Memory:
        given = ConfirmInput(seen=tuple(seen or ()))
        held = handlers.withdraw_confirmation(info.context.ask(info), uuid_of(id, field="id"), given)
        info.context.follow(info, held.user_id)
        return held

    @mutation(verbs.UNMERGE)
    def unmerge(self, info: Info, id: strawberry.ID) -> Memory:  # noqa: A002
        held = handlers.unmerge(info.context.ask(info), uuid_of(id, field="id"))
        info.context.follow(info, held.user_id)
        return held

    @mutation(verbs.GIVE_FEEDBACK)
    def give_feedback(
        self, info: Info, memory_id: strawberry.ID, kind: Opinion, note: str | None = None
    ) -> MemoryFeedback:
        given = FeedbackInput(kind=kind, note=note or "")
        told = handlers.give_feedback(info.context.ask(info), uuid_of(memory_id, field="memoryId"), given)
        info.context.follow(info, told.memory.user_id)
        return told

    @mutation(verbs.WITHDRAW_FEEDBACK)
    def withdraw_feedback(self, info: Info, memory_id: strawberry.ID) -> Memory:
        held = handlers.withdraw_feedback(info.context.ask(info), uuid_of(memory_id, field="memoryId"))
        info.context.follow(info, held.user_id)
        return held

    @mutation(verbs.FORGET)
    def forget(self, info: Info, input: ForgetInput) -> Forgotten:  # noqa: A002  the API's word
        return handlers.forget(info.context.ask_named(info, input.filter), input)

    @mutation(verbs.RESTORE)
    def restore(self, info: Info, batch_id: strawberry.ID) -> Forgotten:
        return handlers.restore(info.context.gateway, uuid_of(batch_id, field="batchId"))


@walk(OpenLink, description="The memory that raises the question; null when it was turned down.")
def memory(link: Parent[OpenLink], info: Info) -> Memory | None:
    return handlers.memory(info.context.reader(info), link.other_id)


@walk(Memory, description="What it names.")
def entities(held: Parent[Memory], info: Info) -> list[NamedEntity]:
    return graph.entities_named(info.context.reader(info), held.entity_names)


@walk(Memory, description="The memory that took its place; null: none did, or none that may be read.")
def superseded_by(held: Parent[Memory], info: Info) -> Memory | None:
    return next(iter(_linked(info, held, "superseded_by")), None)


@walk(Memory, description="The memories whose place it took.")
def supersedes(held: Parent[Memory], info: Info) -> list[Memory]:
    return _linked(info, held, "supersedes")


@walk(Memory, description="What changed of it, the earliest first.")
def versions(
    held: Parent[Memory], info: Info, first: int | None = None, after: str | None = None
) -> Connection[Version]:
    return connection(handlers.versions(info.context.reader(info), held.id, page(first, after)), after=after)


@walk(Rejection, description="The message that says it, if there is one that may be read.")
def sources(rejection: Parent[Rejection], info: Info) -> list[Source]:
    return handlers.sources_of(info.context.reader(info), rejection.resource_id)


def _linked(info: Info, held: Memory, link: SupersessionEnd) -> list[Memory]:
    batch = info.context.batch(info)

    def read(item_ids: Sequence[UUID]) -> dict[UUID, list[Memory]]:
        found = handlers.linked_memories(info.context.reader(info), item_ids, link)
        batch.add(each.id for ends in found.values() for each in ends)
        return found

    return batch.get(link, held.id, read, default=[])


def _told(info: Info, found: Memory | None) -> Memory | None:
    """What hangs on a memory that was named by its id is its user's."""
    if found is not None:
        info.context.follow(info, found.user_id)
    return found


def _written(info: Info, result: WriteResult) -> WriteResult:
    _told(info, result.memory)
    return result
