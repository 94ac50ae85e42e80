"""How a batch of the graph becomes nodes and relationships of Neo4j, in one transaction."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar
from uuid import UUID

from neo4j import ManagedTransaction

from memory_platform.adapters.neo4j_cypher import (
    CLEAR,
    DROP_NODES,
    DROP_RESTING,
    DROP_TOUCHING,
    FORGET_TURN,
    PUT_EDGES,
    PUT_NODES,
    TAKE_TURN,
)
from memory_platform.adapters.neo4j_session import Row, write
from memory_platform.errors import ProjectionLost, ProviderRetryable
from memory_platform.knowledge.graph import GraphBatch, GraphEdge, GraphNode, Node, NodeKind, RelationKind, Stamp

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)
# "Never" as a number, so that a comparison needs no second one for null: beyond any time Python can name, and of a
# size that Neo4j keeps in one block.
NEVER: Final = 2**58
ROWS_AT_ONCE: Final = 2_000

_T = TypeVar("_T")
_K = TypeVar("_K")


def microseconds(moment: datetime) -> int:
    return (moment - EPOCH) // MICROSECOND


# Hexadecimal digits only: Neo4j keeps up to 54 of them within the record, and any other text of that length apart.
_PREFIXES: Final = {NodeKind.ENTITY: "a", NodeKind.ITEM: "b", NodeKind.EPISODE: "c"}
_KINDS: Final = {prefix: kind for kind, prefix in _PREFIXES.items()}


def key_of(node: Node) -> str:
    """How a node is known here."""
    return _PREFIXES[node.kind] + node.id.hex


def node_of(key: str) -> Node:
    """The node of a `key_of`."""
    return Node(_KINDS[key[0]], UUID(hex=key[1:]))


def put(transaction: ManagedTransaction, batch: GraphBatch) -> None:
    _take_turn(transaction, batch)
    kept = [each.identity for each in batch.edges]
    _drop(transaction, batch.tenant_id, batch.gone, ())
    _drop_edges(transaction, batch.tenant_id, batch.replaced, kept)
    for kind, nodes in _by_kind(batch.nodes, lambda each: each.node.kind):
        rows = [_node_row(batch.tenant_id, each) for each in nodes]
        write(transaction, PUT_NODES[kind], batch.tenant_id, rows=rows)
    for relation, edges in _by_kind(batch.edges, lambda each: each.edge.kind):
        rows = [_edge_row(batch.tenant_id, each) for each in edges]
        write(transaction, PUT_EDGES[relation], batch.tenant_id, rows=rows)


def _take_turn(transaction: ManagedTransaction, batch: GraphBatch) -> None:
    (row,) = write(transaction, TAKE_TURN, batch.tenant_id, version=batch.version)
    if row["before"] is None and batch.continues:
        raise ProjectionLost("Neo4j knows nothing of the tenant any more.")
    if (row["before"] or 0) > batch.version:
        raise ProviderRetryable("A later batch was put before.")


def _by_kind(rows: Iterable[_T], kind: Callable[[_T], _K]) -> Iterator[tuple[_K, list[_T]]]:
    """At most ROWS_AT_ONCE of one kind together."""
    gathered: dict[_K, list[_T]] = defaultdict(list)
    for row in rows:
        gathered[kind(row)].append(row)
    for each, together in gathered.items():
        for begin in range(0, len(together), ROWS_AT_ONCE):
            yield each, together[begin : begin + ROWS_AT_ONCE]


def _drop(transaction: ManagedTransaction, tenant_id: UUID, nodes: Sequence[Node], kept: Sequence[int]) -> None:
    if nodes:
        _drop_edges(transaction, tenant_id, nodes, kept)
        write(transaction, DROP_NODES, tenant_id, keys=[key_of(node) for node in nodes])


def _drop_edges(transaction: ManagedTransaction, tenant_id: UUID, nodes: Sequence[Node], kept: Sequence[int]) -> None:
    """Drop the edges of these nodes, those of the `kept` identities excepted."""
    if not nodes:
        return
    write(transaction, DROP_TOUCHING, tenant_id, keys=[key_of(node) for node in nodes], kept=list(kept))
    units = [node.id.hex for node in nodes if node.kind is not NodeKind.ENTITY]
    for statement in DROP_RESTING.values() if units else ():
        write(transaction, statement, tenant_id, evidence=units, kept=list(kept))


def remove(transaction: ManagedTransaction, tenant_id: UUID, nodes: Sequence[Node]) -> None:
    _drop(transaction, tenant_id, nodes, ())


def clear_some(transaction: ManagedTransaction, tenant_id: UUID) -> int:
    (row,) = write(transaction, CLEAR, tenant_id, rows=ROWS_AT_ONCE)
    dropped: int = row["dropped"]
    return dropped


def forget_turn(transaction: ManagedTransaction, tenant_id: UUID) -> None:
    write(transaction, FORGET_TURN, tenant_id)


def _node_row(tenant_id: UUID, each: GraphNode) -> Row:
    own: dict[str, Any] = {
        "key": key_of(each.node),
        "kind": each.node.kind.value,
        "label": each.label,
        "digest": each.digest,
        "identity": each.identity,
    }
    if each.node.kind is NodeKind.ENTITY:
        own |= {"name_key": each.name_key, "type": each.type, "mention_count": each.mention_count}
    return {**own, **_stamp_row(tenant_id, each.stamp)}


def _edge_row(tenant_id: UUID, each: GraphEdge) -> Row:
    edge = each.edge
    properties: dict[str, Any] = {
        "identity": each.identity,
        "digest": each.digest,
        "predicate": edge.predicate,
        "weight": edge.weight,
        "confidence": edge.confidence,
        "evidence": edge.evidence.hex if edge.evidence else None,
    }
    if edge.kind is RelationKind.MENTIONS:
        properties["entity"] = key_of(edge.end)
    return {
        "start": key_of(edge.start),
        "end": key_of(edge.end),
        "properties": {**properties, **_stamp_row(tenant_id, each.stamp)},
    }


def _stamp_row(tenant_id: UUID, stamp: Stamp) -> Row:
    if stamp.tenant_id != tenant_id:
        raise ValueError("A batch holds rows of one tenant.")
    return {
        "tenant_id": tenant_id.hex,
        "agent_id": stamp.agent_id.hex if stamp.agent_id else None,
        "user_id": stamp.user_id,
        "visibility": stamp.visibility.value,
        "valid_from": microseconds(stamp.valid_from),
        "valid_until": NEVER if stamp.valid_until is None else microseconds(stamp.valid_until),
        "recorded_at": microseconds(stamp.recorded_at),
        "retracted_at": NEVER if stamp.retracted_at is None else microseconds(stamp.retracted_at),
    }
