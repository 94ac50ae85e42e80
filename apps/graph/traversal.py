"""The statements with which SQL walks the graph: one a hop, over stored relations and what other tables imply.

Row-level security decides who reads; the tenant is named as a literal beside it, for the planner. Whoever is reached
over a row that knows nothing of the reader is looked up.
"""
# ruff: noqa: S608  every statement is made of constants

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from apps.core.sql import statement
from memory_platform.knowledge.graph import RelationKind

MESSAGE = (
    "coalesce((SELECT o.resource_id FROM memory_origin o WHERE o.tenant_id = {mention}.tenant_id"
    " AND o.item_id = {mention}.unit_id ORDER BY o.id LIMIT 1), {mention}.unit_id)"
)
"""SQL for the message a mention comes from: an item and its episode say a name once."""

_ALL_KINDS = frozenset(RelationKind)
_STORED = (RelationKind.ENTITY, RelationKind.FACT, RelationKind.CAUSAL)
_LINKED = (RelationKind.SUPERSEDES, RelationKind.CONTRADICTS)


@dataclass(frozen=True, slots=True)
class Frontier:
    """What a hop starts from, by kind, and which relations it follows."""

    has_entities: bool
    has_items: bool
    has_episodes: bool
    kinds: Collection[RelationKind] = _ALL_KINDS


def holds(table: str) -> str:
    """SQL for: the row is believed and true at the moment asked about."""
    return (
        f"{table}.tenant_id = %(tenant)s"
        f" AND {table}.recorded_at <= %(believed)s"
        f" AND ({table}.retracted_at IS NULL OR {table}.retracted_at > %(believed)s)"
        f" AND {table}.valid_from <= %(true)s AND ({table}.valid_until IS NULL OR {table}.valid_until > %(true)s)"
    )


def was_said(table: str) -> str:
    """SQL for: the message was captured and said by the moment asked about."""
    return f"{table}.tenant_id = %(tenant)s AND {table}.recorded_at <= %(believed)s AND {table}.said_at <= %(true)s"


def hop(frontier: Frontier) -> str:
    """The neighbours of %(entities)s, %(items)s and %(episodes)s that are not among %(found)s, %(most)s at most.

    Columns: kind, id, via (the node it is reached from), since (when it is valid from), and for entities, one of each
    name: ids (all readable ones of the name, the smallest first), mentions, label. Of an entity's units the newest are
    looked at. Empty when there is nowhere to go.
    """
    branches = " UNION ALL ".join(_branches(frontier))
    if not branches:
        return ""
    return statement("graph", "hop").format(branches=branches)


def _branches(frontier: Frontier) -> Iterator[str]:
    kinds = frozenset(frontier.kinds)
    stored = sorted(kind.value for kind in kinds.intersection(_STORED))
    if frontier.has_entities:
        if RelationKind.MENTIONS in kinds:
            yield _units_of_entities()
        if stored:
            yield from _entities_of_entities(stored)
    if (frontier.has_items or frontier.has_episodes) and RelationKind.MENTIONS in kinds:
        yield _entities_of_units()
    if (frontier.has_items or frontier.has_episodes) and RelationKind.CAUSAL in kinds:
        yield from _causes_and_effects()
    if frontier.has_episodes and RelationKind.TEMPORAL in kinds:
        yield _next_to_episodes()
    if RelationKind.DERIVED_FROM in kinds:
        yield from _sources(frontier)
    if frontier.has_items and not kinds.isdisjoint(_LINKED):
        yield from _links(sorted(kind.value for kind in kinds.intersection(_LINKED)))


def _units_of_entities() -> str:
    return f"""
    SELECT m.unit AS kind, m.unit_id AS id, e.id AS via, m.valid_from AS since
    FROM unnest(%(entities)s::uuid[]) AS e (id)
    CROSS JOIN LATERAL (
        SELECT m.unit, m.unit_id, m.valid_from FROM graph_mention m
        WHERE m.entity_id = e.id AND {holds("m")} AND m.unit_id <> ALL(%(found)s::uuid[])
        ORDER BY m.valid_from DESC LIMIT %(most)s
    ) m"""


def _entities_of_entities(kinds: list[str]) -> Iterator[str]:
    for start, end in (("subject", "object"), ("object", "subject")):
        yield f"""
    SELECT 'entity', r.other, e.id, NULL::timestamptz FROM unnest(%(entities)s::uuid[]) AS e (id)
    CROSS JOIN LATERAL (
        SELECT r.{end}_id AS other FROM graph_relation r
        WHERE r.{start}_id = e.id AND r.{end}_id IS NOT NULL AND {holds("r")} AND NOT r.negated
            AND {_STANDS} AND r.kind IN ({_quoted(kinds)}) LIMIT %(most)s
    ) r"""


