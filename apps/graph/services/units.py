"""The present state of items and episodes, as far as the graph follows from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from apps.resources.selectors import BELIEVED_FROM
from apps.tenants import selectors as tenants
from memory_platform.knowledge.graph import Node, NodeKind
from memory_platform.model import Audience, Role, Visibility
from memory_platform.text.redaction import redact
from memory_platform.text.terms import is_name


@dataclass(frozen=True, slots=True)
class Unit:
    """An item or an episode that can be recalled, and when it holds.

    `names` are those an extractor found in an item. `resource_id` is the episode an item first came from; `speaker`
    who said it by name, `role` as what, `language` in which. `is_asserted`: nobody merely asks, supposes, wishes,
    orders or reports it.
    `previous` is the episode said just before, of the same audience.
    """

    node: Node
    audience: Audience
    text: str
    names: tuple[str, ...]
    confidence: float
    event_time: datetime
    valid_from: datetime
    valid_until: datetime | None
    recorded_at: datetime
    retracted_at: datetime | None
    resource_id: UUID | None
    speaker: str | None
    role: Role
    language: str | None = None
    is_asserted: bool = True
    previous: UUID | None = None


# Held items wait for review, merged wordings are found through their item, forgotten ones are gone.
LIVE_ITEM = "{item}.verdict = 'allow' AND {item}.status <> 'deleted' AND {item}.status_reason <> 'merged'"
# What is forgotten as a whole is suppressed without naming a claim.
LIVE_EPISODE = (
    "NOT EXISTS (SELECT FROM memory_suppression gone WHERE gone.tenant_id = {episode}.tenant_id"
    " AND gone.resource_id = {episode}.id AND gone.claim_hash = '')"
)

SOURCE = (
    "coalesce((SELECT s.resource_id FROM memory_item_source s WHERE s.tenant_id = {mention}.tenant_id"
    " AND s.item_id = {mention}.unit_id ORDER BY s.id LIMIT 1), {mention}.unit_id)"
)
"""The message a mention comes from: an item and its episode say a name once."""

_LIVE = f"""
SELECT 'item', i.id FROM memory_item i
WHERE i.tenant_id = %(tenant)s AND i.id = ANY(%(items)s) AND {LIVE_ITEM.format(item="i")}
UNION ALL
SELECT 'episode', r.id FROM resources_resource r
WHERE r.tenant_id = %(tenant)s AND r.id = ANY(%(episodes)s) AND {LIVE_EPISODE.format(episode="r")}
"""  # noqa: S608  constants only
_ITEMS = f"""
SELECT i.id, i.agent_id, i.user_id, i.visibility, i.text, i.entity_names, i.confidence, i.event_time, i.valid_from,
       i.valid_until, i.recorded_at, i.retracted_at, i.mood = 'asserted' AND i.reported_by = '', i.language, said.id,
       coalesce(nullif(i.said_by, ''), said.speaker), said.role
FROM memory_item i
LEFT JOIN LATERAL (
    SELECT r.id, r.speaker, r.role FROM memory_item_source s
    JOIN resources_resource r ON r.tenant_id = s.tenant_id AND r.id = s.resource_id
    WHERE s.tenant_id = i.tenant_id AND s.item_id = i.id ORDER BY s.id LIMIT 1
) said ON true
WHERE i.tenant_id = %s AND i.id = ANY(%s) AND {LIVE_ITEM.format(item="i")}
"""  # noqa: S608  constants only
_EPISODES = f"""
SELECT r.id, r.agent_id, r.user_id, r.visibility, r.raw_content, r.content_at, {BELIEVED_FROM.format(episode="r")},
       r.speaker, r.role, before.id
FROM resources_resource r
LEFT JOIN resources_resource before ON before.tenant_id = r.tenant_id AND before.session_id = r.session_id
    AND before.ordinal = r.ordinal - 1 AND before.agent_id = r.agent_id AND before.visibility = r.visibility
    AND before.user_id IS NOT DISTINCT FROM r.user_id
