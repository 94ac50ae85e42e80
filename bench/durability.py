"""kill -9 the worker, then Valkey, then PostgreSQL during an ingest of 2,000 turns: nothing lost, nothing twice."""

import itertools
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from apps.stack.supervisor import Stack, StackOptions, private_stack
from bench.figures import at_most, figure
from memory_client import MemoryClient, MemoryClientError

TURNS = 2_000
CHUNK = 50
VICTIMS = ("worker", "valkey", "postgres")
DEADLINE_SECONDS = 300


def run() -> None:
    with private_stack(StackOptions(root=Path(), durable=True), supervised=True) as stack:
        with MemoryClient(stack.url, str(stack.first_tenant["api_key"]), timeout=60.0) as agent:
            killer = threading.Thread(target=_kill_in_turn, args=(stack,))
            killer.start()
            accepted = _ingest(agent)
            killer.join()
            _wait(agent)
        observed = _observed(stack)
    lost = accepted - observed.keys()
    figure("turns accepted while servers were killed", len(accepted), "turns")
    figure("accepted turns lost", len(lost), "turns", bar=at_most(0))
    figure("accepted turns observed twice", sum(count > 1 for count in observed.values()), "turns", bar=at_most(0))


def _lines() -> Iterator[dict[str, Any]]:
    for number in range(TURNS):
        yield {
            "external_id": f"turn-{number}",
            "session_id": f"session-{number // 100}",
            "speaker": "Mara",
            "content": f"I paid invoice {number} of supplier {number % 37} on 3 March 2026, it was {number * 7} euros.",
            "content_at": "2026-03-03T10:00:00+00:00",
        }


def _ingest(agent: MemoryClient) -> set[str]:
    """Send chunk by chunk; one that fails is sent again, as any client would. Returns what was ever accepted."""
    accepted: set[str] = set()
    lines = _lines()
    while chunk := list(itertools.islice(lines, CHUNK)):
        deadline = time.monotonic() + DEADLINE_SECONDS
        while True:
            try:
                answer = agent.ingest(chunk)
            except MemoryClientError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.3)
                continue
            accepted |= {
                chunk[result.line - 1]["external_id"]
                for result in answer.results
                if result.status in {"accepted", "duplicate"}
            }
            break
    return accepted


def _kill_in_turn(stack: Stack) -> None:
    for name in VICTIMS:
        time.sleep(2.0)
        os.kill(stack.pids[name], signal.SIGKILL)


def _wait(agent: MemoryClient) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        try:
            agent.wait_until_idle()
        except MemoryClientError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
        else:
            return


def _observed(stack: Stack) -> Counter[str]:
    """How often each turn was observed, counted in the database itself."""
    if stack.postgres is None:
        raise RuntimeError("this benchmark needs the embedded PostgreSQL")
    with psycopg.connect(stack.postgres.superuser_url()) as connection:
        rows = connection.execute(
            "SELECT resource.external_id, count(*) FROM memory_extraction AS extraction"
            " JOIN resources_resource AS resource ON resource.id = extraction.resource_id GROUP BY 1"
        ).fetchall()
    return Counter({str(external_id): int(count) for external_id, count in rows})
