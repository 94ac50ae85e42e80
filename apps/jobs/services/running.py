"""Running in workers: claim what is due, attempt it under a lease, and write what became of it."""

import json
import random
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from django.db import Error, IntegrityError, InterfaceError, OperationalError, connection
from kombu.exceptions import OperationalError as BrokerError
from redis import RedisError

from apps.core import context
from apps.core.problems import frames_of
from apps.jobs import hints, registry
from apps.jobs.leases import LEASE, leases
from apps.jobs.models import JobState
from apps.jobs.registry import Arguments, JobContext, Registration, Unfinished, UnknownJob
from apps.jobs.services import retrying
from memory_platform.errors import ProviderRetryable, RateLimited, Unavailable

# A lost race on a unique constraint is among them: the second attempt finds the winner's row.
RETRYABLE = (
    ProviderRetryable,
    Unavailable,
    RateLimited,
    OperationalError,
    InterfaceError,
    IntegrityError,
    BrokerError,
    RedisError,
)
FIRST_BACKOFF_SECONDS = 1.0
# A word an outcome may hold: a reason, a class, a model or names joined by a sign, never a sentence.
CODE = re.compile(r"[\w.:;,/+@-]{0,200}", re.ASCII)

log = structlog.get_logger(__name__)

# Set when the process is asked to stop: the job at hand is finished, no other is begun.
stopping = threading.Event()


@dataclass(frozen=True, slots=True)
class _Claimed:
    id: UUID
    tenant_id: UUID
    name: str
    attempt: int
    max_attempts: int
    request_id: str
    outcome: Mapping[str, int | str]
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class _RunResult:
    """`retry_seconds`: None when what is done so far was no attempt."""

    state: JobState
    outcome: Mapping[str, int | str] = field(default_factory=dict)
    error: str = ""
    retry_seconds: float | None = 0.0


def drain(
    worker: str, limit: int | None = None, tenant_id: UUID | None = None, *, most_per_tenant: int | None = None
) -> int:
    """Claim and run jobs until none is due, or `limit` have run; returns how many ran.

    Tenants take turns; `most_per_tenant` jobs of one run at once in the threads of this worker. `tenant_id` restricts
    the claims. Raises the database's OperationalError when it is down.
    """
    hints.heard()
    ran = 0
    after: UUID | None = None
    while (limit is None or ran < limit) and not stopping.is_set():
        claimed = _claim(worker, after=after, tenant_id=tenant_id, most_per_tenant=most_per_tenant)
        if claimed is None:
            break
        if ran == 0 and tenant_id is None:
            hints.poke()  # where one job waited there may be more: wake the next idle thread
        after = claimed.tenant_id
        _run(worker, claimed)
        ran += 1
    return ran


def backoff_seconds(attempt: int, *, at_most: float = 300.0) -> float:
    """Seconds before the next attempt: doubling from 1 up to `at_most`, of which the later half is random."""
    longest = min(at_most, FIRST_BACKOFF_SECONDS * 2.0 ** (attempt - 1))
    return random.uniform(longest / 2, longest)  # noqa: S311  spreads load, guards nothing


def _claim(
    worker: str, *, after: UUID | None, tenant_id: UUID | None, most_per_tenant: int | None = None
) -> _Claimed | None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, tenant_id, name, attempts, max_attempts, request_id, outcome, arguments"
            " FROM claim_jobs(%s, 1, %s, %s, %s, %s)",
            [worker, most_per_tenant, LEASE, after, tenant_id],
        )
        row = cursor.fetchone()
    if row is None:
        return None
    job_id, owner, name, attempt, most, request_id, outcome, arguments = row
    return _Claimed(job_id, owner, name, attempt, most, request_id, json.loads(outcome), json.loads(arguments))


