"""Giving names another entity; their mentions and relations follow, because each knows by which name it came."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from django.db import connection

from apps.core import rows
from apps.graph.services.units import SOURCE


def move(tenant_id: UUID, entities: Mapping[UUID, UUID]) -> None:
    """Move each alias to its entity, with the mentions and relations under it, and count again on both sides."""
    moves = rows.recordset([{"alias": alias_id, "entity": entity_id} for alias_id, entity_id in entities.items()])
    before = _entities_of(tenant_id, list(entities))
    for statement in _STATEMENTS:
        with connection.cursor() as cursor:
            cursor.execute(_MOVES + statement, {"moves": moves, "tenant": tenant_id, "before": before})
    recount(tenant_id, {*before, *entities.values()})


def recount(tenant_id: UUID, entity_ids: Iterable[UUID]) -> None:
    """Set mention count, first and last sight of entities and their names from their mentions, a
    message counted once.
    """
    wanted = list(entity_ids)
    if not wanted:
        return
    with connection.cursor() as cursor:
        cursor.execute(_RECOUNT, {"tenant": tenant_id, "ids": wanted})
        cursor.execute(_RECOUNT_NAMES, {"tenant": tenant_id, "ids": wanted})


def _entities_of(tenant_id: UUID, alias_ids: list[UUID]) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT entity_id FROM graph_alias WHERE tenant_id = %s AND id = ANY(%s)", [tenant_id, alias_ids]
        )
        return [row[0] for row in cursor.fetchall()]


_MOVES = "WITH moved AS (SELECT * FROM jsonb_to_recordset(%(moves)s::jsonb) AS m (alias uuid, entity uuid)) "
_STATEMENTS = (
    """UPDATE graph_alias a SET entity_id = moved.entity FROM moved
       WHERE a.tenant_id = %(tenant)s AND a.id = moved.alias""",
    """UPDATE graph_mention m SET entity_id = moved.entity FROM moved
       WHERE m.tenant_id = %(tenant)s AND m.entity_id = ANY(%(before)s) AND m.alias_id = moved.alias""",
    """UPDATE graph_relation r SET subject_id = moved.entity FROM moved
       WHERE r.tenant_id = %(tenant)s AND r.subject_id = ANY(%(before)s) AND r.subject_alias_id = moved.alias""",
    """UPDATE graph_relation r SET object_id = moved.entity FROM moved
       WHERE r.tenant_id = %(tenant)s AND r.object_id = ANY(%(before)s) AND r.object_alias_id = moved.alias""",
)
_MESSAGE = SOURCE.format(mention="m")
_RECOUNT = f"""
UPDATE graph_entity e SET mention_count = counted.mentions, first_seen_at = counted.first, last_seen_at = counted.last
FROM (
    SELECT wanted.id,
        count(DISTINCT {_MESSAGE}) FILTER (WHERE m.id IS NOT NULL) AS mentions,
        min(m.event_time) AS first, max(m.event_time) AS last
    FROM unnest(%(ids)s::uuid[]) AS wanted (id)
    LEFT JOIN graph_mention m ON m.tenant_id = %(tenant)s AND m.entity_id = wanted.id GROUP BY wanted.id
) counted
WHERE e.tenant_id = %(tenant)s AND e.id = counted.id
"""  # noqa: S608  constants only
_RECOUNT_NAMES = f"""
UPDATE graph_alias a SET mention_count = (
    SELECT count(DISTINCT {_MESSAGE}) FROM graph_mention m
    WHERE m.tenant_id = a.tenant_id AND m.entity_id = a.entity_id AND m.alias_id = a.id
)
WHERE a.tenant_id = %(tenant)s AND a.entity_id = ANY(%(ids)s)
"""  # noqa: S608  constants only
