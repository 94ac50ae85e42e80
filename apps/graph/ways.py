"""How two entities are connected, with what says so at every step."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.core import scope
from apps.graph import stores, units, viewpoints
from apps.graph.entities import group_of
from apps.graph.models import Entity
from apps.graph.results import EntityGroup, NodeView, PathSource, PathStep
from apps.memory import selectors as memory
from apps.memory.results import ItemView
from apps.resources import selectors as resources
from apps.resources.selectors import MessageSource
from memory_platform.errors import Invalid, NotFound
from memory_platform.knowledge.graph import MAXIMUM_DEPTH, Edge, Node, NodeKind


def path(
    from_id: UUID,
    to_id: UUID,
    *,
    max_depth: int = MAXIMUM_DEPTH,
    as_of: datetime | None = None,
) -> tuple[PathStep, ...] | None:
    """How two entities are connected, with what says so; None: not within `max_depth` hops.

    Raises NotFound when one of them is unknown or unreadable, Invalid for a depth outside 1..8.
    """
    if not 1 <= max_depth <= 2 * MAXIMUM_DEPTH:
        raise Invalid(f"maxDepth must lie between 1 and {2 * MAXIMUM_DEPTH}.", field="maxDepth")
    start, end = (_required(one, field) for one, field in ((from_id, "from"), (to_id, "to")))
    nodes = (Node(NodeKind.ENTITY, start.id), Node(NodeKind.ENTITY, end.id))
    reader, moment = viewpoints.viewpoint(), viewpoints.moment(as_of)
    edges = stores.path(*nodes, max_depth=max_depth, viewpoint=reader, moment=moment)
    if edges and not _is_live(edges):
        # A copy of the graph may not have heard yet that something was forgotten.
        edges = stores.SQL.path(
            *nodes, max_depth=max_depth, viewpoint=reader, moment=moment, timeout=stores.PATH_SECONDS
        )
    return None if edges is None else _steps(nodes[0], edges)


def _is_live(edges: Sequence[Edge]) -> bool:
    nodes = {node for edge in edges for node in (edge.start, edge.end)}
    evidence = {edge.evidence for edge in edges if edge.evidence is not None}
    said = {Node(kind, one) for one in evidence for kind in (NodeKind.ITEM, NodeKind.EPISODE)}
    live = units.live(scope.current().tenant_id, nodes | said)
    return nodes <= live and evidence <= {node.id for node in live}


def _required(entity_id: UUID, field: str) -> EntityGroup:
    found = group_of(entity_id)
    if found is None:
        raise NotFound("There is no such entity.", field=field)
    return found


@dataclass(frozen=True, slots=True)
class _WayTexts:
    """What the nodes and edges of a way say."""

    names: dict[UUID, str]
    items: dict[UUID, ItemView]
    episodes: dict[UUID, MessageSource]
    texts: dict[UUID, str]

    def node(self, node: Node) -> NodeView:
        if node.kind is NodeKind.ENTITY:
            return NodeView(node.kind, node.id, self.names.get(node.id, ""))
        return NodeView(node.kind, node.id, self.unit_text(node.id))

    def unit_text(self, unit_id: UUID) -> str:
        item = self.items.get(unit_id)
        return item.text if item else self.texts.get(unit_id, "")

    def sources(self, unit_id: UUID | None) -> tuple[PathSource, ...]:
        if unit_id in self.items:
            own = self.items[unit_id].sources
            return tuple(
                PathSource(one.resource_id, one.external_id, one.role, one.speaker, one.said_at) for one in own
            )
        said = self.episodes.get(unit_id) if unit_id else None
        if said is None:
            return ()
        return (PathSource(said.resource_id, said.external_id, said.role, said.speaker, said.said_at),)


def _steps(start: Node, edges: Sequence[Edge]) -> tuple[PathStep, ...]:
    words = _words(edges)
    steps, here = [], start
    for edge in edges:
        forward = edge.start == here
        there = edge.end if forward else edge.start
        unit = edge.evidence or next(
            (end.id for end in (edge.start, edge.end) if end.kind is not NodeKind.ENTITY), None
        )
        steps.append(
            PathStep(
                kind=edge.kind,
                predicate=edge.predicate,
                start=words.node(here),
                end=words.node(there),
                forward=forward,
                fact=words.unit_text(unit) if unit else "",
                sources=words.sources(unit),
            )
        )
        here = there
    return tuple(steps)


def _words(edges: Sequence[Edge]) -> _WayTexts:
    """Everything the steps show, in a few statements."""
    nodes = {node for edge in edges for node in (edge.start, edge.end)}
    entities = [node.id for node in nodes if node.kind is NodeKind.ENTITY]
    unit_ids = {node.id for node in nodes if node.kind is not NodeKind.ENTITY}
    unit_ids |= {edge.evidence for edge in edges if edge.evidence is not None}
    rows = Entity.objects.filter(tenant_id=scope.current().tenant_id, id__in=entities)
    items = memory.hydrate(list(unit_ids))
    episodes = dict(resources.sources(list(unit_ids - items.keys())))
    texts = {said.resource_id: said.text for said in resources.as_utterances(list(episodes))}
    return _WayTexts(dict(rows.values_list("id", "canonical_name")), items, episodes, texts)
