"""When a time comes: a job for each that names a minute, another zone's day or today; a schedule finds the other whole
days and what was missed.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import QuerySet

from apps.core import clock, scope
from apps.jobs.services import NewJob, enqueue_many
from apps.journal.services import NewEvent, record, tell
from apps.tenants import selectors as tenants
from apps.triggers import selectors
from apps.triggers.models import Ending, FutureTrigger, TriggerStatus
from apps.triggers.results import OPEN
from apps.triggers.zones import tenant_zone
from memory_platform.lifecycle import recurrence
from memory_platform.lifecycle.triggers import Precision
from memory_platform.model import EventKind, JournalLine

FIRE_JOB: Final = "triggers.fire"
REOPENED: Final = ("status", "ending", "replaced_by", "forget_batch_id", "updated_at")


def watch(rows: Iterable[FutureTrigger]) -> None:
    """Have the rows fall due in time, within the open transaction; those that are due, when they come back."""
    zone, now = tenant_zone(), clock.now()
    timed = [(row, at) for row in rows if (at := _next(row)) and not _is_for_the_daily_check(row, at, zone, now)]
    enqueue_many([NewJob(FIRE_JOB, {"triggers": [str(row.id)]}, run_after=at) for row, at in timed])


def watch_days_elsewhere() -> int:
    """Have whole days that do not begin when the tenant's do fall due in time, since it moved; returns how many."""
    rows = FutureTrigger.objects.filter(tenant_id=scope.current().tenant_id, status__in=OPEN)
    days = list(rows.exclude(precision=Precision.MINUTE).exclude(time_zone=tenant_zone().key))
    watch(days)
    return len(days)


def reopen(rows: QuerySet[FutureTrigger]) -> int:
    """Have what ended fall due again; returns how many."""
    found = list(rows.select_for_update(of=("self",)))
    for row in found:
        reopened(row)
    FutureTrigger.objects.bulk_update(found, REOPENED)
    watch(found)
    return len(found)


def reopened(row: FutureTrigger) -> None:
    """What was put off when it ended stays put off. The caller saves REOPENED, and watches it."""
    row.status = TriggerStatus.SNOOZED if row.snoozed_until else TriggerStatus.WAITING
    row.ending, row.replaced_by, row.forget_batch_id, row.updated_at = "", None, None, clock.now()


def fire(trigger_ids: Iterable[UUID]) -> int:
    """Mark those of them as due whose time has come; returns how many."""
    return _fall_due(selectors.falls_due_by(clock.now()).filter(id__in=list(trigger_ids)))


def check() -> dict[str, int]:
    """Mark everything whose time has come as due, end what lapsed."""
    return {"due": _fall_due(selectors.falls_due_by(clock.now())), "lapsed": _lapse()}


def following(row: FutureTrigger, *, now: datetime) -> datetime | None:
    """When what comes back is next due; None: no more."""
    return recurrence.following(row.recurrence, _first(row), after=max(now, row.at))


def _next(row: FutureTrigger) -> datetime | None:
    if row.status == TriggerStatus.SNOOZED:
        return row.snoozed_until
    if row.status == TriggerStatus.DUE:
        return following(row, now=clock.now()) if row.recurrence else None
    return row.at


def _is_for_the_daily_check(row: FutureTrigger, at: datetime, zone: ZoneInfo, now: datetime) -> bool:
    """Whole days to come that begin when the tenant's do."""
    is_day = row.precision != Precision.MINUTE.value and row.status != TriggerStatus.SNOOZED
    return is_day and row.time_zone == zone.key and at > now


def _latest(row: FutureTrigger, *, now: datetime) -> datetime:
    """The time of it that came last: of what comes back and was missed more than once only this one counts."""
    latest = recurrence.latest(row.recurrence, _first(row), until=now) if row.recurrence else None
    return max(latest, row.at) if latest else row.at


def _first(row: FutureTrigger) -> datetime:
    return row.begins_at.astimezone(ZoneInfo(row.time_zone))


def _fall_due(rows: QuerySet[FutureTrigger]) -> int:
    now, found = clock.now(), list[FutureTrigger]()
    for row in rows.select_for_update(of=("self",)):
        latest = _latest(row, now=now)
        if row.status != TriggerStatus.DUE or latest > row.at:
            row.status, row.at, row.snoozed_until = TriggerStatus.DUE, latest, None
            row.due_at = row.updated_at = now
            found.append(row)
    FutureTrigger.objects.bulk_update(found, ["status", "at", "due_at", "snoozed_until", "updated_at"])
    for row in found:
        record(JournalLine("trigger.due", "trigger", row.id), agent_id=row.agent_id)
    tell([_event(row) for row in found])
    watch(found)
    return len(found)


def _event(row: FutureTrigger) -> NewEvent:
    return NewEvent(EventKind.TRIGGER_DUE, "trigger", row.id, row.agent_id, row.user_id, row.visibility)


def _lapse() -> int:
    """What comes back stays until it is dismissed."""
    now, tenant_id = clock.now(), scope.current().tenant_id
    since = now - timedelta(days=tenants.policy(tenant_id).trigger_lapse_days)
    over = FutureTrigger.objects.filter(tenant_id=tenant_id, status=TriggerStatus.DUE, recurrence="", due_at__lt=since)
    return over.update(status=TriggerStatus.ENDED, ending=Ending.LAPSED, updated_at=now)
