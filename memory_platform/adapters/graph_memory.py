"""The graph in this process's memory: the plainest reading of the GraphStore contract, which others are held to."""

import re
import threading
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from memory_platform.errors import ProjectionLost, ProviderRetryable
from memory_platform.knowledge.graph import (
    Edge,
    GraphBatch,
    GraphChecksums,
    GraphEdge,
    GraphNode,
    Held,
    Moment,
    Node,
    NodeKind,
    RelationKind,
    Stamp,
    Subgraph,
    SubgraphNode,
    Traces,
    Viewpoint,
    bucket,
)
from memory_platform.model import Visibility

REACH_TENANT: Final = "tenant"
REACH_SHARED: Final = "shared"


def is_readable(stamp: Stamp, viewpoint: Viewpoint, moment: Moment) -> bool:
    """Whether a row exists for a reader at a moment: the rule every store applies."""
    return _is_of_audience(stamp, viewpoint) and (
        _covers(stamp.recorded_at, stamp.retracted_at, moment.believed_at)
        and _covers(stamp.valid_from, stamp.valid_until, moment.true_at)
    )


def _is_of_audience(stamp: Stamp, viewpoint: Viewpoint) -> bool:
    if stamp.tenant_id != viewpoint.tenant_id or not viewpoint.whose.admits(stamp.user_id):
        return False
    is_own = stamp.agent_id is not None and stamp.agent_id == viewpoint.agent_id
    is_shared = viewpoint.reach == REACH_SHARED and stamp.visibility is Visibility.SHARED
    return viewpoint.reach == REACH_TENANT or is_own or is_shared


def _covers(begin: datetime, end: datetime | None, time: datetime) -> bool:
    return begin <= time and (end is None or time < end)


@dataclass(slots=True)
class _TenantGraph:
    version: int = 0
    nodes: dict[Node, GraphNode] = field(default_factory=dict)
    edges: dict[str, GraphEdge] = field(default_factory=dict)


class MemoryGraph:
    """A GraphStore and its GraphProjection. Thread-safe; `timeout` is not needed."""

    name = "memory"

    def __init__(self) -> None:
        self._tenants: dict[UUID, _TenantGraph] = defaultdict(_TenantGraph)
        self._lock = threading.Lock()

    def neighbourhood(
        self,
        seeds: Sequence[UUID],
        *,
        depth: int,
        limit: int,
        viewpoint: Viewpoint,
        moment: Moment,
        kinds: frozenset[RelationKind] | None = None,
        timeout: float,  # noqa: ARG002  nothing here waits
    ) -> Subgraph:
        with self._lock:
            view = _ReaderView(self._tenants[viewpoint.tenant_id], viewpoint, moment, kinds)
        return view.around([Node(NodeKind.ENTITY, seed) for seed in seeds], depth=depth, limit=limit)

    def path(
        self,
        start: Node,
        end: Node,
        *,
        max_depth: int,
        viewpoint: Viewpoint,
        moment: Moment,
        timeout: float,  # noqa: ARG002  nothing here waits
    ) -> tuple[Edge, ...] | None:
        with self._lock:
            view = _ReaderView(self._tenants[viewpoint.tenant_id], viewpoint, moment, None)
        return view.way(start, end, max_depth=max_depth)

    def checksums(self, tenant_id: UUID) -> GraphChecksums:
        with self._lock:
            held = self._tenants[tenant_id]
            return checksums(held.nodes.values(), held.edges.values())

    def buckets(self, tenant_id: UUID) -> Mapping[tuple[str, int], tuple[int, int]]:
        with self._lock:
            held = self._tenants.get(tenant_id, _TenantGraph())
            return buckets(held.nodes.values(), held.edges.values())

    def held(self, tenant_id: UUID, buckets: Sequence[int]) -> Mapping[int, Held]:
        wanted = frozenset(buckets)
        with self._lock:
            held = self._tenants.get(tenant_id, _TenantGraph())
            nodes = {each.identity: Held(each.digest, (node,)) for node, each in held.nodes.items()}
            edges = {each.identity: Held(each.digest, _mended_by(each.edge)) for each in held.edges.values()}
        return {identity: each for identity, each in (nodes | edges).items() if bucket(identity) in wanted}

    def traces(self, tenant_id: UUID, wanted: Traces) -> int:
        with self._lock:
            held = self._tenants.get(tenant_id, _TenantGraph())
            return sum(_is_traced(node, wanted) for node in held.nodes.values()) + sum(
                any(each.edge.evidence == node.id for node in wanted.nodes) for each in held.edges.values()
            )

    def warm(self, *, timeout: float) -> None:
        """It is always ready."""

    def ping(self, *, timeout: float) -> None:
        """It always answers."""

    def close(self) -> None:
        """There is nothing to give back."""

    def prepare(self) -> None:
        """There is nothing to prepare."""

    def put(self, batch: GraphBatch) -> None:
        with self._lock:
            if batch.continues and batch.tenant_id not in self._tenants:
                raise ProjectionLost("Nothing is known of the tenant any more.")
            held = self._tenants[batch.tenant_id]
            if batch.version < held.version:
                raise ProviderRetryable("A later batch was put before.")
            held.version = batch.version
            _take_away(held, batch.gone)
            held.nodes.update({each.node: each for each in batch.nodes})
            _take_edges_away(held, frozenset(batch.replaced))
            held.edges.update(
                {
                    each.key: each
                    for each in batch.edges
                    if each.edge.start in held.nodes and each.edge.end in held.nodes
                }
            )

    def remove(self, tenant_id: UUID, nodes: Sequence[Node]) -> None:
        with self._lock:
            _take_away(self._tenants[tenant_id], nodes)

    def clear(self, tenant_id: UUID) -> None:
        with self._lock:
            self._tenants.pop(tenant_id, None)