# A forgotten item states nothing, even before the graph has heard of it.
_STANDS = (
    "(r.unit <> 'item' OR EXISTS (SELECT FROM memory_live_item stated WHERE stated.tenant_id = r.tenant_id"
    " AND stated.id = r.unit_id))"
)


def _entities_of_units() -> str:
    return f"""
    SELECT 'entity', m.entity_id, m.unit_id, NULL::timestamptz FROM graph_mention m
    WHERE m.unit_id = ANY(%(units)s::uuid[]) AND {holds("m")}"""


def _causes_and_effects() -> Iterator[str]:
    for start, end in (("from", "to"), ("to", "from")):
        yield f"""
    SELECT r.{end}_unit, r.{end}_unit_id, r.{start}_unit_id, coalesce(i.valid_from, p.said_at) FROM graph_relation r
    LEFT JOIN memory_live_item i ON r.{end}_unit = 'item' AND i.id = r.{end}_unit_id AND {holds("i")}
    LEFT JOIN resources_episode p ON r.{end}_unit = 'episode' AND p.id = r.{end}_unit_id
        AND {was_said("p")}
    WHERE r.{start}_unit_id = ANY(%(units)s::uuid[]) AND r.kind = 'causal' AND {holds("r")}
        AND (i.id IS NOT NULL OR p.id IS NOT NULL)"""


def _next_to_episodes() -> str:
    return f"""
    SELECT 'episode', n.id, p.id, n.said_at FROM resources_episode p
    JOIN resources_episode n ON n.session_id = p.session_id AND n.ordinal IN (p.ordinal - 1, p.ordinal + 1)
        AND {_SAME_AUDIENCE} AND {was_said("n")}
    WHERE p.tenant_id = %(tenant)s AND p.id = ANY(%(episodes)s::uuid[])"""


def _sources(frontier: Frontier) -> Iterator[str]:
    if frontier.has_items:
        yield f"""
    SELECT 'episode', p.id, s.item_id, p.said_at FROM memory_origin s
    JOIN resources_episode p ON p.id = s.resource_id AND {was_said("p")}
    WHERE s.tenant_id = %(tenant)s AND s.item_id = ANY(%(items)s::uuid[])"""
    if frontier.has_episodes:
        yield f"""
    SELECT 'item', i.id, s.resource_id, i.valid_from FROM memory_origin s
    JOIN memory_live_item i ON i.id = s.item_id AND {holds("i")}
    WHERE s.tenant_id = %(tenant)s AND s.resource_id = ANY(%(episodes)s::uuid[])"""


def _links(kinds: list[str]) -> Iterator[str]:
    for start, end in (("from", "to"), ("to", "from")):
        yield f"""
    SELECT 'item', i.id, l.{start}_item_id, i.valid_from FROM memory_link l
    JOIN memory_live_item i ON i.id = l.{end}_item_id AND {holds("i")}
    WHERE l.tenant_id = %(tenant)s AND l.{start}_item_id = ANY(%(items)s::uuid[]) AND l.kind IN ({_quoted(kinds)})
        AND {_LINK_HOLDS}"""


_LINK_HOLDS = "l.created_at <= %(believed)s AND (l.closed_at IS NULL OR l.closed_at > %(believed)s)"


_SAME_AUDIENCE = "n.agent_id = p.agent_id AND n.visibility = p.visibility AND n.user_id IS NOT DISTINCT FROM p.user_id"


def namesakes() -> str:
    """The readable entities of these ones' names. Columns: name_key, ids (smallest first), mentions, label."""
    return """
    SELECT e.name_key, array_agg(e.id ORDER BY e.id), sum(e.mention_count),
        (array_agg(e.canonical_name ORDER BY e.id))[1]
    FROM graph_entity e WHERE e.tenant_id = %(tenant)s AND e.name_key IN (
        SELECT n.name_key FROM graph_entity n
        WHERE n.tenant_id = %(tenant)s AND n.id = ANY(%(entities)s::uuid[])
    ) GROUP BY e.name_key"""


def live_units() -> str:
    """Which of %(items)s and %(episodes)s can be read. Columns: kind, id, since."""
    return f"""
    SELECT 'item', i.id, i.valid_from FROM memory_live_item i
    WHERE i.id = ANY(%(items)s::uuid[]) AND {holds("i")}
    UNION ALL
    SELECT 'episode', p.id, p.said_at FROM memory_live_episode p
    WHERE p.id = ANY(%(episodes)s::uuid[]) AND {was_said("p")}"""


