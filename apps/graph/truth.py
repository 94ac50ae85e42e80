"""The graph as the truth tables have it: which rows are its nodes and edges, said once for whoever copies or counts.

Needs an open scope with the tenant's reach.
"""
# ruff: noqa: S608  the statements are constants, every value is a parameter

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.graph.services.units import LIVE_EPISODE, LIVE_ITEM
from apps.resources.selectors import BELIEVED_FROM
from memory_platform.knowledge.graph import (
    SAID,
    Edge,
    EntityType,
    GraphEdge,
    GraphNode,
    Node,
    NodeKind,
    RelationKind,
    Stamp,
    weight_of,
)
from memory_platform.model import Visibility

ALWAYS: Final = datetime(1, 1, 1, tzinfo=UTC)
"""Since when entities are there: they have no time of their own, what mentions them has."""
ROWS_AT_ONCE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Branch:
    """One source of edges: a SELECT of `key, kind, start, end, predicate, confidence, evidence, audience, times`, and
    the conditions that pick the edges of some units, or those that tie some entities to each other.
    """

    select: str
    of_units: str
    of_entities: str | None = None


def _times(row: str) -> str:
    return f"{row}.valid_from, {row}.valid_until, {row}.recorded_at, {row}.retracted_at"


def _audience(row: str) -> str:
    return f"{row}.agent_id, {row}.user_id, {row}.visibility"


def _live_item(row: str) -> str:
    return LIVE_ITEM.format(item=row)


def _live_episode(row: str) -> str:
    return LIVE_EPISODE.format(episode=row)


_ENDS_LIVE = " AND ".join(
    f"(r.{end}_unit <> 'episode' OR EXISTS (SELECT FROM resources_resource e WHERE e.tenant_id = r.tenant_id"
    f" AND e.id = r.{end}_unit_id AND {_live_episode('e')}))"
    f" AND (r.{end}_unit <> 'item' OR EXISTS (SELECT FROM memory_item i WHERE i.tenant_id = r.tenant_id"
    f" AND i.id = r.{end}_unit_id AND {_live_item('i')}))"
    for end in ("from", "to")
)

EDGES: Final = (
    Branch(
        "SELECT 'mention:' || m.id, 'mentions', m.unit, m.unit_id, 'entity', m.entity_id,"
        f" CASE WHEN m.is_speaker THEN '{SAID}' ELSE '' END, 1.0, m.unit_id,"
        f" {_audience('m')}, {_times('m')} FROM graph_mention m WHERE m.tenant_id = %(tenant)s",
        of_units="m.unit_id = ANY(%(units)s)",
    ),
    # What ties two entities: a fact, a lasting relation, or a cause whose halves both name something.
    Branch(
        "SELECT 'relation:' || r.id, r.kind, 'entity', r.subject_id, 'entity', r.object_id, r.predicate, r.confidence,"
        f" r.unit_id, {_audience('r')}, {_times('r')} FROM graph_relation r WHERE r.tenant_id = %(tenant)s"
        " AND NOT r.negated AND r.subject_id IS NOT NULL AND r.object_id IS NOT NULL",
        of_units="r.unit_id = ANY(%(units)s)",
        of_entities="(r.subject_id = ANY(%(entities)s) OR r.object_id = ANY(%(entities)s))",
    ),
    Branch(
        "SELECT 'cause:' || r.id, r.kind, r.from_unit, r.from_unit_id, r.to_unit, r.to_unit_id, r.predicate,"
        f" r.confidence, r.unit_id, {_audience('r')}, {_times('r')} FROM graph_relation r"
        " WHERE r.tenant_id = %(tenant)s AND r.from_unit_id IS NOT NULL"
        f" AND r.to_unit_id IS NOT NULL AND {_ENDS_LIVE}",
        of_units="(r.unit_id = ANY(%(units)s) OR r.from_unit_id = ANY(%(units)s) OR r.to_unit_id = ANY(%(units)s))",
    ),
    Branch(
        "SELECT 'next:' || e.id, 'temporal', 'episode', b.id, 'episode', e.id, '', 1.0, NULL::uuid,"
        f" {_audience('e')}, e.content_at, NULL::timestamptz, {BELIEVED_FROM.format(episode='e')}, NULL::timestamptz"
        " FROM resources_resource e JOIN resources_resource b ON b.tenant_id = e.tenant_id"
        " AND b.session_id = e.session_id AND b.ordinal = e.ordinal - 1 AND b.agent_id = e.agent_id"
        " AND b.visibility = e.visibility AND b.user_id IS NOT DISTINCT FROM e.user_id"
        f" WHERE e.tenant_id = %(tenant)s AND {_live_episode('e')} AND {_live_episode('b')}",
        of_units="(e.id = ANY(%(units)s) OR b.id = ANY(%(units)s))",
    ),
    Branch(
        "SELECT 'source:' || s.id, 'derived_from', 'item', i.id, 'episode', e.id, '', 1.0, i.id,"
        f" {_audience('i')}, {_times('i')} FROM memory_item_source s"
        " JOIN memory_item i ON i.tenant_id = s.tenant_id AND i.id = s.item_id"
        " JOIN resources_resource e ON e.tenant_id = s.tenant_id AND e.id = s.resource_id"
        f" WHERE s.tenant_id = %(tenant)s AND {_live_item('i')} AND {_live_episode('e')}",
        of_units="(s.item_id = ANY(%(units)s) OR s.resource_id = ANY(%(units)s))",
    ),
    Branch(
        "SELECT 'link:' || l.id, l.kind, 'item', f.id, 'item', t.id, '', 1.0, f.id,"
        f" {_audience('f')}, f.valid_from, f.valid_until, l.created_at, l.closed_at FROM memory_item_link l"
        " JOIN memory_item f ON f.tenant_id = l.tenant_id AND f.id = l.from_item_id"
        " JOIN memory_item t ON t.tenant_id = l.tenant_id AND t.id = l.to_item_id"
        " WHERE l.tenant_id = %(tenant)s AND l.kind IN ('supersedes', 'contradicts')"
        f" AND {_live_item('f')} AND {_live_item('t')}",
        of_units="(l.from_item_id = ANY(%(units)s) OR l.to_item_id = ANY(%(units)s))",
    ),
)

