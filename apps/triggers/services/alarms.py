"""When a time comes: a job at the minute of each that names one; a schedule finds whole days and what was missed."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from apps.core import clock, scope
from apps.jobs.services import NewJob, enqueue_many
from apps.journal.services import NewEvent, record, tell
from apps.triggers import selectors
from apps.triggers.models import Ending, FutureTrigger, TriggerStatus
from memory_platform.lifecycle import recurrence
from memory_platform.lifecycle.triggers import Precision
from memory_platform.model import EventKind, JournalLine

FIRE_JOB: Final = "triggers.fire"
LAPSES_AFTER: Final = timedelta(days=30)
"""What nobody has looked after for so long since it was due is over; what comes back stays until it is dismissed."""


def watch(rows: Iterable[FutureTrigger]) -> None:
    """Have the rows fall due in time, within the open transaction."""
    timed = [row for row in rows if row.precision == Precision.MINUTE.value or row.status == TriggerStatus.SNOOZED]
    enqueue_many([_alarm(row) for row in timed])


def fire(trigger_ids: Iterable[UUID]) -> int:
    """Mark those of them as due whose time has come; returns how many."""
    return _fall_due(selectors.falls_due_by(clock.now()).filter(id__in=list(trigger_ids)))


def check() -> dict[str, int]:
    """Mark everything whose time has come as due, bring what comes back up to date, end what lapsed."""
    return {"due": _fall_due(selectors.falls_due_by(clock.now())), "rolled": _roll(), "lapsed": _lapse()}


def _alarm(row: FutureTrigger) -> NewJob:
    falls_due = row.snoozed_until if row.status == TriggerStatus.SNOOZED else row.at
    return NewJob(FIRE_JOB, {"triggers": [str(row.id)]}, run_after=falls_due)


def _fall_due(rows: Iterable[FutureTrigger]) -> int:
    now, found = clock.now(), list(rows)
    for row in found:
        row.status, row.due_at, row.snoozed_until, row.updated_at = TriggerStatus.DUE, now, None, now
    FutureTrigger.objects.bulk_update(found, ["status", "due_at", "snoozed_until", "updated_at"])
    for row in found:
        record(JournalLine("trigger.due", "trigger", row.id), agent_id=row.agent_id)
    tell([_event(row) for row in found])
    return len(found)


def _event(row: FutureTrigger) -> NewEvent:
    return NewEvent(EventKind.TRIGGER_DUE, "trigger", row.id, row.agent_id, row.user_id, row.visibility)


def _roll() -> int:
    """Of what comes back and was not looked after the latest time counts."""
    now, rolled = clock.now(), []
    for row in selectors.readable().filter(status=TriggerStatus.DUE).exclude(recurrence=""):
        latest = recurrence.latest(row.recurrence, row.begins_at.astimezone(ZoneInfo(row.time_zone)), until=now)
        if latest is not None and latest > row.at:
            row.at = row.due_at = latest
            rolled.append(row)
    FutureTrigger.objects.bulk_update(rolled, ["at", "due_at"])
    return len(rolled)


def _lapse() -> int:
    now = clock.now()
    over = FutureTrigger.objects.filter(
        tenant_id=scope.current().tenant_id, status=TriggerStatus.DUE, recurrence="", due_at__lt=now - LAPSES_AFTER
    )
    return over.update(status=TriggerStatus.ENDED, ending=Ending.LAPSED, updated_at=now)