def edges(kinds: Collection[RelationKind]) -> str:
    """All edges that have both ends among %(nodes)s, the ends as places in it (from 1): ids would cost more to read.

    Columns: kind, start, end, predicate, confidence, valid_from, valid_until, evidence (null for a mention, whose unit
    it is). Rows of kind `live` are no edges: they name the units that can be read.
    """
    branches = " UNION ALL ".join(_edge_branches(frozenset(kinds)))
    return f"""
    WITH node AS MATERIALIZED (
        SELECT id, place::integer FROM unnest(%(nodes)s::uuid[]) WITH ORDINALITY AS n (id, place)
    ) {branches}"""


def _edge_branches(kinds: frozenset[RelationKind]) -> Iterator[str]:
    stored = sorted(kind.value for kind in kinds.intersection(_STORED))
    yield f"""
    SELECT 'live', a.place, a.place, '', 1.0::float, NULL::float, NULL::float, NULL::uuid FROM node a
    JOIN memory_live_item i ON i.id = a.id AND {holds("i")}"""
    yield f"""
    SELECT 'live', a.place, a.place, '', 1.0::float, NULL::float, NULL::float, NULL::uuid FROM node a
    JOIN memory_live_episode p ON p.id = a.id AND {was_said("p")}"""
    if RelationKind.MENTIONS in kinds:
        yield f"""
    SELECT 'mentions', a.place, b.place, CASE WHEN m.is_speaker THEN 'said' ELSE '' END, 1.0::float,
        {_period("m")}, NULL::uuid FROM node a
    JOIN graph_mention m ON m.unit_id = a.id AND {holds("m")} JOIN node b ON b.id = m.entity_id"""
    if stored:
        yield _stored_edges("subject", "object", stored, _STANDS)
    if RelationKind.CAUSAL in kinds:
        yield _stored_edges("from_unit", "to_unit", [RelationKind.CAUSAL.value])
    if RelationKind.TEMPORAL in kinds:
        yield f"""
    SELECT 'temporal', a.place, b.place, '', 1.0::float, {_epoch("n.said_at")}, NULL::float, NULL::uuid FROM node a
    JOIN resources_episode p ON p.tenant_id = %(tenant)s AND p.id = a.id
    JOIN resources_episode n ON n.tenant_id = p.tenant_id AND n.session_id = p.session_id AND n.ordinal = p.ordinal + 1
        AND {_SAME_AUDIENCE}
    JOIN node b ON b.id = n.id"""
    if RelationKind.DERIVED_FROM in kinds:
        yield f"""
    SELECT 'derived_from', a.place, b.place, '', 1.0::float, {_period("i")}, i.id FROM node a
    JOIN memory_origin s ON s.tenant_id = %(tenant)s AND s.item_id = a.id
    JOIN memory_live_item i ON i.tenant_id = s.tenant_id AND i.id = s.item_id JOIN node b ON b.id = s.resource_id"""
    linked = sorted(kind.value for kind in kinds.intersection(_LINKED))
    if linked:
        yield f"""
    SELECT l.kind::text, a.place, b.place, '', 1.0::float, {_period("i")}, i.id FROM node a
    JOIN memory_link l ON l.tenant_id = %(tenant)s AND l.from_item_id = a.id AND l.kind IN ({_quoted(linked)})
        AND {_LINK_HOLDS}
    JOIN memory_live_item i ON i.tenant_id = l.tenant_id AND i.id = l.from_item_id JOIN node b ON b.id = l.to_item_id"""


def _stored_edges(start: str, end: str, kinds: list[str], also: str = "true") -> str:
    return f"""
    SELECT r.kind::text, a.place, b.place, r.predicate::text, r.confidence, {_period("r")}, r.unit_id
    FROM node a JOIN graph_relation r ON r.{start}_id = a.id AND NOT r.negated AND r.kind IN ({_quoted(kinds)})
        AND {holds("r")} AND {also}
    JOIN node b ON b.id = r.{end}_id"""


def _period(row: str) -> str:
    return f"{_epoch(f'{row}.valid_from')}, {_epoch(f'{row}.valid_until')}"


def _epoch(column: str) -> str:
    """Seconds since 1970, exact to the microsecond: a time with its zone costs ten times as much to read."""
    return f"extract(epoch FROM {column})::float"


def _quoted(values: Collection[str]) -> str:
    return ", ".join(f"'{value}'" for value in values)
