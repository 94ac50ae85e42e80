"""One agent floods the shared memory over HTTP; the others notice nothing."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx
import pytest

from apps.stack.supervisor import Stack
from tests.stacks import stack_of_its_own

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

WRITES_A_MINUTE = 60
FLOODERS = 4
ASKED = 40
# What four busy threads on the same two cores may cost; a queue behind the flood would cost far more.
SLOWER_AT_MOST = 8.0
SECONDS_IN_ANY_CASE = 0.5


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with stack_of_its_own("wordllama") as started:
        yield started


@pytest.fixture
def agent_called(stack: Stack):
    """An HTTP client with a key of an agent of its own."""
    opened = []

    def make(slug: str) -> httpx.Client:
        admin = httpx.Client(base_url=stack.url, headers=_header(str(stack.first_tenant["api_key"])))
        made = admin.post("/api/v1/keys", json={"scopes": ["read", "write", "share"], "agent_id": slug}).json()
        opened.extend([admin, httpx.Client(base_url=stack.url, headers=_header(made["token"]), timeout=30)])
        return opened[-1]

    yield make
    for client in opened:
        client.close()


def _header(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@dataclass
class Flood:
    """Writes as fast as it can from several threads until the block is left; counts statuses."""

    client: httpx.Client
    statuses: Counter = field(default_factory=Counter)
    retry_after: list[float] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self):
        self.threads = [threading.Thread(target=self._write, args=(number,)) for number in range(FLOODERS)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_error):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def _write(self, number: int):
        count = 0
        while not self.over.is_set():
            text = f"Gauge {number} of line {count} reads {count * 7 % 97} bar at noon."
            answer = self.client.post("/api/v1/shared-memory", json={"text": text})
            self.statuses[answer.status_code] += 1
            if answer.status_code == 429:
                self.retry_after.append(float(answer.headers["Retry-After"]))
            count += 1


def p95_of(client: httpx.Client, questions: int) -> float:
    """Seconds of the slowest twentieth of some recalls over shared memory; every one must succeed."""
    spent = []
    for number in range(questions):
        began = time.perf_counter()
        body = {"query": f"When does ferry {number % 5} leave?", "profile": "lean"}
        assert client.post("/api/v1/shared-memory/query", json=body).status_code == 200
        spent.append(time.perf_counter() - began)
    return sorted(spent)[int(0.95 * len(spent))]


def test_a_flood_by_one_agent_leaves_the_others_latency_and_quota_alone(agent_called):
    calm, noisy = agent_called("harbour"), agent_called("gauges")
    for number in range(10):
        written = calm.post("/api/v1/shared-memory", json={"text": f"Ferry {number} leaves at {number + 8} o'clock."})
        assert written.status_code == 200
    p95_of(calm, 10)
    before = p95_of(calm, ASKED)

    with Flood(noisy) as flood:
        while flood.statuses[429] < 2 * FLOODERS:
            time.sleep(0.05)
        during = p95_of(calm, ASKED)
        writes = [
            calm.post("/api/v1/shared-memory", json={"text": f"Pier {number} is {number + 3} metres wide."})
            for number in range(30)
        ]

    assert [answer.status_code for answer in writes] == [200] * 30
    assert during <= max(SLOWER_AT_MOST * before, SECONDS_IN_ANY_CASE)
    assert flood.statuses.keys() == {200, 429}
    # The bucket refills while the flood lasts: one more a second.
    assert WRITES_A_MINUTE <= flood.statuses[200] <= 3 * WRITES_A_MINUTE
    assert flood.statuses[429] > flood.statuses[200]
    assert min(flood.retry_after) >= 1
