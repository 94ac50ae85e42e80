"""Summing up the days that are over, one after the other, each once: `UsageDay` holds every day up to its latest.

A clock that ran ahead has summed up days that are not over: they are dropped, and summed up when they are.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Max, Min, Q

from apps.budgets.models import Usage, UsageDay
from apps.core import locks, scope
from apps.core.clock import now
from apps.core.sql import statement
from apps.jobs.services import enqueue

ROLL_UP: Final = "budgets.roll_up"
SETTLING: Final = timedelta(hours=2)
"""How long after midnight a day still waits for transactions that began in it."""
DAY: Final = timedelta(days=1)

_looked: dict[UUID, date] = {}


def request() -> None:
    """Ask for a roll-up once there is a day to sum up, or one that was too early: each process looks once a day and
    tenant.
    """
    tenant_id, end = scope.current().tenant_id, _end()
    if _looked.get(tenant_id) == end:
        return
    _looked[tenant_id] = end
    # What was metered ahead of now was summed up ahead of now.
    if Usage.objects.filter(Q(at__lt=midnight(end)) | Q(at__gt=now()), tenant_id=tenant_id).exists():
        enqueue(ROLL_UP, {}, serial_key=ROLL_UP, dedup_key=ROLL_UP)


def rolled_until() -> date | None:
    """The first day that is not summed up; None: none is. Needs a scope of the whole tenant."""
    last: date | None = UsageDay.objects.filter(tenant_id=scope.current().tenant_id).aggregate(last=Max("day"))["last"]
    return None if last is None else last + DAY


def roll_next_day() -> date | None:
    """Sum up the next day that is over and has usage, and drop sums of days that are not over; None when there is none.

    Needs a scope of the whole tenant.
    """
    tenant_id = scope.current().tenant_id
    locks.take_turn(f"{ROLL_UP} {tenant_id}")
    UsageDay.objects.filter(tenant_id=tenant_id, day__gte=_end()).delete()
    first = rolled_until()
    waiting = Usage.objects.filter(tenant_id=tenant_id, at__lt=midnight(_end()))
    if first is not None:
        waiting = waiting.filter(at__gte=midnight(first))
    earliest: datetime | None = waiting.aggregate(at=Min("at"))["at"]
    if earliest is None:
        return None
    day = earliest.astimezone(UTC).date()
    with connection.cursor() as cursor:
        bounds: dict[str, Any] = {"tenant": tenant_id, "day": day, "since": midnight(day), "until": midnight(day + DAY)}
        cursor.execute(statement("budgets", "roll_up"), bounds)
    return day


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _end() -> date:
    """The first day that is not over yet."""
    return (now() - SETTLING).astimezone(UTC).date()
