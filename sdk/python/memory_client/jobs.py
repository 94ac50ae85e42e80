"""Waiting for what the server does in the background."""

import time
from collections.abc import Callable, Sequence

from memory_client import operations
from memory_client.contract import Job
from memory_client.exchange import Retries, Steps, Wait, answer_of

UNFINISHED = frozenset({"queued", "running"})
# What the server tells of at once.
JOBS_AT_ONCE = 100
POLL_SECONDS = 0.1
Progress = Callable[[int], None]


def finished(
    job_ids: Sequence[str], retries: Retries, *, timeout: float, progress: Progress | None
) -> Steps[tuple[Job, ...]]:
    """The jobs, once all have ended. Raises TimeoutError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        found: list[Job] = []
        for start in range(0, len(job_ids), JOBS_AT_ONCE):
            found += yield from answer_of(operations.jobs(job_ids[start : start + JOBS_AT_ONCE]), retries)
        ended = sum(job.state not in UNFINISHED for job in found)
        if progress is not None:
            progress(ended)
        if ended == len(job_ids):
            return tuple(found)
        if time.monotonic() > deadline:
            raise TimeoutError(f"{len(job_ids) - ended} of {len(job_ids)} jobs were not done after {timeout:.0f} s.")
        yield Wait(POLL_SECONDS)


def idle(retries: Retries, *, stalled_seconds: float, progress: Progress | None) -> Steps[None]:
    """Until none of the tenant's jobs waits or runs. Raises TimeoutError when their number stands still."""
    before, moved_at = -1, time.monotonic()
    while waiting := (yield from answer_of(operations.stats(), retries)).jobs_queued:
        if waiting != before:
            before, moved_at = waiting, time.monotonic()
        elif time.monotonic() - moved_at > stalled_seconds:
            raise TimeoutError(f"{waiting} jobs made no progress in {stalled_seconds:.0f} s.")
        if progress is not None:
            progress(waiting)
        yield Wait(POLL_SECONDS)
