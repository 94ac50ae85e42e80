"""Stretches of days that have a name in the calendar, and which of them a name without a year means."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import Enum, auto
from typing import Final

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta


class Direction(Enum):
    """Where a name without a year points from the day it was said.

    PLANNED looks ahead as AHEAD does, but what has just gone by is not taken for a plan of the next year. REPORTED
    looks back as BEHIND does, but not further than it is to the next. EITHER is the day something was planned on or
    for: whatever is near.
    """

    BEHIND = auto()
    AHEAD = auto()
    PLANNED = auto()
    REPORTED = auto()
    EITHER = auto()
    UNSURE = auto()


BACKWARDS: Final = frozenset({Direction.BEHIND, Direction.REPORTED})
FORWARDS: Final = frozenset({Direction.AHEAD, Direction.PLANNED})


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `start` to `end` (exclusive); `words` say them absolutely, empty where the phrase itself does.

    What is no event (`is_event`) says only how long something has been so. Of what is counted from a day in units that
    are longer `counted` is the day the count ends on. A range (`is_range`) is told by its first and last day.
    """

    start: date
    end: date
    words: str = ""
    is_event: bool = True
    counted: date | None = None
    is_range: bool = False


DAY: Final = timedelta(days=1)
WEEK: Final = timedelta(days=7)
JUST_GONE: Final = timedelta(days=60)
"""A day nearer than this behind is rather reported than planned for next year: nothing is sure then."""

