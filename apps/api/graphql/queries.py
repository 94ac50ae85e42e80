"""Reading."""

from datetime import datetime
from typing import Annotated

import strawberry

from apps.api.flows.entities import Way
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.inputs import ContextOptions, JournalFilter, MemoryFilter, RecallOptions, RejectionFilter, aware
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.types import (
    Checkpoint,
    ContextBlock,
    Entity,
    Explanation,
    Job,
    JournalEntry,
    Memory,
    PathStep,
    Recall,
    Rejection,
    RejectionCount,
    Session,
    SharedDomain,
    Stats,
    Viewer,
    shaped,
)
from apps.api.memory_agent import MemoryAgent
from apps.core.paging import page
from apps.memory.requests import REJECTION_WEEKS, ItemOrder
from memory_platform.knowledge.graph import MAXIMUM_DEPTH, EntityType

# What answers with content and was asked for nobody answers with what belongs to no user.
ForUser = Annotated[
    str | None,
    strawberry.argument(description="For whom: this user's and what belongs to no user; absent: only the latter."),
]


def _asked(info: Info, given: MemoryFilter | None) -> MemoryAgent:
    """The agent for the users a filter names."""
    return info.context.ask(info, given.user_id, all_users=given.all_users) if given else info.context.ask(info)


@strawberry.type
class Query:
    @strawberry.field(description="Tenant, agent, scopes and limits of the key.")
    def viewer(self, info: Info) -> Viewer:
        return shaped(info.context.agent.viewer())

    @strawberry.field(description="The few memories worth knowing; none when nothing is relevant.")
    def recall(self, info: Info, query: str, options: RecallOptions | None = None) -> Recall:
        given = options or RecallOptions()
        return shaped(_asked(info, given.filter).recall(given.as_request(query)))

    @strawberry.field(description="The block for the prompt; without a query: what to know at session start.")
    def context(self, info: Info, query: str | None = None, options: ContextOptions | None = None) -> ContextBlock:
        given = options or ContextOptions()
        return shaped(_asked(info, given.filter).context(given.as_request(query)))

    @strawberry.field
    def memory(
        self,
        info: Info,
        id: strawberry.ID,  # noqa: A002  the API's word
        user_id: str | None = None,
    ) -> Memory | None:
        found = info.context.ask(info, user_id).memory(uuid_of(id, field="id"))
        if found is not None:
            info.context.follow(info, found.user_id)
        return shaped(found)

    @strawberry.field
    def memories(
        self,
        info: Info,
        filter: MemoryFilter | None = None,  # noqa: A002  the API's word
        order_by: ItemOrder = ItemOrder.NEWEST,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Memory]:
        given = filter or MemoryFilter()
        cut = _asked(info, filter).memories(wanted=given.as_filter(), order=order_by, page=page(first, after))
        return shaped(connection(cut, after=after))

    @strawberry.field(description="Sources with quotes, versions, merges, what it superseded.")
    def explain_memory(
        self,
        info: Info,
        id: strawberry.ID,  # noqa: A002  the API's word
        user_id: str | None = None,
    ) -> Explanation | None:
        found = info.context.ask(info, user_id).explain_memory(uuid_of(id, field="id"))
        if found is not None:
            info.context.follow(info, found.item.user_id)
        return shaped(found)

    @strawberry.field(description="Low confidence, or soon to decay.")
    def weak_memories(
        self,
        info: Info,
        user_id: ForUser = None,
        *,
        all_users: bool = False,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Memory]:
        cut = info.context.ask(info, user_id, all_users=all_users).weak_memories(page(first, after))
        return shaped(connection(cut, after=after))

    @strawberry.field(description="What was said and became no memory, newest first.")
    def rejections(
        self,
        info: Info,
        filter: RejectionFilter | None = None,  # noqa: A002  the API's word
        user_id: ForUser = None,
        *,
        all_users: bool = False,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Rejection]:
        wanted = (filter or RejectionFilter()).as_filter()
        cut = info.context.ask(info, user_id, all_users=all_users).rejections(wanted, page(first, after))
        return shaped(connection(cut, after=after))

    @strawberry.field(description="How many rejections of each reason a week saw, the latest week first.")
    def rejection_counts(self, info: Info, weeks: int = REJECTION_WEEKS) -> list[RejectionCount]:
        return shaped(info.context.ask(info).rejection_counts(weeks))

    @strawberry.field(description="A profile, by id or by name: what is true of it, its timeline, who said so.")
    def entity(
        self,
        info: Info,
        id: strawberry.ID | None = None,  # noqa: A002  the API's word
        name: str | None = None,
        as_of: datetime | None = None,
        user_id: ForUser = None,
        *,
        all_users: bool = False,
    ) -> Entity | None:
        entity_id = None if id is None else uuid_of(id, field="id")
        agent = info.context.ask(info, user_id, all_users=all_users)
        return shaped(agent.entity(entity_id=entity_id, name=name, as_of=aware(as_of, field="asOf")))

    @strawberry.field(description="Who and what is spoken of, the most mentioned first.")
    def entities(
        self,
        info: Info,
        search: str | None = None,
        type: EntityType | None = None,  # noqa: A002  the API's word
        user_id: ForUser = None,
        *,
        all_users: bool = False,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Entity]:
        agent = info.context.ask(info, user_id, all_users=all_users)
        cut = agent.entities(search=search, entity_type=type, page=page(first, after))
        return shaped(connection(cut, after=after))

    @strawberry.field(description="How two entities are connected, with what says so; null: not within maxDepth hops.")
    def path(
        self,
        info: Info,
        from_: Annotated[strawberry.ID, strawberry.argument(name="from")],
        to: strawberry.ID,
        max_depth: int = MAXIMUM_DEPTH,
        as_of: datetime | None = None,
        user_id: ForUser = None,
        *,
        all_users: bool = False,
    ) -> list[PathStep] | None:
        way = Way(uuid_of(from_, field="from"), uuid_of(to, field="to"), max_depth, aware(as_of, field="asOf"))
        return shaped(info.context.ask(info, user_id, all_users=all_users).path(way))

    @strawberry.field(description="What agents share, by domain. Needs the scope share.")
    def shared_domains(self, info: Info, user_id: str | None = None) -> list[SharedDomain]:
        return shaped(info.context.ask(info, user_id).shared_domains())

    @strawberry.field
    def stats(self, info: Info, user_id: str | None = None) -> Stats:
        return shaped(info.context.ask(info, user_id).stats())

    @strawberry.field
    def session(self, info: Info, session_id: str, user_id: str | None = None) -> Session | None:
        return shaped(info.context.ask(info, user_id).session(session_id))

    @strawberry.field(description="The latest turn when turn is absent.")
    def checkpoint(
        self, info: Info, session_id: str, turn: int | None = None, user_id: str | None = None
    ) -> Checkpoint | None:
        return shaped(info.context.ask(info, user_id).checkpoint(session_id, turn))

    @strawberry.field(description="When a turn became memory: state, attempts, error, outcome.")
    def jobs(self, info: Info, ids: list[strawberry.ID]) -> list[Job]:
        return shaped(info.context.agent.jobs([uuid_of(each, field="ids") for each in ids]))

    @strawberry.field(description="The agent's entries; the tenant's with the scope review.")
    def journal(
        self,
        info: Info,
        filter: JournalFilter | None = None,  # noqa: A002  the API's word
        user_id: str | None = None,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[JournalEntry]:
        given = filter or JournalFilter()
        agent = info.context.ask(info, user_id)
        cut = agent.journal(wanted=given.as_filter(), agent_id=given.agent_id, page=page(first, after))
        return shaped(connection(cut, after=after))
