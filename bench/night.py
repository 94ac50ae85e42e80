"""A night over many memories: how long it takes, what it does to recall beside it, and whether its memory grows.

The large tenant's nightly runs in a worker of its own process, as it does in production, while one client asks another
tenant; the same questions are asked before and after it: the ratio is of one run. One memory of a hundred is new,
another of a hundred is past its time, so that each step has something to do. What is new came in as messages bring it:
a few memories at a time, compared with what was there.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import cycle, repeat
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import httpx
import numpy as np

from apps.stack.supervisor import Stack
from bench.figures import at_most, figure, percentile
from bench.latency import RECALL, TURNS, WARM_UP, new_key, settle
from bench.served import served
from memory_platform.ports import Vectors

if TYPE_CHECKING:
    from apps.memory.models import Item
    from bench.synthetic import Corpus

FULL = 100_000
ITEMS = int(os.environ.get("BENCH_ITEMS", FULL))
QUESTIONS = int(os.environ.get("BENCH_QUESTIONS", "200"))
NEW_SHARE = 0.01
NEW_DAYS, OLD_DAYS, USUAL_DAYS = 0.1, 400.0, 30.0
"""The ages of memories: no run has seen the new ones, and the old ones are past every time to live."""
CHUNK = 500
SAID_AT_ONCE = 8
"""New memories of one message."""
TIME_BELOW = 80
"""The bits of an id below its milliseconds."""
TERMS = 16
SMALL_WORDS = ("we said that the", "of the", "would be with", "and the")
PAUSE_SECONDS = 0.02
SLOWER = at_most(1.5)
SECONDS = 60.0
"""What a night over FULL memories may take on two cores, as its issue says."""
MEGABYTES = 200.0
"""By how much a worker may grow over a night: its batches are bounded, whatever the tenant holds."""


def run() -> None:
    with served() as stack:
        measure(stack)


def measure(stack: Stack) -> None:
    from bench import synthetic  # noqa: PLC0415  its models need Django to be set up against this stack

    corpus = synthetic.Corpus()
    base = synthetic.vectors_of([corpus.text() for _ in range(synthetic.EMBEDDED)])
    asked, asked_agent = synthetic.new_tenant("asked")
    key = new_key(asked, asked_agent)
    synthetic.fill(asked, [corpus.text() for _ in range(TURNS)], base, agent_id=asked_agent)
    small, large = (held(slug, count, corpus, base) for slug, count in (("small", CHUNK), ("large", ITEMS)))
    settle()
    questions = [corpus.question() for _ in range(QUESTIONS)]
    with client_of(stack, key) as client, _worker() as worker:
        _night(small, worker, meanwhile=repeat(0.0))
        list(timed(client, questions[:WARM_UP]))
        before = list(timed(client, questions))
        night = _night(large, worker, meanwhile=timed(client, cycle(questions)))
        after = list(timed(client, questions))
    for percent in (50, 95):
        alone = percentile([*before, *after], percent)
        figure(f"recall beside a night, p{percent}", percentile(night.spent, percent), "ms", floor=alone, bar=SLOWER)
    bar = at_most(SECONDS) if ITEMS >= FULL else None
    figure(f"the steps of a night over {ITEMS} memories, {NEW_SHARE:.0%} new", night.steps, "s", bar=bar)
    figure("the same, until all that it asked for is done", night.seconds, "s", bar=bar)
    figure("by which its worker grew", night.megabytes, "MB", bar=at_most(MEGABYTES))


@dataclass(frozen=True)
class Night:
    """Seconds until its steps were through and until all was, milliseconds of each recall, and megabytes."""

    steps: float
    seconds: float
    spent: list[float]
    megabytes: float


def _night(tenant_id: UUID, worker: int, *, meanwhile: Iterator[float]) -> Night:
    """Have a tenant's nightly run, and take recalls (or a breath) until nothing waits any more."""
    from apps.core.scope import tenant_scope  # noqa: PLC0415
    from apps.jobs import selectors as jobs  # noqa: PLC0415
    from apps.maintenance import services  # noqa: PLC0415

    began, grown, spent = time.perf_counter(), _megabytes(worker), []
    largest, steps = grown, 0.0
    with tenant_scope(tenant_id):
        job_id = services.start("nightly", dry_run=False)
    while True:
        spent.append(next(meanwhile))
        largest = max(largest, _megabytes(worker))
        with tenant_scope(tenant_id):
            (night,) = jobs.jobs([job_id])
            waiting = jobs.waiting()
        if night.state == "failed":
            raise RuntimeError(night.error)
        if night.state == "done" and not steps:
            steps = time.perf_counter() - began
            print(json.dumps(dict(night.outcome)), file=sys.stderr)
        if steps and not waiting:
            return Night(steps, time.perf_counter() - began, spent, largest - grown)
        time.sleep(PAUSE_SECONDS)