WHERE r.tenant_id = %s AND r.id = ANY(%s) AND {LIVE_EPISODE.format(episode="r")}
"""  # noqa: S608  constants only


def audiences(tenant_id: UUID, item_ids: Sequence[UUID], resource_ids: Sequence[UUID]) -> set[Audience]:
    """Whose the units are, forgotten ones included: what to lock before they are read."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT agent_id, user_id, visibility FROM memory_item WHERE tenant_id = %(tenant)s AND id = ANY(%(items)s)"
            " UNION SELECT agent_id, user_id, visibility FROM resources_resource"
            " WHERE tenant_id = %(tenant)s AND id = ANY(%(resources)s)",
            {"tenant": tenant_id, "items": list(item_ids), "resources": list(resource_ids)},
        )
        return {_audience(*row) for row in cursor.fetchall()}


def live(tenant_id: UUID, nodes: Iterable[Node]) -> set[Node]:
    """Those of the nodes that are entities, or units that can be read and are not forgotten."""
    wanted = set(nodes)
    values: dict[str, Any] = {
        "tenant": tenant_id,
        "items": [node.id for node in wanted if node.kind is NodeKind.ITEM],
        "episodes": [node.id for node in wanted if node.kind is NodeKind.EPISODE],
    }
    with connection.cursor() as cursor:
        cursor.execute(_LIVE, values)
        units = {Node(NodeKind(kind), unit_id) for kind, unit_id in cursor.fetchall()}
    return units | {node for node in wanted if node.kind is NodeKind.ENTITY}


def items(tenant_id: UUID, item_ids: Sequence[UUID]) -> list[Unit]:
    """Those of the items that can be recalled, superseded ones included."""
    if not item_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_ITEMS, [tenant_id, list(item_ids)])
        return [_item(row) for row in cursor.fetchall()]


def episodes(tenant_id: UUID, resource_ids: Sequence[UUID]) -> list[Unit]:
    """Those of the episodes that are not forgotten, their texts free of secrets."""
    if not resource_ids:
        return []
    hides = tenants.policy(tenant_id).keep_raw_secrets
    with connection.cursor() as cursor:
        cursor.execute(_EPISODES, [tenant_id, list(resource_ids)])
        return [_episode(row, hides=hides) for row in cursor.fetchall()]


def _item(row: tuple[Any, ...]) -> Unit:
    (
        item_id,
        agent_id,
        user_id,
        visibility,
        text,
        names,
        confidence,
        event_time,
        *times,
        asserted,
        language,
        resource_id,
        speaker,
        role,
    ) = row
    valid_from, valid_until, recorded_at, retracted_at = times
    return Unit(
        node=Node(NodeKind.ITEM, item_id),
        audience=_audience(agent_id, user_id, visibility),
        text=text,
        names=tuple(names),
        confidence=confidence,
        event_time=event_time,
        valid_from=valid_from,
        valid_until=valid_until,
        recorded_at=recorded_at,
        retracted_at=retracted_at,
        resource_id=resource_id,
        speaker=_named(speaker),
        role=Role(role or Role.USER),
        language=language or None,
        is_asserted=asserted,
    )


def _episode(row: tuple[Any, ...], *, hides: bool) -> Unit:
    resource_id, agent_id, user_id, visibility, content, said_at, believed_from, speaker, role, previous = row
    return Unit(
        node=Node(NodeKind.EPISODE, resource_id),
        audience=_audience(agent_id, user_id, visibility),
        text=redact(content).text if hides else content,
        names=(),
        confidence=1.0,
        event_time=said_at,
        valid_from=said_at,
        valid_until=None,
        recorded_at=believed_from,
        retracted_at=None,
        resource_id=resource_id,
        speaker=_named(speaker),
        role=Role(role),
        previous=previous,
    )


def _named(speaker: str | None) -> str | None:
    return speaker if is_name(speaker) else None


def _audience(agent_id: UUID, user_id: str | None, visibility: str) -> Audience:
    return Audience(agent_id, user_id, Visibility(visibility))