def _run(worker: str, claimed: _Claimed) -> None:
    bound = {"job_id": str(claimed.id), "job": claimed.name, "tenant_id": str(claimed.tenant_id)}
    with context.acting_as("worker", request_id=claimed.request_id, **bound):
        try:
            registration = registry.find(claimed.name)
        except UnknownJob:
            # The web server may be newer than this worker: another one, or this one after its update, will know.
            wait = backoff_seconds(claimed.attempt)
            _finish(worker, claimed, _retry_or_fail(claimed.attempt, claimed.max_attempts, "unknown_job", wait))
            return
        with leases.hold(claimed.id, worker=worker, timeout_seconds=registration.timeout_seconds):
            verdict = _attempt(registration, _context(worker, claimed, registration))
            _finish(worker, claimed, verdict)


def _context(worker: str, claimed: _Claimed, registration: Registration) -> JobContext:
    arguments = claimed.arguments
    if registration.merge is not None and claimed.attempt == 1:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT absorb_jobs(%s, %s, %s, %s)",
                [claimed.id, worker, registration.merge, registration.merge_items],
            )
            (items,) = cursor.fetchone()
        if items is not None:
            arguments = {**arguments, registration.merge: json.loads(items)}
    return JobContext(claimed.id, claimed.tenant_id, arguments, claimed.attempt, claimed.request_id, claimed.outcome)


def _attempt(registration: Registration, job: JobContext) -> _RunResult:
    try:
        outcome = registration.run(job)
    except Unfinished as part:
        return _RunResult(JobState.QUEUED, outcome=part.outcome, retry_seconds=None)
    except RETRYABLE as error:
        wait = backoff_seconds(job.attempt, at_most=registration.longest_backoff_seconds)
        wait = max(wait, getattr(error, "retry_after", None) or 0.0)
        return _retry_or_fail(job.attempt, registration.max_attempts, type(error).__name__, wait)
    except Exception as error:  # noqa: BLE001  a handler's bug fails its job, never the worker
        code = type(error).__name__
        log.error("jobs.failed", error_class=code, frames=frames_of(error))  # noqa: TRY400  messages carry content
        return _RunResult(JobState.FAILED, error=f"error:{code}")
    return _RunResult(JobState.DONE, outcome=outcome)


def _retry_or_fail(attempt: int, max_attempts: int, code: str, wait: float) -> _RunResult:
    if attempt >= max_attempts:
        log.error("jobs.failed", reason=code, attempts=attempt)
        return _RunResult(JobState.FAILED, error=f"attempts_exhausted:{code}")
    log.warning("jobs.retried", reason=code, attempts=attempt, seconds=round(wait, 1))
    return _RunResult(JobState.QUEUED, error=retrying.waiting_for(code), retry_seconds=wait)


def _finish(worker: str, claimed: _Claimed, verdict: _RunResult) -> None:
    """Write the verdict, unless the lease was taken over. A database that is down leaves it to the sweep."""
    wait = None if verdict.retry_seconds is None else f"{verdict.retry_seconds} seconds"
    try:
        connection.close_if_unusable_or_obsolete()
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT finish_job(%s, %s, %s, %s, %s::jsonb, %s, %s)",
                [
                    claimed.id,
                    worker,
                    claimed.attempt,
                    verdict.state.value,
                    json.dumps(_added(claimed.outcome, _coded(verdict.outcome))),
                    verdict.error[:200],
                    wait,
                ],
            )
            (is_written,) = cursor.fetchone()
            if not is_written:
                log.warning("jobs.lease_lost")
    except Error:
        connection.close()
        raise


def _coded(outcome: Mapping[str, int | str]) -> dict[str, int | str]:
    """The counts and codes of an outcome. A text is a handler's bug, and could be content: it is left out."""
    texts = {name for name, value in outcome.items() if isinstance(value, str) and not CODE.fullmatch(value)}
    if texts:
        log.error("jobs.outcome_refused", fields=sorted(texts))
    return {name: value for name, value in outcome.items() if name not in texts}


def _added(earlier: Mapping[str, int | str], outcome: Mapping[str, int | str]) -> dict[str, int | str]:
    """What a job's parts counted together; of codes the last that says something."""
    total = dict(earlier)
    for name, value in outcome.items():
        before = total.get(name)
        total[name] = value + before if isinstance(value, int) and isinstance(before, int) else value or before or value
    return total
