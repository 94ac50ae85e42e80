"""What comes back: phrases such as "every Monday at 9" as rules of RFC 5545, and when a rule next falls due.

Rules here have no DTSTART and are in local time: 9 o'clock stays 9 o'clock when summer time begins.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, cast

from dateutil.rrule import rrule, rrulestr

from memory_platform.text.dates import english
from memory_platform.text.dates.clocks import clock_beside
from memory_platform.text.dates.numeric import YEAR
from memory_platform.text.dates.spans import MONTHS, WEEKDAY

DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
FREQUENCIES: Final = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
PARTS: Final = frozenset({"FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "UNTIL", "COUNT"})
"""The subset that is understood: nothing that falls due more often than once a day."""
LARGEST: Final = 1_000
"""Of INTERVAL and COUNT."""
LONGEST_RULE: Final = 200
LARGEST_CHANGE: Final = timedelta(hours=2)
"""By which summer time moves a zone's clocks."""
_NEVER: Final = datetime(9000, 1, 1)  # noqa: DTZ001  local, as all times of a rule

_SEVERAL: Final = rf"{WEEKDAY}s?(?:\s?(?:,|&|and|, and)\s?{WEEKDAY}s?){{0,6}}"
_EACH: Final = r"(?:every|each)"
_PART: Final = r"(?:\s(?:morning|afternoon|evening|night)s?)?"
_PHRASES: Final = re.compile(
    rf"\b(?:(?P<monthly>{_EACH} month on the (?P<number>{english.ORDINAL})"
    rf"|(?:on )?the (?P<number2>{english.ORDINAL}) of (?:{_EACH}|the) month"
    rf"|monthly on the (?P<number3>{english.ORDINAL}))"
    rf"|(?P<last>(?:on )?the last day of {_EACH} month)"
    rf"|(?P<nth>(?:on )?(?:the |{_EACH} )(?P<which>first|second|third|fourth|last) (?P<of>{WEEKDAY}) of "
    rf"(?:{_EACH}|the) month)"
    rf"|(?P<weekly>(?:{_EACH}\s(?P<other>other\s|second\s)?|weekly on )(?P<days>{_SEVERAL}){_PART})"
    rf"|(?P<plural>on (?P<plurals>{WEEKDAY}s(?:\s?(?:,|&|and|, and)\s?{WEEKDAY}s){{0,6}}){_PART})"
    rf"|(?P<workdays>{_EACH} (?:weekday|working day|workday))"
    rf"|(?P<daily>{_EACH} (?:day|morning|afternoon|evening|night)|daily))\b",
    re.IGNORECASE,
)
_EVERY_YEAR: Final = re.compile(r"\b(?:(?:every|each) (?:single )?year|annually)\b", re.IGNORECASE)
_BIRTHDAY: Final = re.compile(r"\bbirthday(?:['’]s|\s(?:is|falls))(?:\s(?:always|on|the)){0,3}\s\Z", re.IGNORECASE)
_LOOKED_BACK: Final = 40
_YEAR: Final = re.compile(YEAR)


@dataclass(frozen=True, slots=True)
class Recurring:
    """A phrase from `start` to `end` of a text, its rule, and the time of day said with it. `is_plural`: "on Mondays",
    which is also said of what is merely so then.
    """

    start: int
    end: int
    rule: str
    clock: time | None
    is_plural: bool


def recurring(text: str) -> Iterator[Recurring]:
    """The English phrases of recurrence of a clause. What is daily counts only with a time: else it is a habit."""
    for match in _PHRASES.finditer(text):
        rule = _rule(match)
        clock = clock_beside(text, match.start(), match.end(), is_english=True)
        if rule and (clock is not None or not match["daily"]):
            yield Recurring(match.start(), match.end(), rule, clock, bool(match["plural"]))


def comes_yearly(text: str, start: int, end: int) -> bool:
    """Whether the day and month that stand from one place of an English text to another come back every year."""
    words = text[start:end].casefold()
    is_whole = any(name[:3] in words for name in MONTHS) and _YEAR.search(words) is None
    before = text[max(0, start - _LOOKED_BACK) : start]
    return is_whole and bool(_BIRTHDAY.search(before) or _EVERY_YEAR.search(text))


def yearly(day: date) -> str:
    """The rule of a day and month that come back every year."""
    return f"FREQ=YEARLY;BYMONTH={day.month};BYMONTHDAY={day.day}"


