"""What the verbs of the graph do, once the gateway has let the caller in."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from apps.api import verbs
from apps.api.admission import admitted
from apps.api.flows import entities as curation
from apps.api.gateway import Gateway
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
from apps.core import scope
from apps.core.paging import PageRequest, Slice
from apps.core.scope import Reach, Scope
from apps.graph import neighbourhoods, stores
from apps.graph import selectors as graph
from apps.graph import services as graph_services
from memory_platform.knowledge.graph import EntityType
from memory_platform.model import NOBODY


def entity(
    gateway: Gateway, *, entity_id: UUID | None = None, name: str | None = None, as_of: datetime | None = None
) -> EntityProfile | None:
    """By id or by name, exactly one of them; by id as the user sees it whose it is, unless one was named."""
    with gateway.open(verbs.ENTITY) as within, scope.enter(_seeing(gateway, within, entity_id)):
        found = curation.profile(entity_id, admitted(name, "name"), admitted(as_of, "as_of"))
        return gateway.answer_or_none(EntityProfile, found)


def entities(
    gateway: Gateway, *, search: str | None = None, entity_type: EntityType | None = None, page: PageRequest
) -> Slice[Entity]:
    with gateway.open(verbs.ENTITIES, whose=gateway.content_of):
        found = graph.entities(search=admitted(search, "search"), entity_type=entity_type, page=page)
        return gateway.page(Entity, found)


def path(gateway: Gateway, asked: PathInput) -> list[PathStep] | None:
    """How two entities are connected, as the user sees it whose the first is; None: not within the depth."""
    with gateway.open(verbs.PATH) as within, scope.enter(_seeing(gateway, within, asked.start)):
        steps = curation.path(asked.as_way())
        return None if steps is None else gateway.answers(PathStep, steps)


def neighbourhood(gateway: Gateway, entity_id: UUID, asked: NeighbourhoodInput) -> Neighbourhood | None:
    """As the user sees it whose the entity is, unless one was named; None: it is not there."""
    as_of, valid_at = asked.as_of, asked.valid_at
    with gateway.open(verbs.NEIGHBOURHOOD) as within, scope.enter(_seeing(gateway, within, entity_id)):
        found = neighbourhoods.around(entity_id, as_of=as_of, valid_at=valid_at, limit=asked.limit)
        return gateway.answer_or_none(Neighbourhood, found)


def merge_entities(gateway: Gateway, into: UUID, given: MergeInput) -> EntityProfile:
    """Shared entities are merged with the scope review or admin."""
    with gateway.admit(verbs.MERGE_ENTITIES) as within:
        own = _of_entity(gateway, within, into)
        merged = curation.merge(into, given.from_ids, within=own, curates=gateway.curates)
        return gateway.answer(EntityProfile, merged)


def split_entity(gateway: Gateway, entity_id: UUID, given: SplitInput) -> EntityProfile:
    with gateway.admit(verbs.SPLIT_ENTITY) as within:
        names, own = given.aliases, _of_entity(gateway, within, entity_id)
        return gateway.answer(EntityProfile, curation.split(entity_id, names, within=own, curates=gateway.curates))


def graph_status(gateway: Gateway) -> GraphStatus:
    with gateway.open(verbs.GRAPH_STATUS):
        return gateway.answer(GraphStatus, stores.status())


def backfill_graph(gateway: Gateway) -> Backfill:
    """Read everything the tenant holds into the graph again, by jobs."""
    with gateway.admit(verbs.BACKFILL_GRAPH) as within, scope.enter(Scope(within.tenant_id, None, Reach.TENANT)):
        return Backfill(jobs=graph_services.rebuild())


def check_graph(gateway: Gateway) -> StartedJob:
    with gateway.open(verbs.CHECK_GRAPH):
        return StartedJob(job_id=graph_services.check())


def repair_graph(gateway: Gateway) -> StartedJob:
    with gateway.open(verbs.REPAIR_GRAPH):
        return StartedJob(job_id=graph_services.repair())


def rebuild_graph(gateway: Gateway) -> StartedJob:
    with gateway.open(verbs.REBUILD_GRAPH):
        return StartedJob(job_id=graph_services.rebuild_projection())


def entities_named(gateway: Gateway, names: Sequence[str]) -> list[NamedEntity]:
    """The entities these very names stand for."""
    if not names:
        return []
    with gateway.open(verbs.ENTITIES_NAMED, whose=gateway.content_of):
        return gateway.answers(NamedEntity, graph.seeds(names, fuzzy=False))


def _seeing(gateway: Gateway, within: Scope, entity_id: UUID | None) -> Scope:
    """An entity seen as its user sees it. Needs an open scope."""
    if gateway.asked is not None:
        return within
    return replace(within, whose=graph.owner_of(entity_id) if entity_id else NOBODY)


def _of_entity(gateway: Gateway, within: Scope, entity_id: UUID) -> Scope:
    """As `_seeing`, before any scope is open."""
    with scope.enter(within):
        return _seeing(gateway, within, entity_id)
