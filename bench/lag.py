"""Projection lag: after an ingest, how long the graph is behind what the worker has observed.

A stack with one worker, as `make run` starts it; 5,000 distinct turns are ingested at once. The floor is the time until
the last of them is observed; the value what passes after that until the graph holds everything and, with a Neo4j
configured by MEMORY_NEO4J_URL, until that has caught up, too.
"""

import os
import time
from pathlib import Path

import psycopg

from apps.stack.supervisor import Stack, StackOptions, private_stack
from bench.figures import at_most, figure
from bench.throughput import lines_of, text_of
from memory_client import MemoryClient

TURNS = int(os.environ.get("BENCH_TURNS", "5000"))
POLL_SECONDS = 0.25
LONGEST_SECONDS = 3_600.0
PENDING = """
SELECT count(*) FILTER (WHERE name LIKE 'memory.%'), count(*) FILTER (WHERE name LIKE 'graph.%'),
    count(*) FILTER (WHERE state = 'failed')
FROM jobs_job WHERE state IN ('queued', 'running', 'failed')
"""


def run() -> None:
    options = StackOptions(root=Path(), durable=True, environment={"MEMORY_EMBEDDER": "minilm"})
    with private_stack(options) as stack, MemoryClient(stack.url, str(stack.first_tenant["api_key"])) as agent:
        began = time.perf_counter()
        agent.ingest(lines_of([text_of(number) for number in range(TURNS)]))
        accepted = time.perf_counter() - began
        observed, projected = _wait(stack, began)
    figure(f"{TURNS} turns accepted", accepted, "s")
    figure("until the worker has observed them", observed, "s")
    figure("and the graph after that", projected - observed, "s", floor=observed, bar=at_most(1.0))


def _wait(stack: Stack, began: float) -> tuple[float, float]:
    """Seconds until nothing is left to observe, and until nothing is left to project."""
    if stack.postgres is None:
        raise RuntimeError("this benchmark needs the embedded PostgreSQL")
    observed = None
    with psycopg.connect(stack.postgres.superuser_url(), autocommit=True) as connection:
        while (elapsed := time.perf_counter() - began) < LONGEST_SECONDS:
            memory, graph, failed = connection.execute(PENDING).fetchone() or (0, 0, 0)
            if failed:
                raise RuntimeError(f"{failed} jobs failed")
            if not memory and observed is None:
                observed = elapsed
            if not memory and not graph:
                return observed or elapsed, elapsed
            time.sleep(POLL_SECONDS)
    raise TimeoutError(f"{TURNS} turns not projected within {LONGEST_SECONDS} s")
