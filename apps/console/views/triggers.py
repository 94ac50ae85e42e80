"""Triggers as a calendar: what falls due in a month, what was done and what was dropped."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.api import verbs
from apps.api.contract import Input, Name, found
from apps.api.gateway import Gateway
from apps.api.triggers import handlers
from apps.api.triggers.contract import SnoozeInput, Trigger
from apps.console.answers import done
from apps.console.months import Month
from apps.core import clock
from apps.core.paging import MAXIMUM_PAGE_SIZE, PageRequest
from apps.triggers.models import TriggerStatus
from apps.triggers.requests import TriggerFilter
from memory_platform.errors import Invalid

MOST_PAGES: Final = 3
"""Of 100 triggers: a month that holds more says so."""
SNOOZES: Final = {1: "a day", 7: "a week", 30: "a month"}


class MonthFields(Input):
    """The fields of the address; an empty one is none."""

    month: str | None = None
    user: Name | None = None


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar with what falls due on it."""

    date: date
    is_of_month: bool
    is_today: bool
    triggers: Sequence[Trigger]


def month(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    wanted = MonthFields.model_validate({name: value for name, value in request.GET.items() if value})
    today = timezone.localtime(clock.now()).date()
    shown = Month.parse(wanted.month) if wanted.month else Month.of(today)
    triggers, is_cut = _within(gateway.of(wanted.user, all_users=wanted.user is None), shown)
    told = {
        "month": shown,
        "present": Month.of(today),
        "days": list(_days(shown, triggers, today)),
        "held": [each for each in triggers if Month.of(each.day) == shown],
        "is_cut": is_cut,
        "wanted": wanted,
    }
    return render(request, "console/triggers.html", told)


def one(request: HttpRequest, gateway: Gateway, trigger_id: UUID) -> HttpResponse:
    """What the calendar fetches when a trigger is opened: a month of them with all their buttons is long to write."""
    told = {
        "trigger": found(handlers.trigger(gateway, trigger_id), "trigger"),
        "snoozes": SNOOZES,
        "may_write": verbs.COMPLETE_TRIGGER.scope in gateway.principal.scopes,
    }
    return render(request, "console/trigger.html", told)


def complete(request: HttpRequest, gateway: Gateway, trigger_id: UUID) -> HttpResponse:
    trigger = handlers.complete_trigger(gateway, trigger_id)
    told = "Done." if trigger.status is TriggerStatus.DONE else f"Done; it comes back on {trigger.day:%-d %B %Y}."
    return done(request, told, page="triggers")


def dismiss(request: HttpRequest, gateway: Gateway, trigger_id: UUID) -> HttpResponse:
    handlers.dismiss_trigger(gateway, trigger_id)
    return done(request, "Dropped, with all its times.", page="triggers")


def snooze(request: HttpRequest, gateway: Gateway, trigger_id: UUID) -> HttpResponse:
    days = request.POST.get("days", "")
    if days not in map(str, SNOOZES):
        raise Invalid("Say for how many days: 1, 7 or 30.", field="days")
    handlers.snooze_trigger(gateway, trigger_id, SnoozeInput(until=clock.now() + timedelta(days=int(days))))
    return done(request, f"Put off for {SNOOZES[int(days)]}.", page="triggers")


def _within(gateway: Gateway, shown: Month) -> tuple[list[Trigger], bool]:
    """Of the weeks the month touches, whatever became of them; whether there are more than are shown.

    A trigger has a time zone of its own: a day more on either side holds all that may fall on one of the days.
    """
    weeks = shown.weeks
    begin, end = _midnight(weeks[0][0] - timedelta(days=1)), _midnight(weeks[-1][-1] + timedelta(days=2))
    wanted = TriggerFilter(tuple(TriggerStatus), begin, end)
    held: list[Trigger] = []
    after = None
    for _ in range(MOST_PAGES):
        cut = handlers.triggers(gateway, wanted, PageRequest(first=MAXIMUM_PAGE_SIZE, after=after))
        held += cut.rows
        after = cut.end_cursor
        if not cut.has_next:
            return held, False
    return held, True


def _days(shown: Month, triggers: Iterable[Trigger], today: date) -> Iterable[Day]:
    due = defaultdict(list)
    for trigger in triggers:
        due[trigger.day].append(trigger)
    for day in (day for week in shown.weeks for day in week):
        yield Day(day, Month.of(day) == shown, day == today, due[day])


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=timezone.get_current_timezone())
