"""Enqueueing in the caller's transaction; draining and sweeping in workers; starting what is scheduled."""

import json
import random
import re
import threading
import traceback
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.db import Error, IntegrityError, InterfaceError, OperationalError, connection
from django.db.models import Q
from kombu.exceptions import OperationalError as BrokerError
from redis import RedisError

from apps.core import clock, context, scope
from apps.core.ids import new_id
from apps.jobs import hints, planning, registry
from apps.jobs.leases import LEASE, is_dead, leases, worker_name
from apps.jobs.models import Job, JobState, Schedule
from apps.jobs.registry import Arguments, JobContext, Registration, Unfinished, UnknownJob
from apps.journal.services import record
from memory_platform.errors import Invalid, NotFound, ProviderRetryable, RateLimited, Unavailable
from memory_platform.model import JournalLine

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
TENANTS_AT_ONCE = 100
# A last run that lies further ahead than this was written while the clock was wrong.
CLOCKS_DIFFER = timedelta(hours=1)
PRUNED_AT_ONCE = 5_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class NewJob:
    """What to run; see `enqueue`."""

    name: str
    arguments: Arguments
    serial_key: str = ""
    dedup_key: str | None = None
    run_after: datetime | None = None
    id: UUID = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found: leases taken back, finished rows removed, whether any job is due."""

    reclaimed: int
    pruned: int
    due: bool


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
class _Verdict:
    """`retry_seconds`: None when what is done so far was no attempt."""

    state: JobState
    outcome: Mapping[str, int | str] = field(default_factory=dict)
    error: str = ""
    retry_seconds: float | None = 0.0


def enqueue(
    name: str,
    arguments: Arguments,
    *,
    serial_key: str = "",
    dedup_key: str | None = None,
    run_after: datetime | None = None,
) -> UUID:
    """Add a job to the open scope's tenant, within the open transaction; workers hear of it after the commit.

    At most one job of a tenant runs per `serial_key` at a time. While a job with `dedup_key` is queued, its id is
    returned and nothing is added. Raises registry.UnknownJob.
    """
    job = NewJob(name, arguments, serial_key, dedup_key, run_after)
    return enqueue_many([job])[0]


def enqueue_many(jobs: Sequence[NewJob]) -> list[UUID]:
    """Add several jobs, one statement for all without a `dedup_key`; returns their ids in order."""
    tenant_id = scope.current().tenant_id
    limits = [registry.find(job.name).max_attempts for job in jobs]
    plain = [(job, limit) for job, limit in zip(jobs, limits, strict=True) if job.dedup_key is None]
    ids = {job.id: job.id for job in jobs}
    with connection.cursor() as cursor:
        if plain:
            _insert(cursor, tenant_id, plain)
        for job, limit in zip(jobs, limits, strict=True):
            if job.dedup_key is not None:
                ids[job.id] = _queued(cursor, tenant_id, job) or _insert(cursor, tenant_id, [(job, limit)])
    hints.poke_on_commit()
    return [ids[job.id] for job in jobs]


def publish(topic: str, arguments: Arguments, *, serial_key: str = "") -> list[UUID]:
    """Enqueue one job per subscriber of the topic, within the open transaction; returns their ids (none: nobody)."""
    listening = registry.subscribers(topic)
    return enqueue_many([NewJob(job, arguments, serial_key) for job in listening]) if listening else []


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


def retry_now(error: type[Exception]) -> int:
    """Have the scope's tenant's jobs that wait because of `error` tried again at once; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE jobs_job SET run_after = now() WHERE tenant_id = %s AND state = 'queued' AND error = %s",
            [scope.current().tenant_id, _waiting_for(error.__name__)],
        )
        waiting = int(cursor.rowcount)
    if waiting:
        hints.poke_on_commit()
    return waiting


def sweep() -> Swept:
    """Take back what dead workers held, remove old finished jobs, and hint if anything is due."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM running_workers()")
        dead = [name for (name,) in cursor.fetchall() if is_dead(name)]
        cursor.execute("SELECT reclaim_jobs(%s, %s, %s, %s)", [dead, worker_name(), leases.active(), LEASE])
        reclaimed = _scalar(cursor)
        cursor.execute("SELECT prune_jobs(%s)", [PRUNED_AT_ONCE])
        pruned = _scalar(cursor)
        cursor.execute("SELECT any_job_due()")
        due = _scalar(cursor)
    if reclaimed:
        log.warning("jobs.reclaimed", jobs=reclaimed, dead_workers=len(dead))
    if due:
        hints.poke()
    return Swept(reclaimed=reclaimed, pruned=pruned, due=due)


def create_schedules(time_zone: str) -> None:
    """Give the scope's tenant the starting schedules it lacks."""
    tenant_id, now = scope.current().tenant_id, clock.now()
    Schedule.objects.bulk_create(
        [
            Schedule(
                tenant_id=tenant_id,
                name=each.name,
                cron=each.cron,
                time_zone=time_zone,
                next_run_at=planning.next_run(each.cron, time_zone, tenant_id, after=now),
            )
            for each in registry.schedules()
        ],
        ignore_conflicts=True,
    )


