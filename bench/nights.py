"""The nights of many tenants at once: what one client's recalls in another tenant take meanwhile.

All are due together and a worker with the usual number of threads has them all to do, as in production; the same
questions are asked before and after: the ratio is of one run.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from uuid import UUID

from apps.stack.supervisor import Stack
from bench.figures import figure, percentile
from bench.latency import TURNS, WARM_UP, new_key, settle
from bench.night import QUESTIONS, SLOWER, client_of, held, timed
from bench.served import served

TENANTS = int(os.environ.get("BENCH_TENANTS", "200"))
ITEMS_EACH = 100


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
    due = [held(f"due-{number}", ITEMS_EACH, corpus, base) for number in range(TENANTS)]
    settle()
    questions = [corpus.question() for _ in range(QUESTIONS)]
    with client_of(stack, key) as client, _worker(stack):
        _until_done(due[:1])
        list(timed(client, questions[:WARM_UP]))
        before = list(timed(client, questions))
        began, beside = time.perf_counter(), list[float]()
        answers = timed(client, cycle(questions))
        for _ in _done(due[1:]):
            beside.append(next(answers))
        seconds = time.perf_counter() - began
        after = list(timed(client, questions))
    for percent in (50, 95):
        alone = percentile([*before, *after], percent)
        name = f"recall beside the nights of {TENANTS} tenants, p{percent}"
        figure(name, percentile(beside, percent), "ms", floor=alone, bar=SLOWER)
    figure(f"the nights of {TENANTS} tenants of {ITEMS_EACH} memories, all due at once", seconds, "s")


def _until_done(due: list[UUID]) -> None:
    """The worker has loaded its models by then."""
    for _ in _done(due):
        time.sleep(0.1)


def _done(due: list[UUID]) -> Iterator[None]:
    """Have the nights of all run; yields for as long as one of them has work that waits."""
    from apps.core.scope import tenant_scope  # noqa: PLC0415
    from apps.jobs import selectors as jobs  # noqa: PLC0415

    left = [(tenant_id, _started(tenant_id)) for tenant_id in due]
    while left:
        tenant_id, job_id = left[-1]
        with tenant_scope(tenant_id):
            (night,) = jobs.jobs([job_id])
            is_over = night.state == "done" and not jobs.waiting()
        if night.state == "failed":
            raise RuntimeError(night.error)
        if is_over:
            left.pop()
        else:
            yield


def _started(tenant_id: UUID) -> UUID:
    """The job of its night."""
    from apps.core.scope import tenant_scope  # noqa: PLC0415
    from apps.maintenance import services  # noqa: PLC0415

    with tenant_scope(tenant_id):
        return services.start("nightly", dry_run=False)


@contextmanager
def _worker(stack: Stack) -> Iterator[None]:
    """A worker as the stack starts one, without the tick."""
    threads = ["--pool", "threads", "--concurrency", str(stack.options.worker_threads)]
    command = [sys.executable, "-m", "celery", "--quiet", "--app", "config", "worker", *threads, "--loglevel", "ERROR"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        yield
        process.terminate()
