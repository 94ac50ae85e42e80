"""Whether the copy of the graph says what the truth tables say, and mending where it does not."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from apps.core import scope
from apps.core.scope import Scope
from apps.graph import stores, topics, truth
from apps.graph.models import Projection
from apps.graph.services.exporting import EXPORT_JOB, rebuild_projection
from apps.jobs.services import NewJob, enqueue, enqueue_many
from memory_platform.knowledge.graph import BUCKETS, GraphEdge, Held, Node, NodeKind, bucket

CHECK_JOB = "graph.check"
REPAIR_JOB = "graph.repair"
# Where more differs, copying everything anew is quicker than looking for it.
BUCKETS_TO_MEND = BUCKETS // 2
NODES_PER_JOB = 500

Counts = Mapping[tuple[str, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Drift:
    """Counts by kind (`node.entity`, `edge.fact`) on both sides, the kinds that differ, and in which buckets."""

    truth: Mapping[str, int]
    copy: Mapping[str, int]
    kinds: tuple[str, ...]
    buckets: tuple[int, ...]

    @property
    def outcome(self) -> dict[str, int | str]:
        """As a job says it: `kinds` separated by commas, and a count of each kind and side."""
        return {
            "drift": len(self.kinds),
            "kinds": ",".join(self.kinds),
            "buckets": len(self.buckets),
            **{f"truth.{kind}": count for kind, count in sorted(self.truth.items())},
            **{f"copy.{kind}": count for kind, count in sorted(self.copy.items())},
        }


def check() -> UUID:
    """Enqueue a comparison; its job's outcome is Drift.outcome. Raises Conflict when there is no copy."""
    stores.require_server()
    return enqueue(CHECK_JOB, {}, serial_key=topics.CHANGED, dedup_key=CHECK_JOB)


def repair() -> UUID:
    """Enqueue a comparison that has copied again what differs. Raises Conflict when there is no copy."""
    stores.require_server()
    return enqueue(REPAIR_JOB, {}, serial_key=topics.CHANGED, dedup_key=REPAIR_JOB)


def find(*, within: Scope) -> Drift:
    """Compare counts and checksums. Called without an open scope. Raises ProviderRetryable while the server is down."""
    held = stores.writable().buckets(within.tenant_id)
    with scope.enter(within):
        true = _counted(within.tenant_id)
    differing = {place for place in true.keys() | held.keys() if true.get(place) != held.get(place)}
    return Drift(
        truth=_by_kind(true),
        copy=_by_kind(held),
        kinds=tuple(sorted({kind for kind, _ in differing})),
        buckets=tuple(sorted({number for _, number in differing})),
    )


def mend(*, within: Scope) -> tuple[Drift, int]:
    """Have copied again what differs, or everything when that is most of it; returns how many jobs do it.

    Called without an open scope. Raises ProviderRetryable while the server is down.
    """
    drift = find(within=within)
    with scope.enter(within):
        is_begun = Projection.objects.filter(tenant_id=within.tenant_id).exists()
        if not is_begun or len(drift.buckets) > BUCKETS_TO_MEND:
            rebuild_projection()
            return drift, 1
    if not drift.buckets:
        return drift, 0
    held = stores.writable().held(within.tenant_id, drift.buckets)
    with scope.enter(within):
        true = dict(_rows(within.tenant_id, frozenset(drift.buckets)))
        wrong = [row for row in true.keys() | held.keys() if _digest(true, row) != _digest(held, row)]
        nodes = {node for row in wrong for side in (true, held) if row in side for node in side[row].nodes}
        return drift, len(_export_again(nodes))


def _export_again(nodes: Iterable[Node]) -> list[UUID]:
    keys = sorted(node.key for node in nodes)
    pages = [keys[start : start + NODES_PER_JOB] for start in range(0, len(keys), NODES_PER_JOB)]
    return enqueue_many([NewJob(EXPORT_JOB, {"nodes": page}, serial_key=topics.CHANGED) for page in pages])


def _counted(tenant_id: UUID) -> Counts:
    found: dict[tuple[str, int], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for kind, identity, digest in _digests(tenant_id):
        count, total = found[kind, bucket(identity)]
        found[kind, bucket(identity)] = count + 1, total + digest
    return dict(found)


def _digests(tenant_id: UUID) -> Iterator[tuple[str, int, int]]:
    for node in truth.every_node(tenant_id):
        yield f"node.{node.node.kind}", node.identity, node.digest
    for edge in truth.every_edge(tenant_id):
        yield f"edge.{edge.edge.kind}", edge.identity, edge.digest


def _by_kind(counts: Counts) -> Mapping[str, int]:
    totals: dict[str, int] = defaultdict(int)
    for (kind, _), (count, _) in counts.items():
        totals[kind] += count
    return dict(totals)


def _rows(tenant_id: UUID, buckets: frozenset[int]) -> Iterator[tuple[int, Held]]:
    for node in truth.every_node(tenant_id):
        if bucket(node.identity) in buckets:
            yield node.identity, Held(node.digest, (node.node,))
    for edge in truth.every_edge(tenant_id):
        if bucket(edge.identity) in buckets:
            yield edge.identity, Held(edge.digest, _mended_by(edge))


def _mended_by(row: GraphEdge) -> tuple[Node, ...]:
    evidence = row.edge.evidence
    units = () if evidence is None else (Node(NodeKind.ITEM, evidence), Node(NodeKind.EPISODE, evidence))
    return (row.edge.start, row.edge.end, *units)


def _digest(rows: Mapping[int, Held], identity: int) -> int | None:
    return rows[identity].digest if identity in rows else None