def create_missing_schedules() -> int:
    """Give every tenant the starting schedules it lacks; returns to how many tenants. Needs no scope."""
    names = [each.name for each in registry.schedules()]
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM tenants_lacking_schedules(%s)", [names])
        lacking = cursor.fetchall()
    return sum(_created(tenant_id, time_zone) for tenant_id, time_zone in lacking)


def _created(tenant_id: UUID, time_zone: str) -> bool:
    """A tenant whose schedules cannot be planned keeps no other from having theirs."""
    try:
        with scope.tenant_scope(tenant_id):
            create_schedules(time_zone)
    except Invalid as error:
        log.error("jobs.schedule_refused", tenant_id=str(tenant_id), reason=error.field)  # noqa: TRY400  no bug
        return False
    return True


def change_schedules(changes: Mapping[str, object], *, names: Collection[str] | None = None) -> None:
    """Set `cron`, `time_zone` or `enabled` of the tenant's schedules, or of those with these names, and plan anew.

    The journal says which fields of which schedule. Raises Invalid on a cron expression or a time zone that is none.
    """
    rows = Schedule.objects.select_for_update().filter(tenant_id=scope.current().tenant_id).order_by("name")
    for row in rows if names is None else rows.filter(name__in=names):
        for field_name, value in changes.items():
            setattr(row, field_name, value)
        row.next_run_at = _planned(row, clock.now())
        row.save(update_fields=[*changes, "next_run_at"])
        record(JournalLine("schedule.changed", "schedule", row.id, {"fields": sorted(changes)}))


def run_overdue() -> list[str]:
    """Start what is overdue of the open scope's tenant, within the open transaction; returns the schedules' names.

    Once each, however often it was missed, and however many processes look at the same time. What still runs from the
    last time is not started again. A schedule that cannot be planned is disabled and says why in `error`.
    """
    now = clock.now()
    is_due = Q(next_run_at__lte=now) | Q(last_run_at__gt=now + CLOCKS_DIFFER)
    known = [each.name for each in registry.schedules()]
    rows = Schedule.objects.filter(is_due, tenant_id=scope.current().tenant_id, enabled=True, name__in=known)
    return [row.name for row in rows.select_for_update(skip_locked=True).order_by("name") if _admitted(row, now)]


def run_all_overdue() -> int:
    """Start what is overdue of every tenant, TENANTS_AT_ONCE at most; returns how many runs. Needs no scope."""
    now, names = clock.now(), [each.name for each in registry.schedules()]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT * FROM tenants_with_overdue(%s, %s, %s, %s)", [now, now + CLOCKS_DIFFER, names, TENANTS_AT_ONCE]
        )
        overdue = [tenant_id for (tenant_id,) in cursor.fetchall()]
    started = 0
    for tenant_id in overdue:
        with scope.tenant_scope(tenant_id):
            started += len(run_overdue())
    return started


def start(name: str) -> UUID:
    """Run a schedule of the tenant now, besides its times; returns the job, of a run that is not over the same one.

    Raises NotFound.
    """
    row = Schedule.objects.select_for_update().filter(tenant_id=scope.current().tenant_id, name=name).first()
    if row is None:
        raise NotFound("There is no such schedule.", field="name")
    return _running(row) or _begin(row, clock.now())


def _admitted(row: Schedule, now: datetime) -> bool:
    """Whether it was started; what cannot be is told in the log and in its row, and stops nothing else."""
    try:
        return _started(row, now)
    except Invalid as error:
        row.enabled, row.error = False, f"invalid:{error.field}"
    except UnknownJob:
        row.error = "unknown_job"
    row.save(update_fields=["enabled", "error"])
    log.error("jobs.schedule_refused", tenant_id=str(row.tenant_id), schedule=row.name, reason=row.error)
    return False


def _started(row: Schedule, now: datetime) -> bool:
    """Plan the next run, and begin this one if it is due: the clock may have been put back instead."""
    is_due = row.next_run_at <= now and _running(row) is None
    row.next_run_at = _planned(row, now)
    row.last_run_at = min(row.last_run_at, now) if row.last_run_at else None
    row.save(update_fields=["next_run_at", "last_run_at"])
    if is_due:
        _begin(row, now)
    return is_due


def _begin(row: Schedule, now: datetime) -> UUID:
    row.job_id = enqueue(registry.find_schedule(row.name).job, {}, serial_key=f"schedule {row.name}")
    row.last_run_at, row.finished_at = now, None
    row.save(update_fields=["job_id", "last_run_at", "finished_at"])
    return row.job_id


