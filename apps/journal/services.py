"""Writing to the journal, always inside the transaction that makes the change it tells of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection

from apps.core import clock, context, rows, scope
from apps.core.ids import new_id
from apps.journal.models import Entry, Event, EventCount, LogText
from apps.journal.selectors import LoggedLine
from memory_platform.model import EventKind, JournalLine, Visibility

PRUNED_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to tell of, and who may hear of it; the same `id` is told once.

    `related_id` is what took the subject's place.
    """

    kind: EventKind
    subject: str
    subject_id: UUID
    agent_id: UUID | None
    user_id: str | None
    visibility: str = Visibility.PRIVATE.value
    related_id: UUID | None = None
    code: str = ""
    id: UUID = field(default_factory=new_id)


def record(*lines: JournalLine, agent_id: UUID | None = None) -> list[Entry]:
    """Append entries for the open scope's tenant; `agent_id` defaults to the scope's agent."""
    return Entry.objects.bulk_create(_entries(lines, agent_id))


def write_again(lines: Sequence[LoggedLine]) -> None:
    """Write entries that were lost, as they were exported; those that are there stay as they are."""
    tenant_id = scope.current().tenant_id
    found = [
        Entry(
            tenant_id=tenant_id,
            id=line.id,
            at=line.at,
            operation=line.operation,
            actor=line.actor,
            subject=line.subject,
            subject_id=line.subject_id,
            data=dict(line.data),
        )
        for line in lines
    ]
    rows.insert(found, ignore_conflicts=True)


def tell(events: Sequence[NewEvent]) -> None:
    """Tell those who listen, once the open transaction ends well."""
    tenant_id, at = scope.current().tenant_id, clock.now()
    rows.insert([_event(each, tenant_id, at) for each in events], ignore_conflicts=True)


def place_events() -> int:
    """Give all events that are committed their position; the latest one. Needs an open scope."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT place_events()")
        return int(cursor.fetchone()[0])


def prune_events(days: int) -> int:
    """Delete events older than that, at most PRUNED_AT_ONCE; returns how many. Needs a scope of the whole tenant."""
    tenant_id = scope.current().tenant_id
    old = Event.objects.filter(tenant_id=tenant_id, at__lt=clock.now() - timedelta(days=days))
    if not old.exists():
        return 0
    # What nobody looked for has no position yet, and who comes back later has missed it all the same.
    place_events()
    positions = dict(old.order_by("position").values_list("id", "position")[:PRUNED_AT_ONCE])
    Event.objects.filter(tenant_id=tenant_id, id__in=positions).delete()
    last = max((each for each in positions.values() if each is not None), default=0)
    EventCount.objects.filter(tenant_id=tenant_id, pruned__lt=last).update(pruned=last)
    return len(positions)


def log_action(*, action: str, tool: str, detail: str, reason: str, session_id: UUID | None = None) -> Entry:
    """Append what an agent says it did, in a session or none; its words go to the erasable LogText row."""
    opened = scope.current()
    (entry,) = record(JournalLine(operation="agent.logged", subject="log"))
    LogText.objects.create(
        tenant_id=opened.tenant_id,
        entry_id=entry.id,
        agent_id=opened.agent_id,
        user_id=opened.whose.user_id,
        session_id=session_id,
        action=action,
        tool=tool,
        detail=detail,
        reason=reason,
    )
    return entry


def _event(told: NewEvent, tenant_id: UUID, at: datetime) -> Event:
    return Event(
        tenant_id=tenant_id,
        id=told.id,
        agent_id=told.agent_id,
        user_id=told.user_id,
        visibility=told.visibility,
        at=at,
        kind=told.kind.value,
        subject=told.subject,
        subject_id=told.subject_id,
        related_id=told.related_id,
        code=told.code,
    )


def _entries(lines: Iterable[JournalLine], agent_id: UUID | None) -> list[Entry]:
    opened = scope.current()
    caller = context.current()
    return [
        Entry(
            tenant_id=opened.tenant_id,
            agent_id=agent_id or opened.agent_id,
            operation=line.operation,
            actor=caller.actor,
            subject=line.subject or "",
            subject_id=line.subject_id,
            request_id=caller.request_id,
            data=dict(line.data),
        )
        for line in lines
    ]
