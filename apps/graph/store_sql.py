"""The graph as the truth tables tell it: a GraphStore without a server of its own, and the one the others fall back to.

It walks hop by hop, one statement each, and knows before every hop what it has: only nearest and newest rows are read.
"""

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core import scope
from apps.core.scope import NoScope, Reach, Scope
from apps.graph import traversal, truth
from apps.graph.traversal import Frontier
from memory_platform.adapters.graph_memory import checksums
from memory_platform.knowledge.graph import (
    MAXIMUM_DEPTH,
    Edge,
    GraphChecksums,
    Moment,
    Node,
    NodeKind,
    RelationKind,
    Subgraph,
    SubgraphNode,
    Viewpoint,
    weight_of,
)

# Nodes a search for a way looks at from either end, hop by hop; beyond, only the newest units are tried.
WIDEST_SEARCH = 5_000
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
_ALL = frozenset(RelationKind)
_LIVE = "live"
# Of several edges between two nodes a way takes the one that says most.
_TELLING = {
    kind: rank
    for rank, kind in enumerate(
        (
            RelationKind.FACT,
            RelationKind.ENTITY,
            RelationKind.CAUSAL,
            RelationKind.DERIVED_FROM,
            RelationKind.CONTRADICTS,
            RelationKind.SUPERSEDES,
            RelationKind.MENTIONS,
            RelationKind.TEMPORAL,
        )
    )
}


class SqlGraph:
    """A GraphStore over entities, mentions, relations and the tables of items and episodes."""

    name = "sql"

    def neighbourhood(
        self,
        seeds: Sequence[UUID],
        *,
        depth: int,
        limit: int,
        viewpoint: Viewpoint,
        moment: Moment,
        kinds: frozenset[RelationKind] | None = None,
        timeout: float,
    ) -> Subgraph:
        """As the port says; what is not found within `timeout` seconds is missing and the answer `truncated`."""
        if not seeds:
            return Subgraph()
        with _opened(viewpoint):
            walk = _SqlWalk(viewpoint, moment, _ALL if kinds is None else kinds, time.monotonic() + timeout)
            return walk.around(seeds, depth=min(depth, MAXIMUM_DEPTH), limit=limit)

    def path(
        self, start: Node, end: Node, *, max_depth: int, viewpoint: Viewpoint, moment: Moment, timeout: float
    ) -> tuple[Edge, ...] | None:
        """As the port says, from both ends at once; None also when no way was found within `timeout` seconds."""
        with _opened(viewpoint):
            walk = _SqlWalk(viewpoint, moment, _ALL, time.monotonic() + timeout)
            return walk.way(start, end, max_depth=max_depth)

    def checksums(self, tenant_id: UUID) -> GraphChecksums:
        """As the port says; reads every row of the tenant."""
        with scope.enter(Scope(tenant_id, None, Reach.TENANT)):
            return checksums(truth.every_node(tenant_id), truth.every_edge(tenant_id))


@dataclass(frozen=True, slots=True)
class _ReachedNode:
    """A node in reach; entities with all those of their name, and how often they are mentioned."""

    node: Node
    since: datetime = _EARLIEST
    label: str = ""
    mentions: int = 0
    members: tuple[UUID, ...] = ()
    via: UUID | None = None

    @property
    def is_entity(self) -> bool:
        return self.node.kind is NodeKind.ENTITY

    @property
    def rank(self) -> tuple[bool, float, Node]:
        """Within one distance: entities first, the most mentioned ahead; then units, the newest ahead."""
        if self.node.kind is NodeKind.ENTITY:
            return False, -self.mentions, self.node
        return True, -self.since.timestamp(), self.node


