"""Months: what a calendar turns and a slider goes through."""

import calendar
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from typing_extensions import override

from memory_platform.errors import Invalid

_MONTHS: Final = 12
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2200


@dataclass(frozen=True, slots=True, order=True)
class Month:
    """A month; `number` counts them from year 0."""

    year: int
    month: int

    @classmethod
    def of(cls, day: date) -> "Month":
        return cls(day.year, day.month)

    @classmethod
    def parse(cls, text: str) -> "Month":
        """Of `2026-03`. Raises Invalid."""
        year, _, month = text.partition("-")
        is_month = len(text) == 7 and text.isascii() and year.isdigit() and month.isdigit()
        if not is_month or not 1 <= int(month) <= _MONTHS or not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
            raise Invalid("This is no month; an example is 2026-03.", field="month")
        return cls(int(year), int(month))

    @override
    def __str__(self) -> str:
        return f"{self.year:04d}-{self.month:02d}"

    @property
    def number(self) -> int:
        return self.year * _MONTHS + self.month - 1

    @property
    def first_day(self) -> date:
        return date(self.year, self.month, 1)

    @property
    def name(self) -> str:
        return f"{self.first_day:%B %Y}"

    def before(self, months: int) -> "Month":
        """So many months earlier, no earlier than a calendar goes."""
        earliest = _FIRST_YEAR * _MONTHS
        year, month = divmod(max(self.number - months, earliest), _MONTHS)
        return Month(year, month + 1)

    @property
    def previous(self) -> "Month":
        return self.before(1)

    @property
    def next(self) -> "Month":
        return self.before(-1)

    def until(self, last: "Month") -> int:
        """How many months lie between this one and a later one."""
        return max(0, last.number - self.number)

    def begin(self, zone: tzinfo) -> datetime:
        return datetime.combine(self.first_day, time(), tzinfo=zone)

    def end(self, zone: tzinfo) -> datetime:
        """Its last moment."""
        return self.next.begin(zone) - timedelta(microseconds=1)

    @property
    def weeks(self) -> list[list[date]]:
        """The weeks it touches, from Monday to Sunday."""
        return calendar.Calendar().monthdatescalendar(self.year, self.month)
