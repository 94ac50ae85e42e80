"""The present state of items and episodes, as far as the graph follows from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core.sql import statement
from apps.memory import cold
from apps.memory import selectors as memory
from apps.resources import selectors as resources
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.knowledge.graph import Node, NodeKind
from memory_platform.model import Audience, Role, Visibility
from memory_platform.text.terms import is_name


@dataclass(frozen=True, slots=True)
class RecallableUnit:
    """An item or an episode that can be recalled, and when it holds.

    `names` are those an extractor found in an item. `resource_id` is the episode an item first came from; `speaker`
    who said it by name, `role` as what, `language` in which. `is_asserted`: somebody said it, and did not merely
    ask, suppose, wish, order or report it: an insight only tells what others said.
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


_LIVE = """
SELECT 'item', i.id FROM memory_live_item i WHERE i.tenant_id = %(tenant)s AND i.id = ANY(%(items)s)
UNION ALL
SELECT 'episode', e.id FROM memory_live_episode e WHERE e.tenant_id = %(tenant)s AND e.id = ANY(%(episodes)s)
"""


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


def items(tenant_id: UUID, item_ids: Sequence[UUID]) -> list[RecallableUnit]:
    """Those of the items that can be recalled, superseded ones included."""
    if not item_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(statement("graph", "live_items"), [tenant_id, list(item_ids)])
        units = [_item(row) for row in cursor.fetchall()]
    words = cold.words([unit.node.id for unit in units if not unit.text])
    insights = memory.insights_among(item_ids)
    return [
        replace(
            unit,
            text=words[unit.node.id].text if unit.node.id in words else unit.text,
            is_asserted=unit.is_asserted and unit.node.id not in insights,
        )
        for unit in units
    ]


def episodes(tenant_id: UUID, resource_ids: Sequence[UUID]) -> list[RecallableUnit]:
    """Those of the episodes that are not forgotten, their texts free of secrets."""
    if not resource_ids:
        return []
    policy = tenants.policy(tenant_id)
    with connection.cursor() as cursor:
        cursor.execute(statement("graph", "live_episodes"), [tenant_id, list(resource_ids)])
        return [_episode(row, policy) for row in cursor.fetchall()]


def _item(row: tuple[Any, ...]) -> RecallableUnit:
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
    return RecallableUnit(
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


def _episode(row: tuple[Any, ...], policy: Policy) -> RecallableUnit:
    resource_id, agent_id, user_id, visibility, content, said_at, believed_from, speaker, role, previous = row
    return RecallableUnit(
        node=Node(NodeKind.EPISODE, resource_id),
        audience=_audience(agent_id, user_id, visibility),
        text=resources.safe(content, policy),
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
