"""Reading triggers. All need an open scope and see what it may read; what is forgotten is not there."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import BooleanField, Case, F, Q, QuerySet, When
from django.db.models.expressions import RawSQL

from apps.core import clock, paging, scope
from apps.core.paging import PageRequest, Slice
from apps.triggers.models import Ending, FutureTrigger, TriggerStatus
from apps.triggers.requests import TriggerFilter
from apps.triggers.results import OPEN, TriggerView, view
from memory_platform.lifecycle.triggers import Detected, Precision
from memory_platform.model import Status

DUE_AT_ONCE = 20
"""Read of what is due: the start of a session has room for fewer."""
_FORGOTTEN = (
    "EXISTS (SELECT FROM memory_forgotten_episode gone WHERE gone.tenant_id = triggers_future_trigger.tenant_id"
    " AND gone.resource_id = triggers_future_trigger.resource_id)"
)


def triggers(*, filter: TriggerFilter, page: PageRequest) -> Slice[TriggerView]:  # noqa: A002  the API's word
    """One page, the soonest first. Raises Invalid on a malformed cursor."""
    rows = readable().filter(status__in=OPEN if filter.statuses is None else filter.statuses)
    if filter.from_ is not None:
        rows = rows.filter(at__gte=filter.from_)
    if filter.until is not None:
        rows = rows.filter(at__lt=filter.until)
    now, cut = clock.now(), paging.paginate(rows, order=("at", "id"), page=page)
    return cut.of([view(row, now=now) for row in cut.rows])


def trigger(trigger_id: UUID) -> TriggerView | None:
    """One of them, whatever became of it."""
    row = readable().filter(id=trigger_id).first()
    return None if row is None else view(row, now=clock.now())


def set_by_callers(trigger_ids: Iterable[UUID]) -> dict[UUID, FutureTrigger]:
    """Those of them that callers set, and that are still open, whatever message told the same since."""
    rows = readable().filter(resource=None, status__in=OPEN).in_bulk(list(trigger_ids))
    return {row_id: row for row_id, row in rows.items() if not _is_told(row)}


def held(trigger_ids: Iterable[UUID]) -> dict[UUID, bool]:
    """Which of them are here, and whether they were forgotten."""
    rows = FutureTrigger.objects.filter(tenant_id=scope.current().tenant_id, id__in=list(trigger_ids))
    return {row_id: ending == Ending.FORGOTTEN for row_id, ending in rows.values_list("id", "ending")}


def due(*, within: timedelta = timedelta(0), limit: int = DUE_AT_ONCE) -> list[TriggerView]:
    """What is due now, or falls due `within` a time from now: the latest first, at most `limit`.

    Their `memory_ids` are what a session should begin with. It does not wait for the jobs that mark what is due.
    """
    now = clock.now()
    rows = readable().filter(status__in=OPEN).annotate(falls_due=_FALLS_DUE)
    found = rows.filter(falls_due__lte=now + within).order_by("-falls_due", "id")[:limit]
    return [view(row, now=now) for row in found]


def readable() -> "QuerySet[FutureTrigger]":
    """Rows of the open scope that are not forgotten with their message, their memory or their user."""
    rows = FutureTrigger.objects.filter(tenant_id=scope.current().tenant_id).exclude(ending="forgotten")
    rows = rows.filter(Q(item__isnull=True) | ~Q(item__status=Status.DELETED.value))
    gone = RawSQL(_FORGOTTEN, [], output_field=BooleanField())  # noqa: S611  a constant
    return rows.annotate(gone=gone).filter(gone=False)


def _is_told(row: FutureTrigger) -> bool:
    """Whether its time was read in what a caller had remembered, and is again when that is."""
    begins_at = row.begins_at.astimezone(ZoneInfo(row.time_zone))
    return row.digest == Detected(begins_at, Precision(row.precision), row.text, row.recurrence).digest


def falls_due_by(moment: datetime) -> "QuerySet[FutureTrigger]":
    """Rows that are not marked as due, though their time has come, and those due that come back: maybe they have."""
    rows = readable().filter(status__in=OPEN).annotate(falls_due=_FALLS_DUE).filter(falls_due__lte=moment)
    return rows.exclude(status=TriggerStatus.DUE, recurrence="")


_FALLS_DUE = Case(When(status=TriggerStatus.SNOOZED, then=F("snoozed_until")), default=F("at"))