def held(slug: str, count: int, corpus: "Corpus", base: Vectors) -> UUID:
    """A tenant with so many items, their documents and vectors: most of last month, some new, some past their time."""
    from apps.core import clock, rows  # noqa: PLC0415
    from apps.core.scope import Reach, Scope, tenant_scope  # noqa: PLC0415
    from apps.index import statistics  # noqa: PLC0415
    from apps.jobs.models import Job  # noqa: PLC0415
    from apps.memory.services import compare  # noqa: PLC0415
    from bench import synthetic  # noqa: PLC0415

    tenant_id, agent_id = synthetic.new_tenant(slug)
    now, noise = clock.now(), np.random.default_rng(7)
    few = round(count * NEW_SHARE)
    ages = [OLD_DAYS] * few + [USUAL_DAYS] * (count - 2 * few)
    told = [(ages[start : start + CHUNK], False) for start in range(0, len(ages), CHUNK)]
    told += [([NEW_DAYS] * min(SAID_AT_ONCE, few - start), True) for start in range(0, few, SAID_AT_ONCE)]
    for days, is_new in told:
        with tenant_scope(tenant_id):
            items = [_item(tenant_id, agent_id, _text(corpus), now - timedelta(days=age)) for age in days]
            rows.insert(items)
            _index(items, base[noise.integers(len(base), size=len(items))], noise)
            while statistics.fold():
                pass
        if is_new:
            compare([item.id for item in items], within=Scope(tenant_id, None, Reach.TENANT))
        with tenant_scope(tenant_id):
            Job.objects.filter(tenant_id=tenant_id).delete()
    return tenant_id


def _text(corpus: "Corpus") -> str:
    """English by its small words, so that one model reads it and what it is asked beside."""
    return " ".join(
        f"{small} {word}" for small, word in zip(cycle(SMALL_WORDS), corpus.text(TERMS).split(), strict=False)
    )


def _item(tenant_id: UUID, agent_id: UUID, text: str, at: datetime) -> "Item":
    from apps.core.ids import earliest_id, new_id  # noqa: PLC0415
    from apps.memory.models import Item  # noqa: PLC0415
    from memory_platform.consolidation.claims import claim_hash  # noqa: PLC0415

    low = (1 << TIME_BELOW) - 1
    return Item(
        id=UUID(int=earliest_id(at).int | new_id().int & low),
        tenant_id=tenant_id,
        agent_id=agent_id,
        text=text,
        claim_hash=claim_hash(text),
        kind="fact",
        category="other",
        strength="explicit",
        confidence=0.9,
        verdict="allow",
        event_time=at,
        said_at=at,
        valid_from=at,
        recorded_at=at,
        reinforced_at=at,
    )


def _index(items: list["Item"], picked: Vectors, noise: np.random.Generator) -> None:
    from apps.core import providers  # noqa: PLC0415
    from apps.index import services as index  # noqa: PLC0415
    from apps.memory.documents import document  # noqa: PLC0415

    moved = picked + noise.normal(scale=0.02, size=picked.shape).astype(np.float32)
    unit = (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)
    index.store_embeddings(index.put([document(item) for item in items]), unit, providers.embedder().model)


def timed(client: httpx.Client, questions: Iterable[str]) -> Iterator[float]:
    """Milliseconds of each recall."""
    for question in questions:
        began = time.perf_counter()
        answer = client.post("/graphql", json={"query": RECALL, "variables": {"query": question}}).json()
        yield (time.perf_counter() - began) * 1000
        if "errors" in answer:
            raise RuntimeError(answer["errors"])


def client_of(stack: Stack, key: str) -> httpx.Client:
    return httpx.Client(base_url=stack.url, headers={"Authorization": f"Bearer {key}"}, timeout=30.0)


@contextmanager
def _worker() -> Iterator[int]:
    """A worker in a process of its own; its id."""
    command = [sys.executable, "manage.py", "run_jobs", "--interval", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        yield process.pid
        process.terminate()


def _megabytes(process: int) -> float:
    """What it has in memory now."""
    for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
