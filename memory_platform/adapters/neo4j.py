"""The graph in Neo4j: a GraphStore and its GraphProjection over the official driver, Community edition, one database.

Tenants share it, so every node and relationship carries `tenant_id`, every constraint and index begins with it, and
`Neo4jGraph` refuses a statement that does not name `$tenant_id`. A walk asks hop by hop: one statement a hop keeps the
nearest-first limit exact, and lets entities of equal name act as one node across audiences without being linked.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from neo4j import READ_ACCESS, GraphDatabase, Query, Session

from memory_platform.adapters import neo4j_writing as writing
from memory_platform.adapters.neo4j_cypher import (
    CONNECT,
    COUNT_EDGES,
    COUNT_NODES,
    EXPAND,
    FIND,
    HELD_EDGES,
    HELD_NODES,
    PING,
    SCHEMA,
    STEP,
    TRACED_EDGES,
    TRACED_NODES,
    CypherStatement,
)
from memory_platform.adapters.neo4j_session import DeadlineSession, Row, Rows, run, translated
from memory_platform.adapters.neo4j_writing import EPOCH, MICROSECOND, NEVER, key_of, microseconds, node_of
from memory_platform.errors import ProjectionLost, ProviderRetryable
from memory_platform.knowledge.graph import (
    BUCKETS,
    Edge,
    GraphBatch,
    GraphChecksums,
    Held,
    Moment,
    Node,
    NodeKind,
    RelationKind,
    Subgraph,
    SubgraphNode,
    Traces,
    Viewpoint,
)

CONNECT_SECONDS: Final = 1.0
WRITE_SECONDS: Final = 30.0
# Nodes a search for a way reaches in one hop, the newest units among them: as in SQL.
WIDEST_SEARCH: Final = 5_000


class Neo4jGraph:
    """One driver, made on first use and shared by threads. Raises ProviderRetryable when the server is down, slower
    than asked, or refuses for now; ProviderRefused for wrong credentials or settings.
    """

    name = "neo4j"

    def __init__(self, *, url: str, user: str, password: str, database: str = "neo4j", pool_size: int = 16) -> None:
        self._database = database
        self._driver = GraphDatabase.driver(
            url,
            auth=(user, password),
            max_connection_pool_size=pool_size,
            connection_timeout=CONNECT_SECONDS,
            max_transaction_retry_time=WRITE_SECONDS / 3,
            notifications_min_severity="OFF",
            warn_notification_severity="OFF",
            telemetry_disabled=True,
        )

    def close(self) -> None:
        self._driver.close()

    def ping(self, *, timeout: float) -> None:
        """Ask for something that is not there, and wait for the answer."""
        with self.reading(timeout) as session:
            run(session, PING, {"tenant_id": "nobody"}, timeout)

    def warm(self, *, timeout: float) -> None:
        """Have the server plan every statement a reader asks: the first time takes longer than a reader waits."""
        viewpoint, moment = Viewpoint(UUID(int=0), None, "own"), Moment.at(EPOCH)
        with self.reading(timeout) as session:
            reader = _ReaderSession.of(session, viewpoint, moment, timeout=timeout)
            reader.ask(FIND, keys=[])
            reader.ask(EXPAND, entities=[], units=[], seen=[], room=1)
            reader.ask(CONNECT, keys=[])
            reader.ask(STEP, entities=[], units=[], seen=[], room=1)

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
        with self.reading(timeout) as session:
            reader = _ReaderSession.of(session, viewpoint, moment, kinds=kinds, timeout=timeout)
            return _around(reader, [Node(NodeKind.ENTITY, seed) for seed in seeds], depth=depth, limit=limit)

    def path(
        self, start: Node, end: Node, *, max_depth: int, viewpoint: Viewpoint, moment: Moment, timeout: float
    ) -> tuple[Edge, ...] | None:
        with self.reading(timeout) as session:
            reader = _ReaderSession.of(session, viewpoint, moment, timeout=timeout)
            return _way(reader, start, end, max_depth=max_depth)

    def checksums(self, tenant_id: UUID) -> GraphChecksums:
        counts: dict[str, int] = defaultdict(int)
        sums: dict[str, int] = defaultdict(int)
        for (kind, _), (count, digest) in self.buckets(tenant_id).items():
            counts[kind] += count
            sums[kind] += digest
        return GraphChecksums(dict(counts), dict(sums))

    def buckets(self, tenant_id: UUID) -> Mapping[tuple[str, int], tuple[int, int]]:
        rows = self._survey(tenant_id, COUNT_NODES, COUNT_EDGES)
        return {(row["kind"], row["bucket"]): (row["count"], row["digest"]) for row in rows}

    def held(self, tenant_id: UUID, buckets: Sequence[int]) -> Mapping[int, Held]:
        rows = self._survey(tenant_id, HELD_NODES, HELD_EDGES, wanted=list(buckets))
        return {row["identity"]: Held(row["digest"], _mended_by(row)) for row in rows}

    def traces(self, tenant_id: UUID, wanted: Traces) -> int:
        values = {
            "keys": [key_of(node) for node in wanted.nodes],
            "units": [node.id.hex for node in wanted.nodes if node.kind is not NodeKind.ENTITY],
            "before": "g" if wanted.before is None else wanted.before.hex,
            "user_id": wanted.user_id,
            "users": list(wanted.users),
            # The whole label has to match; without words none does.
            "words": "(?!)" if wanted.words is None else f"(?isU).*{wanted.words}.*",
        }
        return sum(row["found"] for row in self._survey(tenant_id, TRACED_NODES, TRACED_EDGES, **values))

    def _survey(self, tenant_id: UUID, *statements: CypherStatement, **parameters: Any) -> Iterator[Row]:
        values = {"tenant_id": tenant_id.hex, "buckets": BUCKETS, **parameters}
        with self.reading(WRITE_SECONDS) as session:
            for statement in statements:
                yield from run(session, statement, values, WRITE_SECONDS)

    def prepare(self) -> None:
        with self._writing() as session:
            for statement in SCHEMA:
                session.run(Query(statement)).consume()

    def put(self, batch: GraphBatch) -> None:
        with self._writing() as session:
            session.execute_write(writing.put, batch)

    def remove(self, tenant_id: UUID, nodes: Sequence[Node]) -> None:
        with self._writing() as session:
            session.execute_write(writing.remove, tenant_id, nodes)

    def clear(self, tenant_id: UUID) -> None:
        dropped = writing.ROWS_AT_ONCE
        with self._writing() as session:
            while dropped == writing.ROWS_AT_ONCE:
                dropped = session.execute_write(writing.clear_some, tenant_id)
            session.execute_write(writing.forget_turn, tenant_id)

    @contextmanager
    def reading(self, timeout: float) -> Iterator[Session]:
        """A session whose every wait ends `timeout` seconds from now."""
        with translated(), self._session(timeout, default_access_mode=READ_ACCESS) as session:
            yield session

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        with translated(), self._session(WRITE_SECONDS) as session:
            yield session

    def _session(self, timeout: float, **settings: Any) -> Session:
        plain = self._driver.session(
            database=self._database,
            fetch_size=-1,
            connection_acquisition_timeout=timeout,
            disable_auto_commit_retries=True,
            **settings,
        )
        return DeadlineSession(plain, timeout)


def _mended_by(row: Row) -> tuple[Node, ...]:
    if "ends" not in row:
        return (node_of(row["key"]),)
    units = (NodeKind.ITEM, NodeKind.EPISODE) if row["evidence"] else ()
    return (*map(node_of, row["ends"]), *(Node(kind, UUID(hex=row["evidence"])) for kind in units))


@dataclass(frozen=True, slots=True)
class _VisitedNode:
    """A node of the walk; an entity stands for its namesakes, whose keys are `keys`."""

    node: Node
    keys: tuple[str, ...]
    label: str
    mentions: int
    since: int

    @property
    def rank(self) -> tuple[bool, int, Node]:
        """Within one distance: entities first, the most mentioned ahead; then units, the newest ahead."""
        if self.node.kind is NodeKind.ENTITY:
            return False, -self.mentions, self.node
        return True, -self.since, self.node


@dataclass(frozen=True, slots=True)
class _ReaderSession:
    """Asks on behalf of one reader until the deadline (by the monotonic clock)."""

    session: Session
    parameters: Row
    asked: Row
    deadline: float

    @classmethod
    def of(
        cls,
        session: Session,
        viewpoint: Viewpoint,
        moment: Moment,
        *,
        kinds: frozenset[RelationKind] | None = None,
        timeout: float,
    ) -> "_ReaderSession":
        asked = {
            "kinds": [kind.value for kind in (RelationKind if kinds is None else kinds)],
            "agent_id": viewpoint.agent_id.hex if viewpoint.agent_id else "",
            "user_id": viewpoint.whose.user_id or "",
        }
        return cls(session, _parameters(viewpoint, moment), asked, time.monotonic() + timeout)

    def ask(self, statement: CypherStatement, *, room: int = 0, **lists: list[str]) -> Rows:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise ProviderRetryable("Neo4j did not answer in time.")
        values = {**self.parameters, "asked": {**self.asked, **lists}, "room": room}
        return run(self.session, statement, values, left)

    def find(self, nodes: Sequence[Node]) -> list[_VisitedNode]:
        """The nodes, as far as they can be read. Raises ProjectionLost when nothing is known of the tenant."""
        (row,) = self.ask(FIND, keys=[key_of(node) for node in nodes])
        if not row["is_known"]:
            raise ProjectionLost("Neo4j knows nothing of the tenant.")
        return _ranked(row["found"])


def _around(reader: _ReaderSession, seeds: Sequence[Node], *, depth: int, limit: int) -> Subgraph:
    layer = reader.find(seeds)
    found: dict[Node, _VisitedNode] = {}
    truncated = False
    for hop in range(depth + 1):
        room = limit - len(found)
        truncated = len(layer) > room
        found.update((each.node, each) for each in layer[:room])
        if truncated or hop == depth or not layer:
            break
        seen = [key for each in found.values() for key in each.keys]
        # One more than there is room for tells whether there was more.
        (row,) = reader.ask(EXPAND, **_frontier(layer), seen=seen, room=limit - len(found) + 1)
        layer = _ranked(row["found"])
    return _subgraph(found, reader, truncated=truncated)


def _frontier(layer: Sequence[_VisitedNode]) -> dict[str, list[str]]:
    """What a hop starts from: units from all their edges, entities from their newest units."""
    keys: dict[str, list[str]] = {"entities": [], "units": []}
    for each in layer:
        keys["entities" if each.node.kind is NodeKind.ENTITY else "units"].extend(each.keys)
    return keys


def _ranked(rows: Iterable[Sequence[Any]]) -> list[_VisitedNode]:
    by_node = {each.node: each for each in map(_found, rows)}
    return sorted(by_node.values(), key=lambda each: each.rank)


def _found(row: Sequence[Any]) -> _VisitedNode:
    key, label, since, namesakes = row
    node = node_of(key)
    if node.kind is not NodeKind.ENTITY:
        return _VisitedNode(node, (key,), label, 0, since)
    namesakes = sorted(namesakes)
    first, label, _ = namesakes[0]
    keys = tuple(key for key, _, _ in namesakes)
    return _VisitedNode(node_of(first), keys, label, sum(mentions for _, _, mentions in namesakes), since)


def _subgraph(found: Mapping[Node, _VisitedNode], reader: _ReaderSession, *, truncated: bool) -> Subgraph:
    node_of_key = {key: node for node, each in found.items() for key in each.keys}
    rows = reader.ask(CONNECT, keys=list(node_of_key))[0]["edges"] if found else ()
    joined = (_edge(row, node_of_key) for row in rows)
    edges = tuple(dict.fromkeys(edge for edge in joined if edge.start != edge.end))
    touching: dict[Node, int] = defaultdict(int)
    for edge in edges:
        touching[edge.start] += 1
        touching[edge.end] += 1
    nodes = tuple(
        SubgraphNode(node, each.label, each.mentions if node.kind is NodeKind.ENTITY else touching[node])
        for node, each in found.items()
    )
    return Subgraph(nodes, edges, truncated=truncated)


def _edge(row: Sequence[Any], node_of_key: Mapping[str, Node]) -> Edge:
    kind, start, end, predicate, weight, confidence, valid_from, valid_until, evidence = row
    return Edge(
        kind=RelationKind(kind),
        start=node_of_key[start],
        end=node_of_key[end],
        predicate=predicate,
        weight=weight,
        confidence=confidence,
        valid_from=_time(valid_from),
        valid_until=_time(valid_until),
        evidence=UUID(hex=evidence) if evidence else None,
    )


@dataclass(slots=True)
class _SearchEnd:
    """One end of a search from both: how each node was reached, and which were reached last."""

    reached: dict[Node, tuple[Edge, ...]]
    node_of_key: dict[str, Node]
    frontier: list[_VisitedNode]
    hops: int = 0

    @classmethod
    def at(cls, found: _VisitedNode) -> "_SearchEnd":
        return cls({found.node: ()}, dict.fromkeys(found.keys, found.node), [found])

    def step(self, reader: _ReaderSession) -> list[Node]:
        """Go one hop further; returns what was reached."""
        (answer,) = reader.ask(STEP, **_frontier(self.frontier), seen=list(self.node_of_key), room=WIDEST_SEARCH)
        self.frontier, self.hops = [], self.hops + 1
        for node, link in answer["found"]:
            each = _found(node)
            if each.node in self.reached:
                continue
            self.node_of_key.update(dict.fromkeys(each.keys, each.node))
            edge = _edge(link, self.node_of_key)
            before = edge.start if edge.end == each.node else edge.end
            self.reached[each.node] = (*self.reached[before], edge)
            self.frontier.append(each)
        return [each.node for each in self.frontier]


def _way(reader: _ReaderSession, start: Node, end: Node, *, max_depth: int) -> tuple[Edge, ...] | None:
    """A search from both ends: two short walks meet after far fewer nodes than a long one passes."""
    found = {key: each for each in reader.find([start, end]) for key in each.keys}
    first, last = found.get(key_of(start)), found.get(key_of(end))
    if first is None or last is None:
        return None
    if first.node == last.node:
        return ()
    sides = _SearchEnd.at(first), _SearchEnd.at(last)
    while sides[0].hops + sides[1].hops < max_depth:
        near, far = sorted(sides, key=lambda side: len(side.frontier))
        if not near.frontier:
            return None
        met = [node for node in near.step(reader) if node in far.reached]
        if met:
            middle = min(met, key=lambda node: len(far.reached[node]))
            return (*sides[0].reached[middle], *reversed(sides[1].reached[middle]))
    return None


def _parameters(viewpoint: Viewpoint, moment: Moment) -> Row:
    return {
        "tenant_id": viewpoint.tenant_id.hex,
        "everything": viewpoint.reach == "tenant",
        "shared": viewpoint.reach == "shared",
        "any_user": viewpoint.whose.everyone,
        "believed_at": microseconds(moment.believed_at),
        "true_at": microseconds(moment.true_at),
    }


def _time(microseconds: int | None) -> datetime | None:
    return None if microseconds in {None, NEVER} else EPOCH + (microseconds or 0) * MICROSECOND