_ENTITIES = (
    f"SELECT n.id, {_audience('n')}, n.canonical_name, n.name_key, n.type, n.mention_count FROM graph_entity n"
    " WHERE n.tenant_id = %(tenant)s"
)
_UNITS: Final = {
    NodeKind.ITEM: f"SELECT n.id, {_audience('n')}, {_times('n')} FROM memory_item n"
    f" WHERE n.tenant_id = %(tenant)s AND {_live_item('n')}",
    NodeKind.EPISODE: f"SELECT n.id, {_audience('n')}, n.content_at, NULL, {BELIEVED_FROM.format(episode='n')}, NULL"
    f" FROM resources_resource n WHERE n.tenant_id = %(tenant)s AND {_live_episode('n')}",
}


def nodes(tenant_id: UUID, wanted: Sequence[Node]) -> list[GraphNode]:
    """Those of the nodes that are there."""
    found: list[GraphNode] = []
    for kind in NodeKind:
        ids = [node.id for node in wanted if node.kind is kind]
        if ids:
            found += _nodes(kind, f"{_select(kind)} AND n.id = ANY(%(ids)s)", {"tenant": tenant_id, "ids": ids})
    return found


def nodes_after(tenant_id: UUID, kind: NodeKind, after: UUID, *, limit: int) -> list[GraphNode]:
    """The next nodes of a kind by id."""
    text = f"{_select(kind)} AND n.id > %(after)s ORDER BY n.id LIMIT %(limit)s"
    return _nodes(kind, text, {"tenant": tenant_id, "after": after, "limit": limit})


def edges_of(tenant_id: UUID, wanted: Sequence[Node]) -> list[GraphEdge]:
    """The edges that touch these units or rest on them, and those that tie these entities to others."""
    values = {
        "tenant": tenant_id,
        "units": [node.id for node in wanted if node.kind is not NodeKind.ENTITY],
        "entities": [node.id for node in wanted if node.kind is NodeKind.ENTITY],
    }
    found: dict[str, GraphEdge] = {}
    for branch in EDGES:
        conditions = [branch.of_units] if values["units"] else []
        conditions += [branch.of_entities] if branch.of_entities and values["entities"] else []
        if conditions:
            rows = _fetch(f"{branch.select} AND ({' OR '.join(conditions)})", values)
            found.update((edge.key, edge) for edge in _edges(tenant_id, rows))
    return list(found.values())


def every_node(tenant_id: UUID) -> Iterator[GraphNode]:
    """All of the tenant's, read in pages."""
    for kind in NodeKind:
        after = UUID(int=0)
        while page := nodes_after(tenant_id, kind, after, limit=ROWS_AT_ONCE):
            yield from page
            after = page[-1].node.id


def every_edge(tenant_id: UUID) -> Iterator[GraphEdge]:
    """All of the tenant's, a branch at a time."""
    for branch in EDGES:
        with connection.chunked_cursor() as cursor:
            cursor.execute(branch.select, {"tenant": tenant_id})
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                yield from _edges(tenant_id, rows)


def _select(kind: NodeKind) -> str:
    return _ENTITIES if kind is NodeKind.ENTITY else _UNITS[kind]


def _fetch(text: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _nodes(kind: NodeKind, text: str, values: Mapping[str, Any]) -> list[GraphNode]:
    make = _entity if kind is NodeKind.ENTITY else _unit
    return [make(values["tenant"], kind, row) for row in _fetch(text, values)]


def _entity(tenant_id: UUID, kind: NodeKind, row: tuple[Any, ...]) -> GraphNode:
    entity_id, agent_id, user_id, visibility, name, name_key, entity_type, mentions = row
    stamp = Stamp(tenant_id, agent_id, user_id, Visibility(visibility), ALWAYS, None, ALWAYS, None)
    return GraphNode(Node(kind, entity_id), stamp, name, name_key, EntityType(entity_type), mentions)


def _unit(tenant_id: UUID, kind: NodeKind, row: tuple[Any, ...]) -> GraphNode:
    unit_id, agent_id, user_id, visibility, *times = row
    return GraphNode(Node(kind, unit_id), Stamp(tenant_id, agent_id, user_id, Visibility(visibility), *times))


def _edges(tenant_id: UUID, rows: Sequence[tuple[Any, ...]]) -> Iterator[GraphEdge]:
    for key, kind, start, start_id, end, end_id, predicate, confidence, evidence, *stamp in rows:
        agent_id, user_id, visibility, valid_from, valid_until, recorded_at, retracted_at = stamp
        relation = RelationKind(kind)
        edge = Edge(
            kind=relation,
            start=Node(NodeKind(start), start_id),
            end=Node(NodeKind(end), end_id),
            predicate=predicate,
            weight=weight_of(relation, predicate),
            confidence=float(confidence),
            valid_from=valid_from,
            valid_until=valid_until,
            evidence=evidence,
        )
        own = Stamp(
            tenant_id, agent_id, user_id, Visibility(visibility), valid_from, valid_until, recorded_at, retracted_at
        )
        yield GraphEdge(key, edge, own)