def _running(row: Schedule) -> UUID | None:
    """The job of the last run while it is not over."""
    if row.job_id is None:
        return None
    unfinished = (JobState.QUEUED, JobState.RUNNING)
    rows = Job.objects.filter(tenant_id=row.tenant_id, id=row.job_id, state__in=unfinished)
    return row.job_id if rows.exists() else None


def _planned(row: Schedule, now: datetime) -> datetime:
    return planning.next_run(row.cron, row.time_zone, row.tenant_id, after=now)


# Set when the process is asked to stop: the job at hand is finished, no other is begun.
stopping = threading.Event()


def backoff_seconds(attempt: int, *, at_most: float = 300.0) -> float:
    """Seconds before the next attempt: doubling from 1 up to `at_most`, of which the later half is random."""
    longest = min(at_most, FIRST_BACKOFF_SECONDS * 2.0 ** (attempt - 1))
    return random.uniform(longest / 2, longest)  # noqa: S311  spreads load, guards nothing


_COLUMNS = (
    "id, tenant_id, name, arguments, serial_key, dedup_key, state, attempts, max_attempts, run_after, locked_by,"
    " error, outcome, request_id, created_at"
)
_ROW = "(%s, %s, %s, %s::jsonb, %s, %s, 'queued', 0, %s, coalesce(%s, now()), '', '', '{}', %s, now())"


def _insert(cursor: Any, tenant_id: UUID, jobs: Sequence[tuple[NewJob, int]]) -> UUID:
    request_id = context.current().request_id[:64]
    parameters: list[object] = []
    for job, max_attempts in jobs:
        parameters += [job.id, tenant_id, job.name, json.dumps(job.arguments), job.serial_key, job.dedup_key]
        parameters += [max_attempts, job.run_after, request_id]
    cursor.execute(
        f"INSERT INTO jobs_job ({_COLUMNS}) VALUES {', '.join([_ROW] * len(jobs))}"  # noqa: S608  constants only
        " ON CONFLICT (tenant_id, dedup_key) WHERE dedup_key IS NOT NULL AND state = 'queued'"
        " DO UPDATE SET run_after = least(jobs_job.run_after, excluded.run_after) RETURNING id",
        parameters,
    )
    inserted: UUID = cursor.fetchone()[0]
    return inserted


def _queued(cursor: Any, tenant_id: UUID, job: NewJob) -> UUID | None:
    """The waiting twin, share-locked: no worker may start it before our transaction, which it must see, commits."""
    cursor.execute(
        "SELECT id FROM jobs_job WHERE tenant_id = %s AND dedup_key = %s AND state = 'queued'"
        " AND run_after <= coalesce(%s, now()) FOR SHARE SKIP LOCKED",
        [tenant_id, job.dedup_key, job.run_after],
    )
    row = cursor.fetchone()
    return row[0] if row else None


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
            items = _scalar(cursor)
        if items is not None:
            arguments = {**arguments, registration.merge: json.loads(items)}
    return JobContext(claimed.id, claimed.tenant_id, arguments, claimed.attempt, claimed.request_id, claimed.outcome)


def _attempt(registration: Registration, job: JobContext) -> _Verdict:
    try:
        outcome = registration.run(job)
    except Unfinished as part:
        return _Verdict(JobState.QUEUED, outcome=part.outcome, retry_seconds=None)
    except RETRYABLE as error:
        wait = backoff_seconds(job.attempt, at_most=registration.longest_backoff_seconds)
        wait = max(wait, getattr(error, "retry_after", None) or 0.0)
        return _retry_or_fail(job.attempt, registration.max_attempts, type(error).__name__, wait)
    except Exception as error:  # noqa: BLE001  a handler's bug fails its job, never the worker
        code = type(error).__name__
        frames = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
        log.error("jobs.failed", error_class=code, frames=frames[-8:])  # noqa: TRY400  messages carry content
        return _Verdict(JobState.FAILED, error=f"error:{code}")
    return _Verdict(JobState.DONE, outcome=outcome)


def _retry_or_fail(attempt: int, max_attempts: int, code: str, wait: float) -> _Verdict:
    if attempt >= max_attempts:
        log.error("jobs.failed", reason=code, attempts=attempt)
        return _Verdict(JobState.FAILED, error=f"attempts_exhausted:{code}")
    log.warning("jobs.retried", reason=code, attempts=attempt, seconds=round(wait, 1))
    return _Verdict(JobState.QUEUED, error=_waiting_for(code), retry_seconds=wait)


def _waiting_for(code: str) -> str:
    return f"retry:{code}"


def _finish(worker: str, claimed: _Claimed, verdict: _Verdict) -> None:
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
            if not _scalar(cursor):
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


def _scalar(cursor: Any) -> Any:
    row = cursor.fetchone()
    return row[0] if row else None
