"""A real Neo4j that is killed, stopped, cut off or half filled under recall: SQL answers, and it heals by itself."""

import os
import signal
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from apps import environment
from apps.core import providers, scope
from apps.core.scope import Reach, Scope
from apps.graph import services as graph_services
from apps.graph import stores, topics
from apps.graph.services import drift, exporting
from apps.graph.stores import BreakerState
from apps.jobs import registry
from apps.jobs import services as jobs
from apps.memory import services as memory
from apps.memory.requests import NewMemory
from apps.retrieval import services as retrieval
from apps.retrieval.requests import RecallRequest
from apps.retrieval.results import RecallResult
from apps.stack import neo4j
from apps.stack.data_root import default_root
from apps.stack.neo4j import EmbeddedNeo4j
from apps.stack.process import wait_until
from memory_platform.adapters.neo4j import Neo4jGraph
from memory_platform.adapters.scripted import ScriptedJudge
from tests.conftest import neo4j_graph
from tests.faults import tcp_proxy

pytestmark = [pytest.mark.faults, pytest.mark.neo4j, pytest.mark.slow, pytest.mark.timeout(300)]

FACTS = (
    "Anna Berg works at Brightwave.",
    "Carl Voss works at Brightwave.",
    "Carl Voss lives in Lisbon.",
    "Brightwave builds the Orion telescope.",
)
QUESTION = "Who works at Brightwave?"
# A recall here takes some tens of milliseconds; this is far from any deadline of a network.
PROMPT_SECONDS = 3.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedNeo4j]:
    """A Neo4j to be mistreated."""
    made = EmbeddedNeo4j(tmp_path_factory.mktemp("neo4j"), jars=neo4j.library(default_root()), durable=False)
    made.start()
    yield made
    made.stop()


@dataclass
class Deployment:
    """One tenant with a copy of its graph on `graph`."""

    within: Scope
    graph: Neo4jGraph

    @property
    def worker(self) -> Scope:
        return Scope(self.within.tenant_id, None, Reach.TENANT)

    def recall(self) -> RecallResult:
        return retrieval.recall(RecallRequest(query=QUESTION), within=self.within, domain="")

    def timed_recall(self) -> tuple[RecallResult, float]:
        began = time.perf_counter()
        answer = self.recall()
        return answer, time.perf_counter() - began

    def remember(self, text: str) -> None:
        memory.remember(NewMemory(text=text), within=self.within)

    def work(self, limit: int | None = None) -> int:
        return jobs.drain("test", limit=limit, tenant_id=self.within.tenant_id)

    @property
    def state(self) -> str:
        with scope.enter(self.worker):
            return stores.status().state

    def heals(self, *, seconds: float = 60) -> bool:
        """Work as a worker would, and ask as users would, until the copy answers and lacks nothing."""

        def healed() -> bool:
            self.work()
            answers = self.recall().degraded == ()
            return answers and stores.breaker_state() is BreakerState.CLOSED and self._waits_for_nothing()

        return wait_until(healed, seconds=seconds)

    def _waits_for_nothing(self) -> bool:
        with scope.enter(self.worker):
            return stores.status().waiting_jobs == 0


@pytest.fixture
def deploy(
    server: EmbeddedNeo4j,
    tenant: SimpleNamespace,
    agent: SimpleNamespace,
    judge: ScriptedJudge,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Deployment]]:
    """Have the platform use the server, or what stands in front of it, and project some facts."""
    monkeypatch.setattr(stores, "PACING", replace(stores.PACING, first_pause=0.2, longest_pause=1.0))
    monkeypatch.setattr(registry, "_subscribers", {**registry._subscribers, topics.CHANGED: {exporting.EXPORT_JOB}})
    monkeypatch.setattr(jobs, "backoff_seconds", lambda _attempt, **_bounds: 0.5)
    settings = environment.environment().model_copy(update={"neo4j_from_depth": 1, "neo4j_timeout_seconds": 0.3})
    monkeypatch.setattr(stores, "environment", lambda: settings)
    made: list[Neo4jGraph] = []

    def begin(url: str | None = None) -> Deployment:
        server.start()
        graph = neo4j_graph(server, url=url)
        made.append(graph)
        monkeypatch.setattr(providers, "graph_server", lambda: graph)
        stores.warm()
        deployment = Deployment(Scope(tenant.id, agent.id, Reach.OWN), graph)
        for fact in FACTS:
            deployment.remember(fact)
        assert deployment.heals()
        return deployment

    yield begin
    for graph in made:
        graph.close()


def texts(answer: RecallResult) -> list[str]:
    return [hit.text for hit in answer.hits]


def drifts(deployment: Deployment) -> tuple[str, ...]:
    return drift.find(within=deployment.worker).kinds


def test_a_killed_server_is_replaced_by_sql_and_catches_up_afterwards(
    server: EmbeddedNeo4j, deploy: Callable[..., Deployment]
) -> None:
    deployment = deploy()
    before = deployment.recall()
    assert texts(before)

    os.kill(server.pid, signal.SIGKILL)
    answers = [deployment.timed_recall() for _ in range(5)]

    assert {answer.degraded for answer, _ in answers} == {("graph",)}
    assert all(texts(answer) == texts(before) for answer, _ in answers)
    assert max(seconds for _, seconds in answers) < PROMPT_SECONDS
    assert stores.breaker_state() is BreakerState.OPEN
    deployment.remember("Dora Klein works at Brightwave.")
    deployment.work()
    assert any("Dora Klein" in text for text in texts(deployment.recall()))

    server.start()

    assert deployment.heals()
    assert drifts(deployment) == ()
    assert deployment.state == "complete"


