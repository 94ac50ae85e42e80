"""Reading the queue: a tenant's jobs by id, and how long the queue is over all tenants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Q

from apps.core import scope
from apps.core.clock import now
from apps.jobs.models import Job, JobState, Schedule


@dataclass(frozen=True, slots=True)
class JobView:
    """How far a job is. A merged job shows the state, error and outcome of the one that runs in its place."""

    id: UUID
    name: str
    state: JobState
    attempts: int
    error: str
    outcome: Mapping[str, int | str]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Jobs of one name over all tenants; `oldest_due_seconds` is how long the oldest of them has waited."""

    name: str
    queued: int
    running: int
    failed: int
    oldest_due_seconds: float


def jobs(ids: Sequence[UUID]) -> list[JobView]:
    """The tenant's jobs among `ids`, in that order; unknown ones are left out."""
    found = {job.id: job for job in _by_id(ids)}
    leaders = {job.id: job for job in _by_id([job.merged_into for job in found.values() if job.merged_into])}
    return [_view(found[job_id], leaders) for job_id in ids if job_id in found]


def schedules() -> list[Schedule]:
    """The tenant's schedules, by name."""
    return list(Schedule.objects.filter(tenant_id=scope.current().tenant_id).order_by("name"))


def waiting(*, serial_key: str | None = None) -> int:
    """How many of the tenant's jobs are queued or running; those put off until later are not waited for."""
    is_due = Q(state=JobState.RUNNING) | Q(state=JobState.QUEUED) & (Q(run_after__lte=now()) | Q(attempts__gt=0))
    rows = Job.objects.filter(is_due, tenant_id=scope.current().tenant_id)
    return (rows if serial_key is None else rows.filter(serial_key=serial_key)).count()


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
        error=shown.error,
        outcome=shown.outcome,
        created_at=job.created_at,
        started_at=shown.started_at,
        finished_at=shown.finished_at,
    )
