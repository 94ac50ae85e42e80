"""Recalls a second over HTTP by one client and by eight at once: same server, same questions, the client's CPU beside.

The clients are threads of this process with a kept-alive connection each; what they burn is not the server's, so it is
reported. Any answer but a good one fails the benchmark, a pool that ran dry above all.
"""

import http.client
import json
import os
import resource
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from apps.stack.supervisor import Stack
from bench.figures import at_least, figure, percentile
from bench.latency import RECALL, settle
from bench.served import served

DOCUMENTS = int(os.environ.get("BENCH_DOCUMENTS", "20000"))
CLIENTS = 8
WARM_UP = 40
QUESTIONS = 480
ROUNDS = 6
"""One client and eight take turns, so that what else the machine does meets both."""


def run() -> None:
    with served() as stack:
        measure(stack)


def measure(stack: Stack) -> None:
    from bench import growth  # noqa: PLC0415  its models need Django to be set up against this stack

    held = growth.filled("concurrency", DOCUMENTS)
    settle()
    key, world = held.key, held.world
    bodies = [
        json.dumps({"query": RECALL, "variables": {"query": world.question()}}).encode() for _ in range(QUESTIONS)
    ]
    _ask_all(stack.url, key, bodies[:WARM_UP], clients=CLIENTS)
    rounds = [bodies[number::ROUNDS] for number in range(ROUNDS)]
    pairs = [[_ask_all(stack.url, key, own, clients=clients) for clients in (1, CLIENTS)] for own in rounds]
    alone, together = (Measured.of(own) for own in zip(*pairs, strict=True))
    for name, measured in (("1 client", alone), (f"{CLIENTS} clients", together)):
        figure(f"recalls a second, {name}, {DOCUMENTS} documents", measured.rate, "1/s")
        figure(f"recall over HTTP, {name}, p50", percentile(measured.spent, 50), "ms")
        figure(f"recall over HTTP, {name}, p95", percentile(measured.spent, 95), "ms")
        figure(f"the clients' own processor time, {name}", measured.client_cpu, "ms a request")
    rates = f"recalls a second, {CLIENTS} clients over 1"
    figure(rates, together.rate, "1/s", floor=alone.rate, bar=at_least(1.5))


class Measured:
    """Milliseconds of each request, requests a second, and the clients' CPU milliseconds a request."""

    def __init__(self, spent: list[float], seconds: float, cpu_seconds: float) -> None:
        self.spent = spent
        self.seconds = seconds
        self.cpu_seconds = cpu_seconds

    @classmethod
    def of(cls, rounds: Sequence["Measured"]) -> "Measured":
        """All rounds as one."""
        spent = [each for own in rounds for each in own.spent]
        return cls(spent, sum(own.seconds for own in rounds), sum(own.cpu_seconds for own in rounds))

    @property
    def rate(self) -> float:
        return len(self.spent) / self.seconds

    @property
    def client_cpu(self) -> float:
        return 1000 * self.cpu_seconds / len(self.spent)


def _ask_all(url: str, key: str, bodies: Sequence[bytes], *, clients: int) -> Measured:
    shares = [bodies[number::clients] for number in range(clients)]
    before = resource.getrusage(resource.RUSAGE_SELF)
    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        spent = [each for own in pool.map(lambda share: _ask(url, key, share), shares) for each in own]
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(spent, seconds, cpu)


def _ask(url: str, key: str, bodies: Sequence[bytes]) -> list[float]:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    spent = []
    for body in bodies:
        began = time.perf_counter()
        connection.request("POST", "/graphql", body, headers)
        response = connection.getresponse()
        answer = response.read()
        spent.append((time.perf_counter() - began) * 1000)
        if response.status != http.client.OK or b'"errors"' in answer:
            raise RuntimeError(f"{response.status}: {answer[:300]!r}")
    connection.close()
    return spent
