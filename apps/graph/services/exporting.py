"""Copying the graph to another server: what changed, or all of it. The truth is read first, and then put."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.core import scope
from apps.core.clock import now
from apps.core.ids import new_id
from apps.core.scope import Scope
from apps.graph import stores, topics, truth
from apps.graph.models import Projection
from apps.graph.stores import COPY_JOB, EXPORT_JOB
from apps.jobs.services import enqueue
from memory_platform.errors import ProjectionLost
from memory_platform.knowledge.graph import GraphBatch, Node, NodeKind

__all__ = ["COPY_JOB", "EXPORT_JOB", "Exported", "copy_on", "export", "rebuild_projection"]

NODES_AT_ONCE = 500
# A step of a rebuild ends after so long, and the next one begins: others of the tenant get their turn in between.
STEP_SECONDS = 20.0
FIRST = UUID(int=0)
# Entities first: what leads to them is in the batches of the units.
ORDER = (NodeKind.ENTITY, NodeKind.ITEM, NodeKind.EPISODE)


@dataclass(frozen=True, slots=True)
class Exported:
    """What was copied: counts only. `rebuilds`: the copy was not there and is built anew."""

    nodes: int = 0
    edges: int = 0
    gone: int = 0
    rebuilds: int = 0

    def __add__(self, other: "Exported") -> "Exported":
        return Exported(
            self.nodes + other.nodes,
            self.edges + other.edges,
            self.gone + other.gone,
            self.rebuilds + other.rebuilds,
        )


def export(nodes: Sequence[Node], *, within: Scope) -> Exported:
    """Bring the copy of these nodes and their edges in line with their present state. Called without an open scope.

    A copy that was never begun, or was lost, is built anew instead. Raises ProviderRetryable while the server is down.
    """
    server = stores.writable()
    total = Exported()
    for start in range(0, len(nodes), NODES_AT_ONCE):
        batch = _read(nodes[start : start + NODES_AT_ONCE], within=within)
        if batch is None:
            return _rebuild_instead(within)
        try:
            server.put(batch)
        except ProjectionLost:
            return _rebuild_instead(within)
        total += Exported(len(batch.nodes), len(batch.edges), len(batch.gone))
    return total


def rebuild_projection() -> UUID:
    """Copy the whole tenant anew: returns the job of the first step. Until the last one SQL answers.

    Raises Conflict when there is no server to copy to. Needs an open scope with the tenant's reach.
    """
    stores.require_server()
    tenant_id = scope.current().tenant_id
    rebuild_id = new_id()
    Projection.objects.update_or_create(
        tenant_id=tenant_id,
        defaults={"rebuild_id": rebuild_id, "completed_at": None},
        create_defaults={
            "rebuild_id": rebuild_id,
            "version": 1,
        },
    )
    return _next_step(rebuild_id, "")


def copy_on(rebuild_id: UUID, position: str, *, within: Scope) -> Exported:
    """A step of a rebuild, from `position` (Node.key of the last copied one, empty: the beginning).

    A rebuild that another one has replaced ends. Called without an open scope.
    """
    server = stores.writable()
    if not position:
        version = _take_turn(rebuild_id, within=within)
        if version is None:
            return Exported()
        server.prepare()
        server.clear(within.tenant_id)
        server.put(GraphBatch(within.tenant_id, version))
    total, end = Exported(), time.monotonic() + STEP_SECONDS
    at: Node | None = Node.parse(position) if position else Node(ORDER[0], FIRST)
    while at is not None:
        batch, at = _read_page(rebuild_id, at, within=within)
        if batch is None:
            return total
        server.put(batch)
        total += Exported(len(batch.nodes), len(batch.edges))
        if time.monotonic() > end:
            break
    if at is None:
        # What the server planned while it was empty is planned anew once it is full: now, not by the first reader.
        server.warm(timeout=stores.PROBE_SECONDS)
    with scope.enter(within):
        if at is None:
            _complete(rebuild_id)
        else:
            _next_step(rebuild_id, at.key)
    return total


def _rebuild_instead(within: Scope) -> Exported:
    with scope.enter(within):
        if not Projection.objects.filter(
            tenant_id=within.tenant_id, rebuild_id__isnull=False, completed_at__isnull=True
        ).exists():
            rebuild_projection()
    return Exported(rebuilds=1)


def _next_step(rebuild_id: UUID, position: str) -> UUID:
    arguments = {"rebuild": str(rebuild_id), "position": position}
    return enqueue(COPY_JOB, arguments, serial_key=topics.CHANGED, dedup_key=f"{COPY_JOB}:{rebuild_id}:{position}")


def _complete(rebuild_id: UUID) -> None:
    Projection.objects.filter(tenant_id=scope.current().tenant_id, rebuild_id=rebuild_id).update(
        completed_at=now(), rebuild_id=None
    )


def _read(nodes: Sequence[Node], *, within: Scope) -> GraphBatch | None:
    """The present state of the nodes and what touches them; None when no copy was ever begun."""
    with scope.enter(within):
        version = _next_version()
        if version is None:
            return None
        present = truth.nodes(within.tenant_id, nodes)
        held = {each.node for each in present}
        edges = truth.edges_of(within.tenant_id, nodes)
        ends = {end for each in edges for end in (each.edge.start, each.edge.end) if end.kind is NodeKind.ENTITY}
        beside = truth.nodes(within.tenant_id, sorted(ends - held))
    return GraphBatch(
        within.tenant_id,
        version,
        (*present, *beside),
        tuple(edges),
        gone=tuple(node for node in nodes if node not in held),
        replaced=tuple(node for node in nodes if node in held and node.kind is not NodeKind.ENTITY),
        continues=True,
    )


def _read_page(rebuild_id: UUID, at: Node, *, within: Scope) -> tuple[GraphBatch | None, Node | None]:
    """The nodes after `at` with the edges of the units among them, and where to go on; no batch: replaced."""
    with scope.enter(within):
        version = _next_version(rebuild_id)
        if version is None:
            return None, None
        page = truth.nodes_after(within.tenant_id, at.kind, at.id, limit=NODES_AT_ONCE)
        units = [each.node for each in page if each.node.kind is not NodeKind.ENTITY]
        edges = truth.edges_of(within.tenant_id, units)
    batch = GraphBatch(within.tenant_id, version, tuple(page), tuple(edges), continues=True)
    if len(page) == NODES_AT_ONCE:
        return batch, page[-1].node
    following = ORDER[ORDER.index(at.kind) + 1 :]
    return batch, Node(following[0], FIRST) if following else None


def _take_turn(rebuild_id: UUID, *, within: Scope) -> int | None:
    with scope.enter(within):
        return _next_version(rebuild_id)


def _next_version(rebuild_id: UUID | None = None) -> int | None:
    """The number of the reading that follows. The row stays locked until it is done: readings have one order."""
    row = Projection.objects.select_for_update().filter(tenant_id=scope.current().tenant_id).first()
    if row is None or (rebuild_id is not None and row.rebuild_id != rebuild_id):
        return None
    row.version += 1
    row.save(update_fields=["version"])
    return row.version
