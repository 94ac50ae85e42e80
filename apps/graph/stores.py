"""Which store answers: SQL, or another server for the walks it is faster at, as long as it is up and complete.

A server that fails or is late several times in a row is left alone: SQL answers at once, and a probe on a thread of
its own finds out when it is back. So is the copy of a tenant that is not through, or has fallen behind.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Generic, TypeVar
from uuid import UUID

import structlog
from django.db.models import QuerySet
from prometheus_client import Counter, Gauge

from apps.core import providers, scope
from apps.core.clock import now
from apps.environment import environment
from apps.graph.models import Projection
from apps.graph.store_sql import SqlGraph
from apps.jobs import selectors as jobs
from apps.jobs.models import Job
from memory_platform.circuit import CLOSED, Pacing, after_failure, untried
from memory_platform.errors import Conflict, ProviderError, ProviderRetryable
from memory_platform.knowledge.graph import Edge, GraphChecksums, Moment, Node, RelationKind, Subgraph, Viewpoint
from memory_platform.ports import GraphServer, GraphStore

EXPORT_JOB: Final = "graph.export"
COPY_JOB: Final = "graph.copy"
# SQL answers meanwhile, so that a pause costs little; a deadline that one walk misses says little of the next one.
PACING: Final = Pacing(first_pause=2.0, longest_pause=30.0, one_deadline_is_enough=False)
PROBE_SECONDS: Final = 30.0
# A copy whose oldest change has waited so long is not read: the change may be what the question is about.
LAG_SECONDS: Final = 10.0
# A way through the graph is asked for by somebody who waits for it: it may take longer than a walk within a recall.
PATH_SECONDS: Final = 2.0
THREADS: Final = 16

READS = Counter("memory_graph_reads", "Walks through the graph, by the store that was to answer.", ["store", "outcome"])
OPEN = Gauge("memory_graph_breaker_open", "1: the graph's other server is left alone.", multiprocess_mode="max")

log = structlog.get_logger(__name__)
_T = TypeVar("_T")


class BreakerState(StrEnum):
    UNTRIED = "untried"
    """Nobody has asked the server yet."""
    CLOSED = "closed"
    """The server answers."""
    OPEN = "open"
    """The server failed, and is left alone for a while."""


class GraphBreaker:
    """Whether to ask the server, once a process. It begins untried: the first probe finds out."""

    def __init__(self, probe: Callable[[], None]) -> None:
        self._untried = self._circuit = untried(PACING)
        self._probe = probe
        self._lock = threading.Lock()
        self._is_probing = False
        self._missed: Callable[[], object] | None = None

    @property
    def state(self) -> BreakerState:
        if self._circuit.is_closed:
            return BreakerState.CLOSED
        return BreakerState.UNTRIED if self._circuit == self._untried else BreakerState.OPEN

    @property
    def lets_pass(self) -> bool:
        """Never waits: where it is time for a probe, that begins on a thread of its own."""
        if self._circuit.is_closed:
            return True
        if self._begin_probe():
            threading.Thread(target=self._try, name="graph-probe", daemon=True).start()
        return False

    def try_now(self) -> bool:
        """As `lets_pass`, for who can wait for the probe: jobs, and a server that starts."""
        if not self._circuit.is_closed and self._begin_probe():
            self._try()
        return self._circuit.is_closed

    def succeeded(self) -> None:
        """What was asked before a pause began does not end it."""
        with self._lock:
            if self._circuit.is_closed:
                self._circuit = CLOSED

    def failed(self, error: ProviderError, again: Callable[[], object] | None = None) -> None:
        """Count it. `again` asks the same without haste: the next probe does, so that what the server had to load or
        plan for it is there for those who follow.
        """
        with self._lock:
            self._missed = again or self._missed
            if self._circuit.is_closed:
                self._fail(error)

    def _begin_probe(self) -> bool:
        with self._lock:
            if self._is_probing or self._circuit.is_open(time.monotonic()):
                return False
            self._is_probing = True
            return True

    def _try(self) -> None:
        missed, self._missed = self._missed, None
        try:
            self._probe()
            if missed is not None:
                missed()
        except ProviderError as error:
            with self._lock:
                self._fail(error)
        else:
            with self._lock:
                self._circuit = CLOSED
                OPEN.set(0)
            log.info("graph.server_answers")
        finally:
            self._is_probing = False

    def _fail(self, error: ProviderError) -> None:
        before = self.state
        self._circuit = after_failure(self._circuit, error, time.monotonic(), pacing=PACING)
        if self.state is BreakerState.OPEN and before is not BreakerState.OPEN:
            log.warning("graph.server_left_alone", error=str(error))
            OPEN.set(1)


class GuardedGraph:
    """A store on another server: its deadline is the deployment's, and its failures are counted."""

    def __init__(self, server: GraphServer, breaker: GraphBreaker, *, timeout: float) -> None:
        self.name = server.name
        self._server = server
        self._breaker = breaker
        self._timeout = timeout

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
        def ask(seconds: float) -> Subgraph:
            return self._server.neighbourhood(
                seeds, depth=depth, limit=limit, viewpoint=viewpoint, moment=moment, kinds=kinds, timeout=seconds
            )

        return self._ask(ask, min(timeout, self._timeout))

    def path(
        self, start: Node, end: Node, *, max_depth: int, viewpoint: Viewpoint, moment: Moment, timeout: float
    ) -> tuple[Edge, ...] | None:
        def ask(seconds: float) -> tuple[Edge, ...] | None:
            return self._server.path(
                start, end, max_depth=max_depth, viewpoint=viewpoint, moment=moment, timeout=seconds
            )

        return self._ask(ask, timeout)

    def checksums(self, tenant_id: UUID) -> GraphChecksums:
        return self._server.checksums(tenant_id)

    def _ask(self, question: Callable[[float], _T], seconds: float) -> _T:
        try:
            answer = question(seconds)
        except ProviderError as error:
            self._breaker.failed(error, lambda: question(PROBE_SECONDS))
            READS.labels(self.name, "failed").inc()
            raise
        self._breaker.succeeded()
        READS.labels(self.name, "answered").inc()
        return answer