NEAR: Final = timedelta(days=120)
"""A third of a year: what is nearer on one side is at least twice as far on the other."""

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAY: Final = rf"(?:{'|'.join(WEEKDAYS)})"
"""A pattern, for texts whose case is ignored."""
MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july",
    "august", "september", "october", "november", "december",
)  # fmt: skip
SEASONS: Final = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""The month each begins in: seasons of the weather services, northern half of the earth."""
_STEP_OF: Final = {
    "week": relativedelta(weeks=1), "fortnight": relativedelta(weeks=2), "month": relativedelta(months=1),
    "quarter": relativedelta(months=3), "year": relativedelta(years=1), "decade": relativedelta(years=10),
}  # fmt: skip
THIRDS: Final = {"early ": (1, 10), "mid-": (11, 20), "late ": (21, 31)}
HALVES: Final = {"first half of ": (1, 15), "second half of ": (16, 31)}
_FIXED_FEASTS: Final = {
    "new year": (1, 1), "valentine": (2, 14), "halloween": (10, 31), "christmas eve": (12, 24), "christmas": (12, 25),
    "boxing day": (12, 26), "new year's eve": (12, 31),
}  # fmt: skip
_EASTER_FEASTS: Final = {"good friday": -2, "easter": 0, "easter monday": 1}


def day_words(of: date) -> str:
    return f"{of.day} {month_name(of.month)} {of.year}"


def month_name(number: int) -> str:
    return MONTHS[number - 1].capitalize()


def day(of: date) -> Span:
    return Span(of, of + DAY, day_words(of))


def days(first: date, last: date) -> Span:
    """From `first` to `last`, both included. Raises ValueError if they are the wrong way round."""
    if first > last:
        raise ValueError(f"{first} is after {last}")
    if first == last:
        return day(first)
    opening = str(first.day)
    if (first.year, first.month) != (last.year, last.month):
        opening = f"{opening} {month_name(first.month)}"
    if first.year != last.year:
        opening = f"{opening} {first.year}"
    return Span(first, last + DAY, f"{opening} to {day_words(last)}", is_range=True)


def week(of: date) -> Span:
    """The week, Monday to Sunday, a day lies in."""
    monday = of - timedelta(days=of.weekday())
    return Span(monday, monday + WEEK, f"week of {day_words(monday)}")


def numbered_week(year_number: int, number: int) -> Span:
    """The week of ISO 8601. Raises ValueError if the year has none of that number."""
    return week(date.fromisocalendar(year_number, number, 1))


def weekend(of: date) -> Span:
    """The weekend of the week a day lies in."""
    saturday = of + timedelta(days=5 - of.weekday())
    return Span(saturday, saturday + 2 * DAY, f"weekend of {day_words(saturday)}")


def month(year_number: int, number: int) -> Span:
    """`number` may lie outside 1 to 12; it counts on into other years."""
    first, following = (date(year_number + (n - 1) // 12, (n - 1) % 12 + 1, 1) for n in (number, number + 1))
    return Span(first, following, f"{month_name(first.month)} {first.year}")


def part_of_month(which: str, whole: Span) -> Span:
    """One of THIRDS or HALVES of a month."""
    first, last = (THIRDS | HALVES)[which]
    end = min(whole.start + last * DAY, whole.end)
    return Span(whole.start.replace(day=first), end, f"{which}{whole.words}")


def quarter(year_number: int, number: int) -> Span:
    """`number` may lie outside 1 to 4."""
    first, following = (month(year_number, 3 * n - 2).start for n in (number, number + 1))
    return Span(first, following, f"Q{(first.month + 2) // 3} {first.year}")


def season(name: str, year_number: int) -> Span:
    first, following = (month(year_number, SEASONS[name] + n).start for n in (0, 3))
    return Span(first, following, f"{name} {year_number}")


def year(number: int) -> Span:
    return Span(date(number, 1, 1), date(number + 1, 1, 1), str(number))


def feast(name: str, year_number: int) -> Span:
    """A feast with a day of its own in the whole West; Easter is that of the western churches."""
    if name in _EASTER_FEASTS:
        return day(easter(year_number) + _EASTER_FEASTS[name] * DAY)
    return day(date(year_number, *_FIXED_FEASTS[name]))


def clamped(year_number: int, month_number: int, day_number: int) -> date:
    """That day of the month, or the last one of a shorter month."""
    first = date(year_number, month_number, 1)
    return min(first + timedelta(days=day_number - 1), month(year_number, month_number).end - DAY)


def counted(span: Span, said: date, amount: int, unit: str) -> Span:
    """A span that is told as so many units from the day it was said, with the day on which they are over."""
    return replace(span, counted=said + amount * _STEP_OF[unit]) if unit in _STEP_OF else span


def weekday(index: int, said: date, direction: Direction, *, is_this: bool = False) -> date:
    """The weekday before or after the day it was said, never that day itself unless it is "this" one."""
    ahead = (index - said.weekday()) % 7
    if direction in BACKWARDS:
        return said - ((7 - ahead) % 7 or 7) * DAY
    return said + (ahead if is_this else ahead or 7) * DAY


def weekday_in(whole: Span, index: int, nth: int) -> date:
    """The first, second, … weekday (0 is Monday) of a week or month, or for -1 its last."""
    if nth < 0:
        last = whole.end - DAY
        return last - (last.weekday() - index) % 7 * DAY
    return whole.start + ((index - whole.start.weekday()) % 7 + 7 * (nth - 1)) * DAY


def meant(occurrences: Iterable[Span], said: date, direction: Direction) -> Span | None:
    """Which of the occurrences of a name, in order, a direction means; None if that is unsure."""
    named = list(occurrences)
    gone = next((span for span in reversed(named) if span.start <= said), None)
    coming = next((span for span in named if span.start >= said), None)
    near = next((span for span in (gone, coming) if span and abs(span.start - said) < NEAR), None)
    if direction is Direction.PLANNED:
        return _planned(gone, coming, said)
    return {
        Direction.BEHIND: gone,
        Direction.AHEAD: coming,
        Direction.REPORTED: gone if _is_nearer(gone, coming, said) else None,
        Direction.EITHER: near,
    }.get(direction)


def _is_nearer(gone: Span | None, coming: Span | None, said: date) -> bool:
    return gone is not None and (coming is None or said - gone.start < coming.start - said)


def _planned(gone: Span | None, coming: Span | None, said: date) -> Span | None:
    """What is on or still to come, unless the last one has hardly gone by."""
    if gone is None or gone.end + JUST_GONE <= said:
        return coming
    return gone if gone.end > said else None


def yearly(occurrence: Callable[[int], Span], said: date) -> Iterator[Span]:
    """What a name means in the years about the one it was said in, those left out that have no such day."""
    for year_number in range(said.year - 2, said.year + 3):
        try:
            yield occurrence(year_number)
        except (ValueError, OverflowError):
            continue


def monthly(day_number: int, said: date) -> Iterator[Span]:
    """The days of that number in the months about the one it was said in, those left out that have none."""
    for offset in range(-2, 4):
        try:
            yield day(month(said.year, said.month + offset).start.replace(day=day_number))
        except (ValueError, OverflowError):
            continue


def next_or_last(occurrences: Iterable[Span], said: date, direction: Direction) -> Span | None:
    """As `meant`, of a name that comes back every month: a plan is for the next one, a mere report tells nothing."""
    if direction in {Direction.EITHER, Direction.REPORTED}:
        return None
    return meant(occurrences, said, Direction.AHEAD if direction is Direction.PLANNED else direction)


def fitting(occurrences: Iterable[Span], index: int, said: date) -> Span | None:
    """The occurrence nearest to a day that begins on a weekday (0 is Monday); None if none does."""
    named = [span for span in occurrences if span.start.weekday() == index]
    return min(named, key=lambda span: abs(span.start - said), default=None)
