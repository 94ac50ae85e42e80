"""Small worlds for graph stores: entities of several audiences, units that mention them, and how they relate."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from memory_platform.knowledge.graph import (
    KIND_WEIGHTS,
    Edge,
    EntityType,
    GraphBatch,
    GraphEdge,
    GraphNode,
    Moment,
    Node,
    NodeKind,
    RelationKind,
    Stamp,
    Viewpoint,
)
from memory_platform.model import Visibility

ALWAYS = datetime(1, 1, 1, tzinfo=UTC)
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
NOW = START + timedelta(days=365)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


@dataclass
class World:
    """One tenant. Rows belong to `agent` and are private unless told otherwise; units are said on their `day`."""

    tenant_id: UUID = field(default_factory=uuid4)
    agent: UUID = field(default_factory=uuid4)
    nodes: dict[Node, GraphNode] = field(default_factory=dict)
    edges: dict[str, GraphEdge] = field(default_factory=dict)

    def entity(
        self,
        name: str,
        *,
        agent: UUID | None = None,
        visibility: Visibility = Visibility.PRIVATE,
        user_id: str | None = None,
    ) -> Node:
        owner = None if visibility is Visibility.SHARED else agent or self.agent
        stamp = Stamp(self.tenant_id, owner, user_id, visibility, ALWAYS, None, ALWAYS, None)
        node = Node(NodeKind.ENTITY, uuid4())
        self.nodes[node] = GraphNode(node, stamp, name, name.casefold(), EntityType.CONCEPT)
        return node

    def item(self, on: float = 0, **audience: object) -> Node:
        return self._unit(NodeKind.ITEM, on, **audience)

    def episode(self, on: float = 0, **audience: object) -> Node:
        return self._unit(NodeKind.EPISODE, on, **audience)

    def mentions(self, unit: Node, *entities: Node) -> None:
        for entity in entities:
            self._add(Edge(RelationKind.MENTIONS, unit, entity, evidence=unit.id), self.nodes[unit].stamp)
            held = self.nodes[entity]
            self.nodes[entity] = replace(held, mention_count=held.mention_count + 1)

    def states(self, unit: Node, subject: Node, predicate: str, other: Node, *, confidence: float = 0.8) -> None:
        edge = Edge(RelationKind.FACT, subject, other, predicate, confidence=confidence, evidence=unit.id)
        self._add(edge, self.nodes[unit].stamp)

    def relates(self, kind: RelationKind, start: Node, end: Node) -> None:
        rests = kind in {RelationKind.DERIVED_FROM, RelationKind.SUPERSEDES, RelationKind.CONTRADICTS}
        stamp = self.nodes[end if kind is RelationKind.TEMPORAL else start].stamp
        weight = KIND_WEIGHTS[kind]
        self._add(Edge(kind, start, end, weight=weight, evidence=start.id if rests else None), stamp)

    def batch(self, version: int = 1) -> GraphBatch:
        nodes, edges = tuple(self.nodes.values()), tuple(self.edges.values())
        return GraphBatch(self.tenant_id, version, nodes, edges)

    def everything(self) -> Viewpoint:
        return Viewpoint(self.tenant_id, None, "tenant")

    def own(self, agent: UUID | None = None) -> Viewpoint:
        return Viewpoint(self.tenant_id, agent or self.agent, "own")

    def shared(self, agent: UUID | None = None) -> Viewpoint:
        return Viewpoint(self.tenant_id, agent or self.agent, "shared")

    def _unit(
        self,
        kind: NodeKind,
        on: float,
        *,
        agent: UUID | None = None,
        visibility: Visibility = Visibility.PRIVATE,
        user_id: str | None = None,
        until: float | None = None,
        recorded: float | None = None,
        retracted: float | None = None,
    ) -> Node:
        stamp = Stamp(
            self.tenant_id,
            agent or self.agent,
            user_id,
            visibility,
            valid_from=day(on),
            valid_until=None if until is None else day(until),
            recorded_at=day(on if recorded is None else recorded),
            retracted_at=None if retracted is None else day(retracted),
        )
        node = Node(kind, uuid4())
        self.nodes[node] = GraphNode(node, stamp)
        return node

    def _add(self, edge: Edge, stamp: Stamp) -> None:
        edge = replace(edge, valid_from=stamp.valid_from, valid_until=stamp.valid_until)
        key = f"{edge.kind}:{uuid4()}"
        self.edges[key] = GraphEdge(key, edge, stamp)


def at(number: float) -> Moment:
    return Moment.at(day(number))


LATER = Moment.at(NOW)
