"""What triggers answer."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from apps.triggers.models import Ending, FutureTrigger, TriggerStatus
from memory_platform.lifecycle.triggers import Precision
from memory_platform.model import Visibility


@dataclass(frozen=True, slots=True)
class TriggerView:
    """A trigger as readers see it. `at` is told in its zone, `day` is its day there; `resource_id` is the message that
    named it.
    """

    id: UUID
    text: str
    at: datetime
    day: date
    precision: Precision
    time_zone: str
    recurrence: str
    status: TriggerStatus
    ending: Ending | None
    is_due: bool
    due_at: datetime | None
    snoozed_until: datetime | None
    memory_ids: tuple[UUID, ...]
    item_id: UUID | None
    resource_id: UUID | None
    replaced_by_id: UUID | None
    agent_id: UUID
    user_id: str | None
    visibility: Visibility
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Detection:
    """What reading messages did: triggers made, given back after a restore, ended by a move or cancellation."""

    messages: int = 0
    made: int = 0
    revived: int = 0
    ended: int = 0


def view(row: FutureTrigger, *, now: datetime) -> TriggerView:
    at = row.at.astimezone(ZoneInfo(row.time_zone))
    falls_due = row.snoozed_until if row.status == TriggerStatus.SNOOZED and row.snoozed_until else row.at
    return TriggerView(
        id=row.id,
        text=row.text,
        at=at,
        day=at.date(),
        precision=Precision(row.precision),
        time_zone=row.time_zone,
        recurrence=row.recurrence,
        status=TriggerStatus(row.status),
        ending=Ending(row.ending) if row.ending else None,
        is_due=row.status in OPEN and falls_due <= now,
        due_at=row.due_at,
        snoozed_until=row.snoozed_until,
        memory_ids=tuple(row.preload),
        item_id=row.item_id,
        resource_id=row.resource_id,
        replaced_by_id=row.replaced_by_id,
        agent_id=row.agent_id,
        user_id=row.user_id,
        visibility=Visibility(row.visibility),
        created_at=row.created_at,
    )


OPEN = frozenset({TriggerStatus.WAITING, TriggerStatus.DUE, TriggerStatus.SNOOZED})
"""Statuses of what may still fall due."""