def test_a_server_that_hangs_costs_its_deadline_three_times_and_then_nothing(
    server: EmbeddedNeo4j, deploy: Callable[..., Deployment], monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = deploy()
    usual = statistics.median(deployment.timed_recall()[1] for _ in range(5))
    before = texts(deployment.recall())
    # No probe within the test: each would hold a thread, and the machine, while the server is stopped.
    monkeypatch.setattr(stores, "PACING", replace(stores.PACING, first_pause=3.0, longest_pause=3.0))

    os.kill(server.pid, signal.SIGSTOP)
    try:
        late = [deployment.timed_recall() for _ in range(stores.PACING.failures_in_a_row)]
        assert stores.breaker_state() is BreakerState.OPEN
        left_alone = [deployment.timed_recall() for _ in range(5)]
    finally:
        os.kill(server.pid, signal.SIGCONT)

    assert {answer.degraded for answer, _ in (*late, *left_alone)} == {("graph",)}
    assert all(texts(answer) == before for answer, _ in (*late, *left_alone))
    assert [seconds for _, seconds in late if not 0.3 <= seconds < 0.3 + PROMPT_SECONDS] == []
    assert statistics.median(seconds for _, seconds in left_alone) < max(3 * usual, 0.25)
    assert deployment.heals()
    assert drifts(deployment) == ()


def test_a_worker_does_not_wait_for_a_server_that_hangs(
    server: EmbeddedNeo4j, deploy: Callable[..., Deployment], monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = deploy()
    usual = stores.PROBE_SECONDS
    monkeypatch.setattr(stores, "PROBE_SECONDS", 0.5)
    deployment.remember("Dora Klein works at Brightwave.")

    os.kill(server.pid, signal.SIGSTOP)
    try:
        for _ in range(stores.PACING.failures_in_a_row):
            deployment.recall()
        began = time.perf_counter()
        deployment.work()
        assert time.perf_counter() - began < 5
    finally:
        os.kill(server.pid, signal.SIGCONT)

    monkeypatch.setattr(stores, "PROBE_SECONDS", usual)
    assert deployment.heals()
    assert drifts(deployment) == ()


def test_cut_connections_fail_no_recall_and_are_made_anew(
    server: EmbeddedNeo4j, deploy: Callable[..., Deployment]
) -> None:
    with tcp_proxy.in_front_of(server.port) as proxy:
        deployment = deploy(f"bolt://127.0.0.1:{proxy.port}")
        before = texts(deployment.recall())

        for _ in range(3):
            assert proxy.cut() >= 1
            answer, seconds = deployment.timed_recall()
            assert texts(answer) == before
            assert seconds < PROMPT_SECONDS
            assert answer.degraded in {(), ("graph",)}
            assert deployment.heals(seconds=20)

        proxy.refuses = True
        proxy.cut()
        refused = [deployment.timed_recall() for _ in range(4)]
        assert {answer.degraded for answer, _ in refused} == {("graph",)}
        assert max(seconds for _, seconds in refused) < PROMPT_SECONDS
        proxy.refuses = False
        assert deployment.heals()


def test_a_connection_cut_in_the_middle_of_copying_loses_nothing(
    server: EmbeddedNeo4j, deploy: Callable[..., Deployment]
) -> None:
    with tcp_proxy.in_front_of(server.port) as proxy:
        deployment = deploy(f"bolt://127.0.0.1:{proxy.port}")
        for number in range(5):
            deployment.remember(f"Person Number{number} works at Brightwave.")
            deployment.work(limit=1)
            proxy.cut()

        assert deployment.heals()
        assert drifts(deployment) == ()


def test_a_half_projected_tenant_is_answered_by_sql(
    deploy: Callable[..., Deployment], monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = deploy()
    before = texts(deployment.recall())
    monkeypatch.setattr(exporting, "NODES_AT_ONCE", 2)
    monkeypatch.setattr(exporting, "STEP_SECONDS", 0.0)

    with scope.enter(deployment.worker):
        graph_services.rebuild_projection()
    steps = 0
    while deployment.state != "complete":
        answer = deployment.recall()
        assert answer.degraded == ("graph",)
        assert texts(answer) == before
        assert deployment.work(limit=1) == 1
        steps += 1

    assert steps > 3
    assert deployment.heals()
    assert texts(deployment.recall()) == before


def test_a_server_that_was_emptied_is_noticed_and_filled_again(
    deploy: Callable[..., Deployment], monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = deploy()
    before = texts(deployment.recall())
    deployment.graph.clear(deployment.within.tenant_id)

    answer = deployment.recall()
    assert (answer.degraded, texts(answer)) == (("graph",), before)

    deployment.remember("Dora Klein works at Brightwave.")
    assert deployment.heals()
    assert drifts(deployment) == ()
