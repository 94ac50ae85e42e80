"""Entities by id or name, and their curation: a name that stands for two, two names that stand for one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.graph import selectors as graph
from apps.graph import services as graph_services
from apps.graph.results import EntityProfile, PathStep
from memory_platform.errors import Invalid, NotFound
from memory_platform.knowledge.graph import MAXIMUM_DEPTH

MERGED_AT_ONCE = 20
NAMES_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class PathRequest:
    """What is asked about two entities: how they are connected within `max_depth` hops, as of a time (None: now)."""

    start: UUID
    end: UUID
    max_depth: int = MAXIMUM_DEPTH
    as_of: datetime | None = None


def profile(entity_id: UUID | None, name: str | None, as_of: datetime | None) -> EntityProfile | None:
    """Raises Invalid unless exactly one of id and name is given."""
    if (entity_id is None) == (name is None):
        raise Invalid("Say which entity: its id or its name, one of them.", field="id")
    if name is not None and not name.strip():
        raise Invalid("The name is empty.", field="name")
    return graph.entity(entity_id=entity_id, name=name, as_of=as_of)


def path(way: PathRequest) -> tuple[PathStep, ...] | None:
    """Raises NotFound for an entity the caller cannot see."""
    return graph.path(way.start, way.end, max_depth=way.max_depth, as_of=way.as_of)


def merge(into: UUID, from_ids: Sequence[UUID], *, within: Scope, curates: bool) -> EntityProfile:
    """Merge entities the caller can see and return what became of them, as the caller sees it.

    Called without an open scope. `curates`: the caller may change what all agents share.
    """
    _require_seen([into, *from_ids], within)
    with scope.enter(_changing(within, curates=curates)):
        merged = graph_services.merge_entities(into, from_ids)
    return _seen(merged.id, within)


def split(entity_id: UUID, aliases: Sequence[str], *, within: Scope, curates: bool) -> EntityProfile:
    """Split names off an entity the caller can see; returns the entity they have now. Called without an open scope."""
    _require_seen([entity_id], within)
    with scope.enter(_changing(within, curates=curates)):
        split_off = graph_services.split_entity(entity_id, aliases)
    return _seen(split_off.id, within)


def _changing(within: Scope, *, curates: bool) -> Scope:
    """Shared entities belong to no agent: whoever curates acts for the tenant, on what it could see before."""
    return Scope(within.tenant_id, None, Reach.TENANT, within.whose) if curates else within


def _require_seen(entity_ids: Sequence[UUID], within: Scope) -> None:
    with scope.enter(within):
        if not all(graph.entity(entity_id=entity_id) for entity_id in entity_ids):
            raise NotFound("There is no such entity.", field="id")


def _seen(entity_id: UUID, within: Scope) -> EntityProfile:
    with scope.enter(within):
        found = graph.entity(entity_id=entity_id)
    if found is None:
        raise NotFound("The entity is no longer there.", field="id")
    return found
