"""Reading the journal, newest first, with the words agents wrote beside their own entries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.core import scope
from apps.core.paging import PageRequest, Slice, paginate
from apps.journal.models import PEOPLE, Entry, Event, EventCount, LogText
from memory_platform.model import EventKind

ORDER = ("-at", "-id")
OF_NO_AGENT: Final = frozenset({EventKind.BUDGET, EventKind.PROPOSAL})
"""The tenant's: whoever may read what they tell of hears of them all."""


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries, from `since` up to but without `until`; None is no filter."""

    operation: str | None = None
    actor: str | None = None
    agent_id: UUID | None = None
    subject_id: UUID | None = None
    request_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class EntryView:
    """One thing that happened; the last four are empty but for entries an agent wrote itself."""

    id: UUID
    at: datetime
    operation: str
    actor: str
    agent_id: UUID | None
    subject: str
    subject_id: UUID | None
    request_id: str
    data: Mapping[str, Any]
    action: str
    tool: str
    detail: str
    reason: str


@dataclass(frozen=True, slots=True)
class EventView:
    """Something that is told; `position` is where it stands among the tenant's events."""

    position: int
    kind: EventKind
    at: datetime
    subject: str
    subject_id: UUID
    agent_id: UUID | None
    user_id: str | None
    related_id: UUID | None
    code: str


@dataclass(frozen=True, slots=True)
class LoggedLine:
    """An entry as it is exported: ids, counts and codes."""

    id: UUID
    at: datetime
    operation: str
    actor: str
    subject: str
    subject_id: UUID | None
    data: Mapping[str, Any]


def logged(beginnings: Sequence[str]) -> list[LoggedLine]:
    """All entries whose operation begins so, the earliest first. Needs a scope of the whole tenant."""
    wanted = reduce(or_, (Q(operation__startswith=each) for each in beginnings))
    rows = Entry.objects.filter(wanted, tenant_id=scope.current().tenant_id).order_by("at", "id")
    return [LoggedLine(**each) for each in rows.values(*LoggedLine.__slots__)]


def events(*, after: int, upto: int, first: int, kinds: Collection[EventKind] | None = None) -> list[EventView]:
    """What the open scope may hear, in order, behind `after` up to `upto`: of `kinds`, else all that is an agent's."""
    rows = Event.objects.filter(tenant_id=scope.current().tenant_id, position__gt=after, position__lte=upto)
    wanted = rows.exclude(kind__in=OF_NO_AGENT) if kinds is None else rows.filter(kind__in=kinds)
    return [EventView(**each) for each in wanted.order_by("position").values(*EventView.__slots__)[:first]]


def pruned_events() -> int:
    """The latest position of the tenant's events that are no longer kept; 0: none is gone."""
    held = EventCount.objects.filter(tenant_id=scope.current().tenant_id).values_list("pruned", flat=True)
    return held.first() or 0


def entries(*, filter: EntryFilter, page: PageRequest) -> Slice[EntryView]:  # noqa: A002  the word the API uses
    cut = paginate(_matching(filter), order=ORDER, page=page)
    words = _words([row.id for row in cut.rows if row.subject == "log"])
    return cut.of([_view(row, words.get(row.id)) for row in cut.rows])


def view_of(row: Entry, *, action: str, tool: str, detail: str, reason: str) -> EntryView:
    """The entry an agent has just written, without reading it back."""
    return _view(row, LogText(action=action, tool=tool, detail=detail, reason=reason))


def _matching(wanted: EntryFilter) -> "QuerySet[Entry]":
    exact = {
        "operation": wanted.operation,
        "agent_id": wanted.agent_id,
        "subject_id": wanted.subject_id,
        "request_id": wanted.request_id,
        "at__gte": wanted.since,
        "at__lt": wanted.until,
    }
    given = {name: value for name, value in exact.items() if value is not None}
    rows = Entry.objects.filter(tenant_id=scope.current().tenant_id, **given)
    return rows if wanted.actor is None else rows.filter(_by(wanted.actor))


def _by(actor: str) -> Q:
    """One actor, or all of a kind: `member` is every member. The index of people serves whoever names its condition."""
    found = Q(actor=actor) | Q(actor__startswith=f"{actor}:")
    return found & Q(actor__startswith=PEOPLE) if actor.startswith(PEOPLE) else found


def _words(ids: list[UUID]) -> dict[UUID, LogText]:
    if not ids:
        return {}
    rows = LogText.objects.filter(tenant_id=scope.current().tenant_id, entry_id__in=ids)
    return {row.entry_id: row for row in rows}


def _view(row: Entry, words: LogText | None) -> EntryView:
    return EntryView(
        id=row.id,
        at=row.at,
        operation=row.operation,
        actor=row.actor,
        agent_id=row.agent_id,
        subject=row.subject,
        subject_id=row.subject_id,
        request_id=row.request_id,
        data=row.data,
        action=words.action if words else "",
        tool=words.tool if words else "",
        detail=words.detail if words else "",
        reason=words.reason if words else "",
    )
