"""A world for graph stores as rows of the truth tables, which the SQL store reads."""

import hashlib
from uuid import UUID, uuid4

from apps.core import scope
from apps.graph.models import Alias, Entity, Mention, Relation
from apps.graph.store_sql import SqlGraph
from apps.memory.models import Item, ItemLink, ItemSource
from apps.resources.models import Resource, Session
from apps.tenants.models import Agent, Tenant
from memory_platform.knowledge.graph import GraphEdge, Node, NodeKind, RelationKind, Stamp
from tests.ports.graph_worlds import World

_STORED = {RelationKind.FACT, RelationKind.ENTITY, RelationKind.CAUSAL}
_LINKS = {RelationKind.SUPERSEDES, RelationKind.CONTRADICTS}


def load(world: World) -> SqlGraph:
    """Write the world into a tenant of its own id; temporal edges become places in a session."""
    with scope.unscoped("create a tenant"):
        Tenant.objects.create(id=world.tenant_id, slug=f"t-{world.tenant_id.hex[:12]}", name="World")
    with scope.tenant_scope(world.tenant_id):
        agents = {each.stamp.agent_id for each in world.nodes.values()} - {None}
        Agent.objects.bulk_create(
            Agent(id=one, tenant_id=world.tenant_id, slug=f"a-{one.hex[:12]}") for one in {*agents, world.agent}
        )
        aliases = _entities(world)
        _episodes(world)
        _items(world)
        for each in world.edges.values():
            _edge(world, each, aliases)
    return SqlGraph()


def _audience(stamp: Stamp) -> dict[str, object]:
    return {
        "tenant_id": stamp.tenant_id,
        "agent_id": stamp.agent_id,
        "user_id": stamp.user_id,
        "visibility": stamp.visibility.value,
    }


def _times(stamp: Stamp) -> dict[str, object]:
    return {name: getattr(stamp, name) for name in ("valid_from", "valid_until", "recorded_at", "retracted_at")}


def _entities(world: World) -> dict[UUID, UUID]:
    aliases = {}
    for node, each in world.nodes.items():
        if node.kind is NodeKind.ENTITY:
            Entity.objects.create(
                id=node.id,
                canonical_name=each.label,
                name_key=each.name_key,
                type=each.type,
                mention_count=each.mention_count,
                **_audience(each.stamp),
            )
            # A name of its own: in life two entities of one audience never share a key.
            alias = Alias.objects.create(
                entity_id=node.id, name=each.label, name_key=f"{each.name_key} {node.id}", **_audience(each.stamp)
            )
            aliases[node.id] = alias.id
    return aliases


def _episodes(world: World) -> None:
    after = {each.edge.start: each.edge.end for each in world.edges.values() if each.edge.kind is RelationKind.TEMPORAL}
    episodes = [node for node in world.nodes if node.kind is NodeKind.EPISODE]
    for first in [node for node in episodes if node not in after.values()]:
        session = Session.objects.create(tenant_id=world.tenant_id, agent_id=world.agent, external_id=str(uuid4()))
        node: Node | None = first
        ordinal = 0
        while node is not None:
            stamp = world.nodes[node].stamp
            Resource.objects.create(
                id=node.id,
                session_id=session.id,
                ordinal=ordinal,
                raw_content="said",
                content_hash=hashlib.sha256(b"said").digest(),
                content_at=stamp.valid_from,
                created_at=stamp.recorded_at,
                **_audience(stamp),
            )
            node, ordinal = after.get(node), ordinal + 1


def _items(world: World) -> None:
    for node, each in world.nodes.items():
        if node.kind is NodeKind.ITEM:
            Item.objects.create(
                id=node.id,
                text="known",
                claim_hash=node.id.hex,
                kind="fact",
                category="other",
                strength="explicit",
                confidence=0.9,
                verdict="allow",
                event_time=each.stamp.valid_from,
                said_at=each.stamp.valid_from,
                **_audience(each.stamp),
                **_times(each.stamp),
            )


def _edge(world: World, each: GraphEdge, aliases: dict[UUID, UUID]) -> None:
    edge = each.edge
    start, end = edge.start, edge.end
    own = {"tenant_id": world.tenant_id, "agent_id": each.stamp.agent_id, "visibility": each.stamp.visibility.value}
    if edge.kind is RelationKind.MENTIONS:
        Mention.objects.get_or_create(
            tenant_id=world.tenant_id,
            unit_id=start.id,
            alias_id=aliases[end.id],
            defaults={
                "entity_id": end.id,
                "unit": start.kind,
                "event_time": each.stamp.valid_from,
                **_audience(each.stamp),
                **_times(each.stamp),
            },
        )
    elif edge.kind in _STORED:
        _relation(world, each)
    elif edge.kind is RelationKind.DERIVED_FROM:
        ItemSource.objects.create(item_id=start.id, resource_id=end.id, created_at=each.stamp.recorded_at, **own)
    elif edge.kind in _LINKS:
        ItemLink.objects.create(
            kind=edge.kind.value,
            from_item_id=start.id,
            to_item_id=end.id,
            reason="test",
            created_at=each.stamp.recorded_at,
            **own,
        )


def _relation(world: World, each: GraphEdge) -> None:
    edge = each.edge
    is_between_units = edge.start.kind is not NodeKind.ENTITY
    ends = (
        {
            "from_unit": edge.start.kind, "from_unit_id": edge.start.id,
            "to_unit": edge.end.kind, "to_unit_id": edge.end.id,
        }
        if is_between_units
        else {"subject_id": edge.start.id, "object_id": edge.end.id}
    )  # fmt: skip
    unit = edge.evidence or edge.start.id
    Relation.objects.create(
        unit=next(node.kind for node in world.nodes if node.id == unit),
        unit_id=unit,
        digest=int(uuid4().int % 2**62),
        kind=edge.kind.value,
        predicate=edge.predicate,
        confidence=edge.confidence,
        **ends,
        **_audience(each.stamp),
        **_times(each.stamp),
    )
