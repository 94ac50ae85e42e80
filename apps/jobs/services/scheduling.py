"""Schedules: each tenant's own, and starting what is overdue of them."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import connection
from django.db.models import Q

from apps.core import clock, scope
from apps.jobs import planning, registry
from apps.jobs.models import Job, JobState, Schedule
from apps.jobs.registry import UnknownJob
from apps.jobs.services.enqueueing import enqueue
from apps.journal.services import record
from memory_platform.errors import Invalid, NotFound
from memory_platform.model import JournalLine

TENANTS_AT_ONCE: Final = 100
"""Looked after in one look, so that other work comes in between."""
CLOCKS_DIFFER: Final = timedelta(hours=1)
"""A last run or a plan that was made further ahead than this was written while the clock was wrong."""

log = structlog.get_logger(__name__)


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
                planned_at=now,
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

    A run that is overdue stays so: it was missed by the times of before. The journal says what each field that changed
    was and is. Raises Invalid on a cron expression or a time zone that is none.
    """
    rows = Schedule.objects.select_for_update().filter(tenant_id=scope.current().tenant_id).order_by("name")
    for row in rows if names is None else rows.filter(name__in=names):
        now = clock.now()
        is_overdue = row.enabled and row.next_run_at <= now
        told = {
            name: {"was": getattr(row, name), "is": value}
            for name, value in changes.items()
            if getattr(row, name) != value
        }
        for field_name, value in changes.items():
            setattr(row, field_name, value)
        planned = _planned(row, now)
        row.next_run_at, row.planned_at = row.next_run_at if is_overdue else planned, now
        row.save(update_fields=[*told, "next_run_at", "planned_at"])
        if told:
            record(JournalLine("schedule.changed", "schedule", row.id, {"changes": told}))


def run_overdue() -> list[str]:
    """Start what is overdue of the open scope's tenant, within the open transaction; returns the schedules' names.

    Once each, however often it was missed, and however many processes look at the same time. What still runs from the
    last time is not started again. A schedule that cannot be planned is disabled and says why in `error`.
    """
    now = clock.now()
    ahead = now + CLOCKS_DIFFER
    is_due = Q(next_run_at__lte=now) | Q(last_run_at__gt=ahead) | Q(planned_at__gt=ahead)
    known = [each.name for each in registry.schedules()]
    rows = Schedule.objects.filter(is_due, tenant_id=scope.current().tenant_id, enabled=True, name__in=known)
    return [row.name for row in rows.select_for_update(skip_locked=True).order_by("name") if _admitted(row, now)]


def run_all_overdue() -> int:
    """Start what is overdue of every tenant, TENANTS_AT_ONCE at most; returns how many of them. Needs no scope.

    It answers 0 when nothing is overdue any more: what is overdue while its last run goes on is planned anew, too.
    """
    now, names = clock.now(), [each.name for each in registry.schedules()]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT * FROM tenants_with_overdue(%s, %s, %s, %s)", [now, now + CLOCKS_DIFFER, names, TENANTS_AT_ONCE]
        )
        overdue = [tenant_id for (tenant_id,) in cursor.fetchall()]
    for tenant_id in overdue:
        with scope.tenant_scope(tenant_id):
            run_overdue()
    return len(overdue)


def start(name: str) -> UUID:
    """Run a schedule of the tenant now, besides its times; returns the job, of a run that is not over the same one.

    The journal says who began one. Raises NotFound.
    """
    row = Schedule.objects.select_for_update().filter(tenant_id=scope.current().tenant_id, name=name).first()
    if row is None:
        raise NotFound("There is no such schedule.", field="name")
    running = _running(row)
    if running is not None:
        return running
    job_id = _begin(row, clock.now())
    record(JournalLine("schedule.started", "schedule", row.id, {"name": row.name, "job": str(job_id)}))
    return job_id


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
    row.next_run_at, row.planned_at = _planned(row, now), now
    row.last_run_at = min(row.last_run_at, now) if row.last_run_at else None
    row.save(update_fields=["next_run_at", "planned_at", "last_run_at"])
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
