"""Reading the queue: a tenant's jobs by id, and how long the queue is over all tenants."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import Count, Min, Q, QuerySet, Value

from apps.core import scope
from apps.core.clock import now
from apps.core.paging import PageRequest, Slice, paginate
from apps.jobs.models import Job, JobState, Schedule

_UNSETTLED: Final = (JobState.QUEUED, JobState.RUNNING, JobState.FAILED)
_STOPPED: Final = "stopped"
OVERDUE_AFTER: Final = timedelta(minutes=15)
"""Whatever runs schedules looks more often than that."""


@dataclass(frozen=True, slots=True)
class JobView:
    """How far a job is. A merged job shows the state, error and outcome of the one that runs in its place."""

    id: UUID
    name: str
    state: JobState
    attempts: int
    run_after: datetime
    error: str
    outcome: Mapping[str, int | str]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class QueueState:
    """A tenant's queue; `lag_seconds` is for how long its first job that could run has waited."""

    queued: int
    running: int
    failed: int
    stopped_schedules: int
    lag_seconds: int


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Jobs of one name over all tenants; `oldest_due_seconds` is how long the oldest of them has waited."""

    name: str
    queued: int
    running: int
    failed: int
    oldest_due_seconds: float


class ScheduleState(StrEnum):
    PLANNED = "planned"
    RUNNING = "running"
    OVERDUE = "overdue"
    FAILED = "failed"
    OFF = "off"

    @classmethod
    def of(cls, row: Schedule) -> "ScheduleState":
        if row.error:
            return cls.FAILED
        if not row.enabled:
            return cls.OFF
        if row.next_run_at < now() - OVERDUE_AFTER:
            return cls.OVERDUE
        return cls.RUNNING if row.last_run_at and row.finished_at is None else cls.PLANNED


def troubled_schedules() -> QuerySet[Schedule]:
    """The tenant's schedules that are overdue or whose last run failed."""
    late = Q(enabled=True, next_run_at__lt=now() - OVERDUE_AFTER)
    return Schedule.objects.filter(late | ~Q(error=""), tenant_id=scope.current().tenant_id)


def failed_jobs(since: datetime) -> QuerySet[Job]:
    """The tenant's jobs that were given up since then."""
    return Job.objects.filter(tenant_id=scope.current().tenant_id, state=JobState.FAILED, finished_at__gte=since)


def jobs(ids: Sequence[UUID]) -> list[JobView]:
    """The tenant's jobs among `ids`, in that order; unknown ones are left out."""
    found = {job.id: job for job in _by_id(ids)}
    leaders = {job.id: job for job in _by_id([job.merged_into for job in found.values() if job.merged_into])}
    return [_view(found[job_id], leaders) for job_id in ids if job_id in found]


def listed(*, state: JobState | None = None, name: str | None = None, page: PageRequest) -> Slice[JobView]:
    """The tenant's jobs, those asked for last first. A merged job is counted with the one that runs in its place."""
    rows = Job.objects.filter(tenant_id=scope.current().tenant_id, merged_into=None)
    given = {"state": state, "name": name}
    chosen = rows.filter(**{field: value for field, value in given.items() if value is not None})
    cut = paginate(chosen, order=("-created_at", "-id"), page=page)
    return cut.of([_view(job, {}) for job in cut.rows])


def queue_state() -> QueueState:
    """How the tenant's queue is, and how many of its schedules stopped over an error; by one statement."""
    tenant_id, moment = scope.current().tenant_id, now()
    told = Job.objects.filter(tenant_id=tenant_id, merged_into=None, state__in=_UNSETTLED)
    due = Q(state=JobState.QUEUED, run_after__lte=moment)
    jobs = told.values("state").annotate(count=Count("id"), first=Min("run_after", filter=due))
    broken = Schedule.objects.filter(tenant_id=tenant_id).exclude(error="")
    schedules = broken.values(state=Value(_STOPPED)).annotate(count=Count("id"), first=Min("last_run_at"))
    found = {each["state"]: each for each in jobs.union(schedules, all=True)}
    count = {name: found[name]["count"] if name in found else 0 for name in (*_UNSETTLED, _STOPPED)}
    first = found[JobState.QUEUED]["first"] if JobState.QUEUED in found else None
    lag = 0 if first is None else round((moment - first).total_seconds())
    return QueueState(count["queued"], count["running"], count["failed"], count[_STOPPED], lag)


def schedule(name: str) -> Schedule | None:
    """A schedule of the tenant."""
    return Schedule.objects.filter(tenant_id=scope.current().tenant_id, name=name).first()


def schedules() -> list[Schedule]:
    """The tenant's schedules, by name."""
    return list(Schedule.objects.filter(tenant_id=scope.current().tenant_id).order_by("name"))


def waiting(*, serial_key: str | None = None) -> int:
    """How many of the tenant's jobs are queued or running; those put off until later are not waited for."""
    rows = waiting_jobs()
    return (rows if serial_key is None else rows.filter(serial_key=serial_key)).count()


def waiting_jobs() -> QuerySet[Job]:
    """The tenant's jobs that `waiting` counts."""
    is_due = Q(state=JobState.RUNNING) | Q(state=JobState.QUEUED) & (Q(run_after__lte=now()) | Q(attempts__gt=0))
    return Job.objects.filter(is_due, tenant_id=scope.current().tenant_id)


def unfinished(tenant_id: UUID, names: Collection[str]) -> QuerySet[Job]:
    """Jobs of these names that are queued or running, whenever they may begin."""
    return Job.objects.filter(tenant_id=tenant_id, name__in=names, state__in=(JobState.QUEUED, JobState.RUNNING))


def lag_seconds() -> int:
    """For how long the tenant's first job that could run has waited; 0 when none does."""
    moment = now()
    due = Job.objects.filter(tenant_id=scope.current().tenant_id, state=JobState.QUEUED, run_after__lte=moment)
    first = due.order_by("run_after").values_list("run_after", flat=True).first()
    return 0 if first is None else round((moment - first).total_seconds())


def queue_depth() -> list[QueueDepth]:
    """The queue by job name, for metrics and readiness: counts only, so it needs no scope (and must not have one)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, queued, running, failed, oldest_due_seconds FROM queue_depth() ORDER BY name")
        return [QueueDepth(*row) for row in cursor.fetchall()]


def _by_id(ids: Sequence[UUID]) -> Sequence[Job]:
    return list(Job.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids)) if ids else []


def _view(job: Job, leaders: Mapping[UUID, Job]) -> JobView:
    shown = leaders.get(job.merged_into, job) if job.merged_into else job
    return JobView(
        id=job.id,
        name=job.name,
        state=JobState(shown.state),
        attempts=shown.attempts,
        run_after=shown.run_after,
        error=shown.error,
        outcome=shown.outcome,
        created_at=job.created_at,
        started_at=shown.started_at,
        finished_at=shown.finished_at,
    )
