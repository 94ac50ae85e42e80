"""Giving names another entity; their mentions and relations follow, because each knows by which name it came."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from django.db import connection

from apps.core import rows
from apps.core.sql import statement


def move(tenant_id: UUID, entities: Mapping[UUID, UUID]) -> None:
    """Move each alias to its entity, with the mentions and relations under it, and count again on both sides."""
    moves = rows.recordset([{"alias": alias_id, "entity": entity_id} for alias_id, entity_id in entities.items()])
    before = _entities_of(tenant_id, list(entities))
    for change in _STATEMENTS:
        with connection.cursor() as cursor:
            cursor.execute(_MOVES + change, {"moves": moves, "tenant": tenant_id, "before": before})
    recount(tenant_id, {*before, *entities.values()})


def recount(tenant_id: UUID, entity_ids: Iterable[UUID]) -> None:
    """Set mention count, first and last sight of entities and their names from their mentions, a
    message counted once.
    """
    wanted = list(entity_ids)
    if not wanted:
        return
    with connection.cursor() as cursor:
        cursor.execute(statement("graph", "recount_entities"), {"tenant": tenant_id, "ids": wanted})
        cursor.execute(statement("graph", "recount_aliases"), {"tenant": tenant_id, "ids": wanted})


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