@dataclass(slots=True)
class _SqlWalk:
    """One reader at one moment; `representatives` are the nodes that entities count as."""

    viewpoint: Viewpoint
    moment: Moment
    kinds: frozenset[RelationKind]
    deadline: float
    representatives: dict[UUID, UUID] = field(default_factory=dict)

    def around(self, seeds: Sequence[UUID], *, depth: int, limit: int) -> Subgraph:
        """Breadth first: a hop's nodes are ranked, as many as fit are kept."""
        layer = self._entities(seeds)
        found: dict[Node, _ReachedNode] = {}
        truncated = False
        for hop in range(depth + 1):
            kept = sorted(layer, key=lambda one: one.rank)[: limit - len(found)]
            found.update({one.node: one for one in kept})
            truncated = len(kept) < len(layer) or (hop < depth and time.monotonic() > self.deadline)
            if truncated or hop == depth or not kept:
                break
            layer = self._hop(kept, found, most=limit - len(found) + 1)
        return self._subgraph(found, truncated=truncated)

    def way(self, start: Node, end: Node, *, max_depth: int) -> tuple[Edge, ...] | None:
        """Breadth first from both ends, always from the one with less in reach, until they meet."""
        ends = [self._start(node) for node in (start, end)]
        if ends[0] is None or ends[1] is None:
            return None
        sides = [{one.node: one} for one in ends if one is not None]
        layers = [list(side.values()) for side in sides]
        for _ in range(max_depth + 1):
            meeting = sides[0].keys() & sides[1].keys()
            if meeting:
                return self._edges_along(self._nodes_along(sides, min(meeting)), sides)
            if not all(layers) or time.monotonic() > self.deadline:
                return None
            side = 0 if len(layers[0]) <= len(layers[1]) else 1
            layers[side] = self._hop(layers[side], sides[side], most=WIDEST_SEARCH)
            sides[side].update({one.node: one for one in layers[side]})
        return None

    def _start(self, node: Node) -> _ReachedNode | None:
        if node.kind is NodeKind.ENTITY:
            return next(iter(self._entities([node.id])), None)
        return next(iter(self._live([node]).values()), None)

    def _hop(
        self, layer: Sequence[_ReachedNode], found: Mapping[Node, _ReachedNode], *, most: int
    ) -> list[_ReachedNode]:
        """What is one hop from the layer and not found yet: entities by their names, units as they are."""
        kinds = {one.node.kind for one in layer}
        frontier = Frontier(
            has_entities=NodeKind.ENTITY in kinds,
            has_items=NodeKind.ITEM in kinds,
            has_episodes=NodeKind.EPISODE in kinds,
            kinds=self.kinds,
        )
        statement = traversal.hop(frontier)
        known = [one for held in found.values() for one in (held.members or (held.node.id,))]
        rows = self._rows(statement, {**_ids(layer), "found": _array(known), "most": most}) if statement else []
        reached = [self._reached(*row) for row in rows]
        return [one for one in reached if one.node not in found]

    def _reached(
        self,
        kind: str,
        node_id: UUID,
        via: UUID,
        since: datetime | None,
        members: Sequence[UUID] | None,
        mentions: int,
        label: str,
    ) -> _ReachedNode:
        self.representatives.update(dict.fromkeys(members or (), node_id))
        come_from = self.representatives.get(via, via)
        node = Node(NodeKind(kind), node_id)
        return _ReachedNode(node, since or _EARLIEST, label, int(mentions), tuple(members or ()), come_from)

    def _entities(self, ids: Collection[UUID]) -> list[_ReachedNode]:
        """The entities these stand for, one of each name."""
        rows = self._rows(traversal.namesakes(), {"entities": _array(ids)})
        found = []
        for _, members, mentions, label in rows:
            self.representatives.update(dict.fromkeys(members, members[0]))
            node = Node(NodeKind.ENTITY, members[0])
            found.append(_ReachedNode(node, label=label, mentions=int(mentions), members=tuple(members)))
        return found

    def _subgraph(self, found: Mapping[Node, _ReachedNode], *, truncated: bool) -> Subgraph:
        """The nodes, without those that were forgotten and are not yet gone from the graph, and their edges."""
        held = list(found.values())
        between = self._between(held) if held else _Between(frozenset(), ())
        degrees = Counter(place for edge in between.edges for place in edge[:2])
        nodes = tuple(
            SubgraphNode(one.node, one.label, one.mentions if one.is_entity else degrees[place])
            for place, one in enumerate(held)
            if one.is_entity or place in between.live
        )
        return Subgraph(nodes, tuple(_edge(held, row) for row in between.edges), truncated)

    def _between(self, held: Sequence[_ReachedNode]) -> "_Between":
        """Which of these can be read, and every edge between two that can, once: namesakes' may be one and the same."""
        places = [(place, member) for place, one in enumerate(held) for member in one.members or (one.node.id,)]
        place_of = [place for place, _ in places]
        statement = traversal.edges(self.kinds)
        rows = self._rows(statement, {"nodes": _array(member for _, member in places)})
        live = frozenset(place_of[row[1] - 1] for row in rows if row[0] == _LIVE)
        readable = live.union(place for place, one in enumerate(held) if one.is_entity)
        joined = {(place_of[row[1] - 1], place_of[row[2] - 1], row[0], *row[3:]) for row in rows if row[0] != _LIVE}
        edges = (row for row in joined if row[0] != row[1] and row[0] in readable and row[1] in readable)
        return _Between(live, tuple(edges))

    def _live(self, nodes: Sequence[Node]) -> dict[Node, _ReachedNode]:
        if not nodes:
            return {}
        ids = _ids([_ReachedNode(node) for node in nodes])
        rows = self._rows(traversal.live_units(), ids)
        found = (_ReachedNode(Node(NodeKind(kind), node_id), since) for kind, node_id, since in rows)
        return {one.node: one for one in found}

    def _nodes_along(self, sides: Sequence[Mapping[Node, _ReachedNode]], meeting: Node) -> list[Node]:
        ahead, behind = (list(_back(side, meeting)) for side in sides)
        return [*reversed(ahead), *behind[1:]]

    def _edges_along(
        self, nodes: Sequence[Node], sides: Sequence[Mapping[Node, _ReachedNode]]
    ) -> tuple[Edge, ...] | None:
        """The edge that says most for each hop; None when one was forgotten meanwhile."""
        held = [next(side[node] for side in sides if node in side) for node in nodes]
        between: dict[frozenset[Node], list[Edge]] = {}
        for edge in (_edge(held, row) for row in self._between(held).edges):
            between.setdefault(frozenset((edge.start, edge.end)), []).append(edge)
        hops = [between.get(frozenset(pair), []) for pair in pairwise(nodes)]
        if not all(hops):
            return None
        return tuple(min(hop, key=lambda edge: (_TELLING[edge.kind], -edge.confidence)) for hop in hops)

    def _rows(self, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        given: dict[str, Any] = {
            "tenant": self.viewpoint.tenant_id,
            "believed": self.moment.believed_at,
            "true": self.moment.true_at,
        }
        with connection.cursor() as cursor:
            cursor.execute(statement, {**given, **values})
            return list(cursor.fetchall())


@dataclass(frozen=True, slots=True)
class _Between:
    """Nodes and edges by their places among the nodes asked about; edges as rows, their ends first."""

    live: frozenset[int]
    edges: tuple[tuple[Any, ...], ...]


def _edge(held: Sequence[_ReachedNode], row: tuple[Any, ...]) -> Edge:
    start, end, kind, predicate, confidence, valid_from, valid_until, evidence = row
    relation, unit = RelationKind(kind), held[start].node
    return Edge(
        relation,
        unit,
        held[end].node,
        predicate,
        weight_of(relation, predicate),
        confidence,
        None if valid_from is None else datetime.fromtimestamp(valid_from, UTC),
        None if valid_until is None else datetime.fromtimestamp(valid_until, UTC),
        unit.id if relation is RelationKind.MENTIONS else evidence,
    )


def _array(ids: Iterable[UUID]) -> str:
    """A parameter for `::uuid[]`: as one text it costs a tenth of what a list does."""
    return "{" + ",".join(map(str, ids)) + "}"


def _ids(among: Sequence[_ReachedNode]) -> dict[str, str]:
    """What statements take: entities with their namesakes, items, episodes, and the last two together."""
    entities = [member for one in among for member in one.members]
    items = [one.node.id for one in among if one.node.kind is NodeKind.ITEM]
    episodes = [one.node.id for one in among if one.node.kind is NodeKind.EPISODE]
    return {
        "entities": _array(entities),
        "items": _array(items),
        "episodes": _array(episodes),
        "units": _array([*items, *episodes]),
    }


def _back(side: Mapping[Node, _ReachedNode], node: Node) -> Iterator[Node]:
    """From a node back to where the side began."""
    by_id = {one.id: one for one in side}
    while True:
        yield node
        via = side[node].via
        if via is None:
            return
        node = by_id[via]


def _opened(viewpoint: Viewpoint) -> AbstractContextManager[object]:
    """The reader's own scope: as a rule it is open already."""
    wanted = Scope(viewpoint.tenant_id, viewpoint.agent_id, Reach(viewpoint.reach), viewpoint.whose)
    try:
        return nullcontext() if scope.current() == wanted else scope.enter(wanted)
    except NoScope:
        return scope.enter(wanted)