def _rule(match: re.Match[str]) -> str:
    return next((read(match) for name, read in _RULES.items() if match[name]), "")


def _monthly(match: re.Match[str]) -> str:
    number = english.day_number((match["number"] or match["number2"] or match["number3"]).casefold())
    return f"FREQ=MONTHLY;BYMONTHDAY={number}" if 1 <= number <= 31 else ""


def _nth(match: re.Match[str]) -> str:
    return f"FREQ=MONTHLY;BYDAY={english.NTHS[match['which'].casefold()]}{match['of'][:2].upper()}"


def _weekly(match: re.Match[str]) -> str:
    every = "INTERVAL=2;" if match["other"] else ""
    return f"FREQ=WEEKLY;{every}BYDAY={_days(match['days'])}"


def _days(words: str) -> str:
    found = {word[:2].upper() for word in re.findall(WEEKDAY, words, re.IGNORECASE)}
    return ",".join(day for day in DAYS if day in found)


_RULES: Final[Mapping[str, Callable[[re.Match[str]], str]]] = {
    "monthly": _monthly,
    "last": lambda _: "FREQ=MONTHLY;BYMONTHDAY=-1",
    "nth": _nth,
    "weekly": _weekly,
    "plural": lambda match: f"FREQ=WEEKLY;BYDAY={_days(match['plurals'])}",
    "workdays": lambda _: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "daily": lambda _: "FREQ=DAILY",
}


def checked(rule: str) -> str:
    """The rule in upper case without spaces. Raises ValueError for what is not in the subset."""
    rule = "".join(rule.upper().split()).removeprefix("RRULE:")
    parts = dict(part.partition("=")[::2] for part in rule.split(";"))
    if len(rule) > LONGEST_RULE or parts.get("FREQ") not in FREQUENCIES or not parts.keys() <= PARTS:
        raise ValueError(f"A rule is FREQ=DAILY, WEEKLY, MONTHLY or YEARLY with some of {', '.join(sorted(PARTS))}.")
    if any(not 1 <= int(parts.get(name, "1")) <= LARGEST for name in ("INTERVAL", "COUNT")):
        raise ValueError(f"INTERVAL and COUNT are 1 to {LARGEST}.")
    # Looked for year by year first: a day that never comes would be looked for on each day up to the year 9999.
    days = ";".join(["FREQ=YEARLY", *(f"{name}={value}" for name, value in parts.items() if name.startswith("BY"))])
    if not (_comes(days) and _comes(rule)):
        raise ValueError("The rule never falls due.")
    return rule


def _comes(rule: str) -> bool:
    return following(rule, datetime(2026, 1, 1, tzinfo=UTC), after=datetime(2025, 12, 31, tzinfo=UTC)) is not None


def following(rule: str, first: datetime, *, after: datetime) -> datetime | None:
    """When a rule that begins at `first` (aware; its zone is the rule's) is next due after a moment; None: no more.

    Raises ValueError for a rule that cannot be read.
    """
    # Where summer time moves the clocks, a later moment may have the earlier local time.
    found = _falls(rule, first).xafter(_local(after, first) - LARGEST_CHANGE)
    times = (_told(each, first) for each in found)
    return next((each for each in times if each is None or each > after.astimezone(UTC)), None)


def latest(rule: str, first: datetime, *, until: datetime) -> datetime | None:
    """When it was last due, at a moment or before it; None: not yet."""
    falls = _falls(rule, first)
    found = falls.before(_local(until, first) + LARGEST_CHANGE, inc=True)
    while (told := _told(found, first)) is not None and told > until.astimezone(UTC):
        found = falls.before(found)
    return told


def _falls(rule: str, first: datetime) -> rrule:
    return cast("rrule", rrulestr(rule, dtstart=first.replace(tzinfo=None), ignoretz=True))


def _local(moment: datetime, first: datetime) -> datetime:
    return moment.astimezone(first.tzinfo).replace(tzinfo=None)


def _told(found: datetime | None, first: datetime) -> datetime | None:
    """In the zone of the rule; an hour that summer time skips is the one after."""
    if found is None or found > _NEVER:
        return None
    return found.replace(tzinfo=first.tzinfo).astimezone(UTC).astimezone(first.tzinfo)
