"""The graph over REST."""

from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Page, found, page_of
from apps.api.graph import handlers
from apps.api.graph.contract import (
    Backfill,
    EntitiesInput,
    Entity,
    EntityByIdInput,
    EntityByNameInput,
    EntityProfile,
    GraphStatus,
    MergeInput,
    Neighbourhood,
    NeighbourhoodInput,
    Path,
    PathInput,
    SplitInput,
    StartedJob,
)
from apps.api.rest.routing import gateway_of, serve

router = Router()


@serve(router, "GET", "/entities", verbs.ENTITIES)
def entities(request: HttpRequest, query: Query[EntitiesInput]) -> Page[Entity]:
    cut = handlers.entities(
        gateway_of(request).of_named(query), search=query.search, entity_type=query.type, page=query.as_page()
    )
    return page_of(cut)


@serve(router, "GET", "/entities/named", verbs.ENTITY)
def entity_named(request: HttpRequest, query: Query[EntityByNameInput]) -> EntityProfile:
    """The profile of the entity this name fits best."""
    return found(handlers.entity(gateway_of(request).of_named(query), name=query.name, as_of=query.as_of), "entity")


@serve(router, "GET", "/entities/{entity_id}", verbs.ENTITY)
def entity(request: HttpRequest, entity_id: UUID, query: Query[EntityByIdInput]) -> EntityProfile:
    return found(handlers.entity(gateway_of(request).of_named(query), entity_id=entity_id, as_of=query.as_of), "entity")


@serve(router, "GET", "/entities/{entity_id}/neighbourhood", verbs.NEIGHBOURHOOD)
def neighbourhood(request: HttpRequest, entity_id: UUID, query: Query[NeighbourhoodInput]) -> Neighbourhood:
    return found(handlers.neighbourhood(gateway_of(request).of_named(query), entity_id, query), "entity")


@serve(router, "POST", "/entities/{entity_id}/merge", verbs.MERGE_ENTITIES)
def merge_entities(request: HttpRequest, entity_id: UUID, body: MergeInput) -> EntityProfile:
    return handlers.merge_entities(gateway_of(request), entity_id, body)


@serve(router, "POST", "/entities/{entity_id}/split", verbs.SPLIT_ENTITY)
def split_entity(request: HttpRequest, entity_id: UUID, body: SplitInput) -> EntityProfile:
    return handlers.split_entity(gateway_of(request), entity_id, body)


@serve(router, "GET", "/path", verbs.PATH)
def path(request: HttpRequest, query: Query[PathInput]) -> Path:
    steps = handlers.path(gateway_of(request).of_named(query), query)
    return Path(connected=steps is not None, steps=steps or [])


@serve(router, "GET", "/graph", verbs.GRAPH_STATUS)
def graph_status(request: HttpRequest) -> GraphStatus:
    return handlers.graph_status(gateway_of(request))


@serve(router, "POST", "/graph/backfill", verbs.BACKFILL_GRAPH)
def backfill_graph(request: HttpRequest) -> Backfill:
    """What was captured before there was a graph, and what a projection missed; repeating it changes nothing."""
    return handlers.backfill_graph(gateway_of(request))


@serve(router, "POST", "/graph/check", verbs.CHECK_GRAPH)
def check_graph(request: HttpRequest) -> StartedJob:
    return handlers.check_graph(gateway_of(request))


@serve(router, "POST", "/graph/repair", verbs.REPAIR_GRAPH)
def repair_graph(request: HttpRequest) -> StartedJob:
    return handlers.repair_graph(gateway_of(request))


@serve(router, "POST", "/graph/rebuild", verbs.REBUILD_GRAPH)
def rebuild_graph(request: HttpRequest) -> StartedJob:
    return handlers.rebuild_graph(gateway_of(request))