SQL: Final = SqlGraph()
_pool: Final = ThreadPoolExecutor(THREADS, thread_name_prefix="graph")


@dataclass(frozen=True, slots=True)
class Choice:
    """The store to ask, and whether another one should have answered."""

    store: GraphStore
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class StoreAnswer(Generic[_T]):
    """What a store said, and whether another one should have."""

    found: _T
    degraded: bool


@dataclass(frozen=True, slots=True)
class _GuardedServer:
    """The configured server with its breaker: one of each a process."""

    graph: GraphServer
    breaker: GraphBreaker
    guarded: GuardedGraph


def chosen(depth: int) -> Choice:
    """The store to ask for a walk of so many hops. Needs an open scope and its connection."""
    server = _server()
    if server is None or depth < environment().neo4j_from_depth:
        return Choice(SQL)
    if server.breaker.lets_pass and _is_current(scope.current().tenant_id):
        return Choice(server.guarded)
    READS.labels(server.graph.name, "left_alone").inc()
    return Choice(SQL, degraded=True)


def begin(depth: int, question: Callable[[GraphStore], _T], *, seconds: float) -> Callable[[], StoreAnswer[_T]]:
    """Begin to ask the store chosen for the depth; calling the result waits for the answer.

    Another server than SQL is asked on a thread of its own, so that the caller's connection is free meanwhile; when it
    fails, or has not answered `seconds` after it is waited for, SQL answers.
    """
    choice = chosen(depth)
    if choice.store is SQL:
        return lambda: StoreAnswer(question(SQL), choice.degraded)
    asked = _pool.submit(question, choice.store)

    def wait() -> StoreAnswer[_T]:
        try:
            return StoreAnswer(asked.result(timeout=seconds), degraded=False)
        except (ProviderError, TimeoutError) as error:
            log.warning("graph.answered_by_sql", error_class=type(error).__name__)
            return StoreAnswer(question(SQL), degraded=True)

    return wait


