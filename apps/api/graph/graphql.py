"""The graph in GraphQL."""

from datetime import datetime
from typing import Annotated

import strawberry
from strawberry import Parent

from apps.api import verbs
from apps.api.graph import handlers
from apps.api.graph.contract import (
    Backfill,
    Entity,
    EntityProfile,
    GraphStatus,
    MergeInput,
    NamedEntity,
    Neighbourhood,
    NeighbourhoodInput,
    PathInput,
    PathStep,
    SplitInput,
    StartedJob,
)
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import aware, uuid_of
from apps.api.graphql.shapes import OfUser, mutation, query, walk
from apps.core.paging import page
from apps.graph.neighbourhoods import MOST_NEIGHBOURS
from memory_platform.knowledge.graph import MAXIMUM_DEPTH, EntityType


@strawberry.type
class Query:
    @query(verbs.ENTITY)
    def entity(
        self,
        info: Info,
        id: strawberry.ID | None = None,  # noqa: A002  the API's word
        name: str | None = None,
        as_of: datetime | None = None,
        user_id: OfUser = None,
        *,
        all_users: bool = False,
    ) -> EntityProfile | None:
        gateway = info.context.ask(info, user_id, all_users=all_users)
        entity_id = None if id is None else uuid_of(id, field="id")
        found = handlers.entity(gateway, entity_id=entity_id, name=name, as_of=aware(as_of, field="asOf"))
        return _with_facts(info, found)

    @query(verbs.ENTITIES)
    def entities(
        self,
        info: Info,
        search: str | None = None,
        type: EntityType | None = None,  # noqa: A002  the API's word
        user_id: OfUser = None,
        *,
        all_users: bool = False,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Entity]:
        gateway = info.context.ask(info, user_id, all_users=all_users)
        cut = handlers.entities(gateway, search=search, entity_type=type, page=page(first, after))
        return connection(cut, after=after)

    @query(verbs.NEIGHBOURHOOD)
    def neighbourhood(
        self,
        info: Info,
        id: strawberry.ID,  # noqa: A002  the API's word
        as_of: datetime | None = None,
        valid_at: datetime | None = None,
        limit: int = MOST_NEIGHBOURS,
        user_id: OfUser = None,
        *,
        all_users: bool = False,
    ) -> Neighbourhood | None:
        gateway = info.context.ask(info, user_id, all_users=all_users)
        asked = NeighbourhoodInput.model_validate({"as_of": as_of, "valid_at": valid_at, "limit": limit})
        return handlers.neighbourhood(gateway, uuid_of(id, field="id"), asked)

    @query(verbs.PATH)
    def path(
        self,
        info: Info,
        from_: Annotated[strawberry.ID, strawberry.argument(name="from")],
        to: strawberry.ID,
        max_depth: int = MAXIMUM_DEPTH,
        as_of: datetime | None = None,
        user_id: OfUser = None,
        *,
        all_users: bool = False,
    ) -> list[PathStep] | None:
        gateway = info.context.ask(info, user_id, all_users=all_users)
        start, end = uuid_of(from_, field="from"), uuid_of(to, field="to")
        asked = PathInput.model_validate({"start": start, "end": end, "max_depth": max_depth, "as_of": as_of})
        return handlers.path(gateway, asked)

    @query(verbs.GRAPH_STATUS)
    def graph_status(self, info: Info) -> GraphStatus:
        return handlers.graph_status(info.context.gateway)


@strawberry.type
class Mutation:
    @mutation(verbs.MERGE_ENTITIES)
    def merge_entities(
        self,
        info: Info,
        into: strawberry.ID,
        from_: Annotated[
            list[strawberry.ID], strawberry.argument(name="from", description="The entities that go, by their ids.")
        ],
    ) -> EntityProfile:
        given = MergeInput(from_ids=tuple(uuid_of(each, field="from") for each in from_))
        return handlers.merge_entities(info.context.gateway, uuid_of(into, field="into"), given)

    @mutation(verbs.SPLIT_ENTITY)
    def split_entity(self, info: Info, id: strawberry.ID, aliases: list[str]) -> EntityProfile:  # noqa: A002
        given = SplitInput(aliases=tuple(aliases))
        return handlers.split_entity(info.context.gateway, uuid_of(id, field="id"), given)

    @mutation(verbs.BACKFILL_GRAPH)
    def backfill_graph(self, info: Info) -> Backfill:
        return handlers.backfill_graph(info.context.gateway)

    @mutation(verbs.CHECK_GRAPH)
    def check_graph(self, info: Info) -> StartedJob:
        return handlers.check_graph(info.context.gateway)

    @mutation(verbs.REPAIR_GRAPH)
    def repair_graph(self, info: Info) -> StartedJob:
        return handlers.repair_graph(info.context.gateway)

    @mutation(verbs.REBUILD_GRAPH)
    def rebuild_graph(self, info: Info) -> StartedJob:
        return handlers.rebuild_graph(info.context.gateway)


@walk(NamedEntity, description="What is known of it; null when it is gone since.")
def profile(named: Parent[NamedEntity], info: Info) -> EntityProfile | None:
    return _with_facts(info, handlers.entity(info.context.reader(info), entity_id=named.id))


def _with_facts(info: Info, found: EntityProfile | None) -> EntityProfile | None:
    """Whatever is asked of its facts is read for all of them."""
    if found is not None:
        info.context.batch(info).add(fact.id for fact in found.facts)
    return found