def checksums(nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> GraphChecksums:
    """What `GraphStore.checksums` answers for these rows; every store must come to the same."""
    counts: dict[str, int] = defaultdict(int)
    sums: dict[str, int] = defaultdict(int)
    for (kind, _), (count, digest) in buckets(nodes, edges).items():
        counts[kind] += count
        sums[kind] += digest
    return GraphChecksums(dict(counts), dict(sums))


def buckets(nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> Mapping[tuple[str, int], tuple[int, int]]:
    """What `GraphInventory.buckets` answers for these rows."""
    found: dict[tuple[str, int], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for identity, kind, digest in _digests(nodes, edges):
        count, total = found[kind, bucket(identity)]
        found[kind, bucket(identity)] = count + 1, total + digest
    return dict(found)


def _is_traced(held: GraphNode, wanted: Traces) -> bool:
    if held.node in wanted.nodes:
        return True
    user_id = held.stamp.user_id
    is_said = wanted.words is not None and (user_id or "") in wanted.users
    is_named = is_said and re.search(wanted.words or "", held.label, re.IGNORECASE) is not None
    is_theirs = user_id is not None and user_id == wanted.user_id
    return (is_theirs or is_named) and (wanted.before is None or held.node.id < wanted.before)


def _digests(nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> Iterable[tuple[int, str, int]]:
    for node in nodes:
        yield node.identity, f"node.{node.node.kind}", node.digest
    for edge in edges:
        yield edge.identity, f"edge.{edge.edge.kind}", edge.digest


def _mended_by(edge: Edge) -> tuple[Node, ...]:
    units = () if edge.evidence is None else (NodeKind.ITEM, NodeKind.EPISODE)
    return (edge.start, edge.end, *(Node(kind, edge.evidence) for kind in units if edge.evidence))


def _take_away(held: _TenantGraph, nodes: Sequence[Node]) -> None:
    _take_edges_away(held, frozenset(nodes))
    for node in nodes:
        held.nodes.pop(node, None)


def _take_edges_away(held: _TenantGraph, nodes: frozenset[Node]) -> None:
    if not nodes:
        return
    ids = {node.id for node in nodes}
    stale = [
        key
        for key, each in held.edges.items()
        if each.edge.start in nodes or each.edge.end in nodes or each.edge.evidence in ids
    ]
    for key in stale:
        del held.edges[key]


class _ReaderView:
    """What one reader sees at one moment, entities of equal name_key joined under the smallest id."""

    def __init__(
        self, held: _TenantGraph, viewpoint: Viewpoint, moment: Moment, kinds: frozenset[RelationKind] | None
    ) -> None:
        self._nodes = {node: each for node, each in held.nodes.items() if is_readable(each.stamp, viewpoint, moment)}
        self._joined = self._join()
        self._mentions: dict[Node, int] = defaultdict(int)
        for node, joined in self._joined.items():
            self._mentions[joined] += self._nodes[node].mention_count
        self._edges = self._join_edges(
            each.edge
            for each in held.edges.values()
            if is_readable(each.stamp, viewpoint, moment) and (kinds is None or each.edge.kind in kinds)
        )
        self._around: dict[Node, list[Edge]] = defaultdict(list)
        for edge in self._edges:
            self._around[edge.start].append(edge)
            self._around[edge.end].append(edge)

    def around(self, seeds: Sequence[Node], *, depth: int, limit: int) -> Subgraph:
        layer = sorted({self._joined[seed] for seed in seeds if seed in self._joined}, key=self._rank)
        found: dict[Node, None] = {}
        for hop in range(depth + 1):
            kept = layer[: limit - len(found)]
            found.update(dict.fromkeys(kept))
            if len(kept) < len(layer):
                return self._subgraph(found, truncated=True)
            if hop < depth:
                reached = {_other(edge, node) for node in kept for edge in self._around[node]}
                layer = sorted(reached - found.keys(), key=self._rank)
        return self._subgraph(found, truncated=False)

    def way(self, start: Node, end: Node, *, max_depth: int) -> tuple[Edge, ...] | None:
        first, last = self._joined.get(start), self._joined.get(end)
        if first is None or last is None:
            return None
        ways: dict[Node, tuple[Edge, ...]] = {first: ()}
        waiting = deque([first])
        while waiting and last not in ways:
            node = waiting.popleft()
            for edge in self._around[node] if len(ways[node]) < max_depth else ():
                if (reached := _other(edge, node)) not in ways:
                    ways[reached] = (*ways[node], edge)
                    waiting.append(reached)
        return ways.get(last)

    def _join(self) -> dict[Node, Node]:
        """The node that stands for each."""
        by_name: dict[str, Node] = {}
        for node in sorted(node for node in self._nodes if node.kind is NodeKind.ENTITY):
            by_name.setdefault(self._nodes[node].name_key, node)
        return {
            node: by_name[each.name_key] if node.kind is NodeKind.ENTITY else node for node, each in self._nodes.items()
        }

    def _join_edges(self, edges: Iterable[Edge]) -> tuple[Edge, ...]:
        joined = [
            replace(edge, start=self._joined[edge.start], end=self._joined[edge.end])
            for edge in edges
            if edge.start in self._joined and edge.end in self._joined
        ]
        return tuple(dict.fromkeys(edge for edge in joined if edge.start != edge.end))

    def _rank(self, node: Node) -> tuple[bool, float, Node]:
        """Within one distance: entities first, the most mentioned ahead; then units, the newest ahead."""
        if node.kind is NodeKind.ENTITY:
            return False, -self._mentions[node], node
        return True, -self._nodes[node].stamp.valid_from.timestamp(), node

    def _subgraph(self, found: dict[Node, None], *, truncated: bool) -> Subgraph:
        edges = tuple(edge for edge in self._edges if edge.start in found and edge.end in found)
        touching: dict[Node, int] = defaultdict(int)
        for edge in edges:
            touching[edge.start] += 1
            touching[edge.end] += 1
        nodes = tuple(
            SubgraphNode(
                node,
                label=self._nodes[node].label,
                degree=self._mentions[node] if node.kind is NodeKind.ENTITY else touching[node],
            )
            for node in found
        )
        return Subgraph(nodes, edges, truncated=truncated)


def _other(edge: Edge, node: Node) -> Node:
    return edge.end if edge.start == node else edge.start