def path(start: Node, end: Node, *, max_depth: int, viewpoint: Viewpoint, moment: Moment) -> tuple[Edge, ...] | None:
    """A shortest way by the store chosen for its length; see GraphStore."""

    def ask(store: GraphStore) -> tuple[Edge, ...] | None:
        return store.path(start, end, max_depth=max_depth, viewpoint=viewpoint, moment=moment, timeout=PATH_SECONDS)

    return begin(max_depth, ask, seconds=PATH_SECONDS)().found


def require_server() -> GraphServer:
    """The server the graph is copied to. Raises Conflict when none is configured."""
    server = _server()
    if server is None:
        raise Conflict(
            "No Neo4j is configured, so there is no copy of the graph: SQL answers everything.",
            hint="Set MEMORY_NEO4J_URL; docs/guides/graph.md shows how.",
        )
    return server.graph


def is_configured() -> bool:
    """Whether there is a server the graph is copied to."""
    return _server() is not None


def writable() -> GraphServer:
    """The server, for jobs that copy. Raises ProviderRetryable while it is left alone, or this worker knows of none."""
    server = _server()
    if server is None or not server.breaker.try_now():
        raise ProviderRetryable("The graph's other server does not answer.")
    return server.graph


def warm() -> None:
    """Find out whether the server answers, and have it ready, before the first question. Never raises."""
    server = _server()
    if server is not None:
        server.breaker.try_now()


class ProjectionState(StrEnum):
    """How far the copy of a graph has come."""

    ABSENT = "absent"
    """It was never begun."""
    BUILDING = "building"
    """It is being filled."""
    COMPLETE = "complete"
    """It has every change."""
    LAGGING = "lagging"
    """It is complete but for changes that have waited too long."""


@dataclass(frozen=True, slots=True)
class ProjectionStatus:
    """How the copy of a tenant's graph stands. `server` is None where none is configured."""

    server: str | None
    breaker: BreakerState | None
    state: ProjectionState
    completed_at: datetime | None
    waiting_jobs: int
    oldest_waiting_seconds: float


def status() -> ProjectionStatus:
    """Of the open scope's tenant."""
    tenant_id = scope.current().tenant_id
    server = _server()
    row = Projection.objects.filter(tenant_id=tenant_id).first()
    oldest = oldest_waiting_seconds(tenant_id)
    return ProjectionStatus(
        server=server.graph.name if server else None,
        breaker=server.breaker.state if server else None,
        state=_state(row, oldest),
        completed_at=row.completed_at if row else None,
        waiting_jobs=_waiting(tenant_id).count(),
        oldest_waiting_seconds=round(oldest, 1),
    )


def _state(row: Projection | None, oldest: float) -> ProjectionState:
    if row is None:
        return ProjectionState.ABSENT
    if row.completed_at is None:
        return ProjectionState.BUILDING
    return ProjectionState.COMPLETE if oldest < LAG_SECONDS else ProjectionState.LAGGING


def breaker_state() -> BreakerState | None:
    """None where no server is configured."""
    server = _server()
    return None if server is None else server.breaker.state


def oldest_waiting_seconds(tenant_id: UUID) -> float:
    """How long the oldest change has waited to be copied; 0: none does."""
    oldest = _waiting(tenant_id).order_by("created_at").values_list("created_at", flat=True).first()
    return 0.0 if oldest is None else (now() - oldest).total_seconds()


def _waiting(tenant_id: UUID) -> QuerySet[Job]:
    """Changes and steps of a rebuild that are not copied yet."""
    return jobs.unfinished(tenant_id, (EXPORT_JOB, COPY_JOB))


def _is_current(tenant_id: UUID) -> bool:
    is_complete = Projection.objects.filter(tenant_id=tenant_id, completed_at__isnull=False).exists()
    return is_complete and oldest_waiting_seconds(tenant_id) < LAG_SECONDS


_servers: list[_GuardedServer] = []
_servers_lock = threading.Lock()


def _server() -> _GuardedServer | None:
    graph = providers.graph_server()
    if graph is None:
        return None
    with _servers_lock:
        if not _servers or _servers[0].graph is not graph:
            breaker = GraphBreaker(lambda: graph.warm(timeout=PROBE_SECONDS))
            guarded = GuardedGraph(graph, breaker, timeout=environment().neo4j_timeout_seconds)
            _servers[:] = [_GuardedServer(graph, breaker, guarded)]
        return _servers[0]
