"""How dates are told in other languages than English, with the vocabulary and the parser of dateparser.

dateparser reads what is told by its distance ("vor drei Wochen", "la semaine prochaine"); where a name without a year
points is decided here, by the tense of the clause and by the few words of `tongues` that dateparser does not have.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from dateparser.date import DateDataParser
from dateparser.languages.loader import default_loader

from memory_platform.model import Tense
from memory_platform.text.dates import numeric
from memory_platform.text.dates.grammar import Form, Grammar, NamedDate, Parts, PhrasePlace
from memory_platform.text.dates.numeric import OPENERS, YEAR, written
from memory_platform.text.dates.spans import (
    BACKWARDS,
    DAY,
    MONTHS,
    WEEK,
    WEEKDAYS,
    Direction,
    Span,
    counted,
    day,
    days,
    fitting,
    meant,
    month,
    monthly,
    next_or_last,
    part_of_month,
    week,
    weekday,
    weekday_in,
    year,
    yearly,
)
from memory_platform.text.dates.tongues import TONGUES, UNKNOWN, Tongue

_DAY_NUMBER: Final = r"[0-3]?\d(?:\.|er|º|ª|°)?"
_NUMBER: Final = r"(\d++[.,]?\d*+)"
"""How the data of dateparser spells the number of a shift."""
_UNITS: Final = ("day", "week", "month", "year")
_BASE: Final = date(2001, 1, 1)
"""A Monday that begins a month and a year: shifts are read from here and counted from the day they were said."""
_SETTINGS: Final = {
    "RELATIVE_BASE": datetime.combine(_BASE, time()),
    "PARSERS": ["relative-time"],
    "PREFER_DAY_OF_MONTH": "first",
    "PREFER_MONTH_OF_YEAR": "first",
    "TIMEZONE": "UTC",
    "RETURN_AS_TIMEZONE_AWARE": False,
}
_PARSER_ERRORS: Final = (ValueError, OverflowError, RecursionError)


def named(text: str, said: date, *, tense: Tense, language: str, is_day_first: bool) -> Iterator[NamedDate]:
    """The dates of a clause in a language given by its ISO 639-1 code; those in numbers alone where it is unknown."""
    known = _language(language if _data(language) else "")
    if not known.hint.search(text.lower()):
        return
    towards = partial(_direction, text, known.planned_from(text), tense, known.tongue)
    for one in known.grammar.named(text, said, towards=towards, is_day_first=is_day_first):
        yield replace(one, span=known.said(one.span))


def opens(word: str, language: str) -> bool:
    """Whether a word before a date says that what it opens goes on: "seit", "depuis"."""
    return word.casefold() in TONGUES.get(language, UNKNOWN).since


def supposes(text: str, language: str) -> bool:
    """Whether a clause opens with a word that makes it a condition."""
    words = TONGUES.get(language, UNKNOWN).supposing
    return re.match(rf"\W*(?:{words})\b", text, re.IGNORECASE) is not None


def _direction(
    text: str, planned_from: int, tense: Tense, tongue: Tongue, start: int, end: int, _preposition: str
) -> Direction:
    """As `directions.Course`, by the tense of the clause and the words a date opens with or follows."""
    words = [*_words(text[max(0, start - 16) : start])[-2:], *_words(text[start : min(end, start + 16)])[:2]]
    if not tongue.since.isdisjoint(words):
        return Direction.AHEAD if tense is Tense.FUTURE else Direction.BEHIND
    if tense is Tense.FUTURE:
        return Direction.AHEAD
    if not tongue.since_or_from.isdisjoint(words):
        return Direction.REPORTED
    if tense is Tense.PAST:
        is_planned, is_until = 0 <= planned_from < start, not tongue.until.isdisjoint(words)
        if is_planned and not tongue.target.isdisjoint(words):
            return Direction.PLANNED
        return Direction.EITHER if is_planned or is_until else Direction.REPORTED
    is_ahead = tense is Tense.PRESENT or planned_from >= 0 or not tongue.until.isdisjoint(words)
    return Direction.PLANNED if is_ahead else Direction.UNSURE


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


class _Language:
    """The names a language has for days and months, and the forms they make dates in."""

    def __init__(self, code: str) -> None:
        data = _data(code)
        self.tongue = TONGUES.get(code, UNKNOWN)
        self._code = code
        self._months = {name: number for number, english in enumerate(MONTHS, 1) for name in _names(data, english)}
        self._month_names = [max(_names(data, english), key=len, default="") for english in MONTHS]
        self._weekdays = {
            name: index for index, english in enumerate(WEEKDAYS) for name in _longest(_names(data, english))
        }
        self._near = self.tongue.near
        self._numbers = {
            word: str(number) for number, words in enumerate(self.tongue.numbers, 1) for word in words.split()
        }
        shifts = _shift_patterns(data, _any_of(self._numbers))
        self.grammar = Grammar(self._forms(shifts), OPENERS)
        self.hint = re.compile("|".join([r"\d", _any_of({**self._months, **self._weekdays, **self._near}), *shifts]))

    def planned_from(self, text: str) -> int:
        """Where the first word of scheduling stands, -1 without one."""
        found = re.search(rf"\b(?:{self.tongue.planned})", text, re.IGNORECASE)
        return found.start() if found else -1

    def said(self, span: Span) -> Span:
        """The span in words of this language, in ISO 8601 where they are not known."""
        if not span.words:
            return span
        last = span.end - DAY
        if span == week(span.start):
            return replace(
                span, words=self.tongue.week.format(day=self._day(span.start)) or self._days(span.start, last)
            )
        if span == month(span.start.year, span.start.month):
            return replace(span, words=self._month(span.start))
        if span == year(span.start.year):
            return span
        return replace(span, words=self._days(span.start, last))

    def _days(self, first: date, last: date) -> str:
        return self._day(first) if first == last else f"{self._day(first)} – {self._day(last)}"

    def _day(self, of: date) -> str:
        number = "1er" if of.day == 1 and self._code == "fr" else of.day
        name = self._month_names[of.month - 1]
        return self.tongue.day.format(day=number, month=name, Month=name.capitalize(), year=of.year) or of.isoformat()

    def _month(self, of: date) -> str:
        name = self._month_names[of.month - 1]
        return self.tongue.month.format(month=name, Month=name.capitalize(), year=of.year) or of.isoformat()[:-3]

    def _forms(self, shifts: Sequence[str]) -> Sequence[Form]:
        tongue, a_weekday = self.tongue, _any_of(self._weekdays)
        full_month = _any_of(filter(None, self._month_names))
        a_month = rf"(?:(?:{full_month})|(?:{_any_of(self._months)})\b(?:\.(?=[ ,]))?)(?!\w)"
        its_year = rf"(?: (?:de |del )?(?P<year>{YEAR}))?"
        a_day = rf"(?:{_DAY_NUMBER}|{_any_of(tongue.ordinals)})"
        return (
            Form("no_date", tongue.refused.replace("{weekday}", f"(?:{a_weekday})"), None),
            *numeric.FORMS,
            Form("short", r"(?<![./\d])(?P<day>[0-3]?\d)\. ?(?P<number>[01]?\d)\.(?!\d)", self._day_and_month),
            Form(
                "day_range",
                rf"(?P<day>{a_day}) ?(?:{tongue.to}) ?(?P<last>{a_day}) (?:de )?"
                rf"(?P<month>{a_month}){its_year}",
                self._day_range,
            ),
            Form(
                "day_month",
                rf"(?:(?P<weekday>{a_weekday}),? (?:\w{{2,3}} )?)?(?P<day>{a_day}) (?:de )?"
                rf"(?P<month>{a_month}){its_year}",
                self._day_and_month,
            ),
            Form(
                "third_of_month",
                rf"(?:a )?(?P<third>{_any_of(tongue.thirds)})[ -](?P<month>{full_month})(?!\w){its_year}",
                self._third_of_month,
            ),
            Form("month_of_year", rf"(?P<month>{a_month}) (?:de |del )?(?P<year>{YEAR})", self._month_of_year),
            *self._weekdays_of_week(a_weekday),
            Form("near", rf"(?P<near>{_any_of(self._near)})(?: (?:{tongue.parts_of_day}))?(?![\w-])", self._near_day),
            Form("shift", rf"(?P<phrase>{'|'.join(shifts) or '(?!)'})(?![\w-])", self._shifted),
            Form("unit_behind", self._shifting(_any_of(tongue.units), "unit", is_behind=True), self._shifted_unit),
            Form("unit_before", self._shifting(_any_of(tongue.units), "unit", is_behind=False), self._shifted_unit),
            Form("weekday_behind", self._shifting(a_weekday, "weekday", is_behind=True), self._weekday),
            Form("weekday_before", self._shifting(a_weekday, "weekday", is_behind=False), self._weekday),
            Form("weekday", rf"(?P<weekday>{a_weekday})(?![\w-])", self._weekday),
            Form(
                "numbered_day",
                rf"(?:{tongue.numbered_day})(?! ?{a_month}| ?(?:{tongue.to}) ?\d)",
                self._numbered_day,
            ),
            Form(
                "bare_month",
                rf"(?:{tongue.before_month}) (?P<month>{full_month})(?!\w| (?:de |del )?\d|\d)",
                self._bare_month,
            ),
            Form("bare_year", rf"(?:{tongue.before_month}) (?P<year>{YEAR})(?![\w%-]|[.,]\d)", self._bare_year),
        )

    def _weekdays_of_week(self, a_weekday: str) -> Iterator[Form]:
        """A day of a week that is told from now: "Dienstag nächster Woche", "la semaine prochaine mardi"."""
        weeks = _any_of(word for word, unit in self.tongue.units.items() if unit == "week")
        a_day, beside = rf"(?P<weekday>{a_weekday})", r",? (?:\w{1,3} ){0,2}"
        for is_behind in (True, False):
            a_week = self._shifting(weeks, "unit", is_behind=is_behind)
            for name, pattern in (
                ("day_of", rf"{a_day}{beside}{a_week}"),
                ("of", rf"{a_week}{beside}{a_day}(?![\w-])"),
            ):
                yield Form(f"{name}_week_{'behind' if is_behind else 'before'}", pattern, self._weekday_of_week)

    def _shifting(self, names: str, group: str, *, is_behind: bool) -> str:
        shift = rf"(?:(?P<following>{self.tongue.following})|(?P<previous>{self.tongue.previous}))"
        name = rf"(?P<{group}>{names})"
        return rf"{name} {shift}(?!\w)" if is_behind else rf"{shift} {name}(?![\w-])"

    def _day_and_month(self, parts: Parts, place: PhrasePlace) -> Span | None:
        number, of_month = self._day_number(parts["day"]), self._month_number(parts)
        return self._dated(parts, place, lambda its_year: day(date(its_year, of_month, number)))

    def _day_range(self, parts: Parts, place: PhrasePlace) -> Span | None:
        first, last, of_month = (
            self._day_number(parts["day"]),
            self._day_number(parts["last"]),
            self._month_number(parts),
        )
        return self._dated(
            parts, place, lambda its_year: days(date(its_year, of_month, first), date(its_year, of_month, last))
        )

    def _dated(self, parts: Parts, place: PhrasePlace, occurrence: Callable[[int], Span]) -> Span | None:
        """The occurrence in the year that is given, or in the one meant; a weekday given with it tells which."""
        if parts["year"]:
            return written(occurrence(int(parts["year"])))
        if parts["weekday"]:
            index = self._weekdays[parts["weekday"]]
            return fitting(yearly(occurrence, place.said), index, place.said)
        return meant(yearly(occurrence, place.said), place.said, place.towards())

    def _month_number(self, parts: Parts) -> int:
        return int(parts["number"]) if parts["number"] else self._months[parts["month"].rstrip(".")]

    def _day_number(self, text: str) -> int:
        ordinals = self.tongue.ordinals
        return ordinals.index(text) + 1 if text in ordinals else int(text.rstrip(".erºª°"))

    def _third_of_month(self, parts: Parts, place: PhrasePlace) -> Span | None:
        which, of_month = self.tongue.thirds[parts["third"]], self._month_number(parts)
        return self._dated(parts, place, lambda its_year: part_of_month(which, month(its_year, of_month)))

    def _weekday_of_week(self, parts: Parts, place: PhrasePlace) -> Span | None:
        whole = week(place.said + (1 if parts["following"] else -1) * WEEK)
        return day(weekday_in(whole, self._weekdays[parts["weekday"]], 1))

    def _month_of_year(self, parts: Parts, _place: PhrasePlace) -> Span | None:
        return written(month(int(parts["year"]), self._month_number(parts)))

    def _near_day(self, parts: Parts, place: PhrasePlace) -> Span | None:
        return day(place.said + self._near[parts["near"].replace("’", "'")] * DAY)

    def _shifted(self, parts: Parts, place: PhrasePlace) -> Span | None:
        phrase = " ".join(self._numbers.get(word, word) for word in parts["phrase"].split())
        shift = _shift(self._code, phrase)
        is_counted = shift is not None and shift.amount > 0 and any(map(str.isdigit, phrase))
        if shift is None or (is_counted and place.towards() in BACKWARDS):
            return None
        span = _moved(place.said, shift)
        return counted(span, place.said, shift.amount, shift.unit) if is_counted else span

    def _shifted_unit(self, parts: Parts, place: PhrasePlace) -> Span | None:
        return _moved(place.said, _Shift(self.tongue.units[parts["unit"]], 1 if parts["following"] else -1))

    def _weekday(self, parts: Parts, place: PhrasePlace) -> Span | None:
        direction = (
            Direction.AHEAD if parts["following"] else Direction.BEHIND if parts["previous"] else place.towards()
        )
        if direction in {Direction.EITHER, Direction.UNSURE}:
            return None
        return day(weekday(self._weekdays[parts["weekday"]], place.said, direction))

    def _numbered_day(self, parts: Parts, place: PhrasePlace) -> Span | None:
        return next_or_last(monthly(self._day_number(parts["day"]), place.said), place.said, place.towards())

    def _bare_month(self, parts: Parts, place: PhrasePlace) -> Span | None:
        number = self._months[parts["month"]]
        return meant(yearly(lambda its_year: month(its_year, number), place.said), place.said, place.towards())

    def _bare_year(self, parts: Parts, _place: PhrasePlace) -> Span | None:
        return written(year(int(parts["year"])))


@lru_cache(maxsize=64)
def _language(code: str) -> _Language:
    return _Language(code)


def _data(code: str) -> Mapping[str, Any]:
    """What dateparser knows of a language, nothing if it does not know it."""
    try:
        info: Mapping[str, Any] = default_loader.get_locale(code).info
    except ValueError:
        return {}
    return info


def _names(data: Mapping[str, Any], english: str) -> list[str]:
    """What a month or weekday is called, short forms of three letters and more among them."""
    return list(dict.fromkeys(name.casefold().rstrip(".") for name in data.get(english, ()) if len(name) > 2))


def _longest(names: Sequence[str]) -> list[str]:
    """Without the short forms, which are words of their own ("so", "mit", "mar")."""
    return [name for name in names if len(name) == max(map(len, names))]


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of some words, the longest first; an apostrophe may be typed or set."""
    ordered = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", " ").replace("'", "['’]") for word in ordered) or "(?!)"


def _shift_patterns(data: Mapping[str, Any], numbers: str) -> list[str]:
    """Patterns for what is told as so many days, weeks, months or years from now."""
    fixed = [
        word
        for key, words in data.get("relative-type", {}).items()
        if key.split()[-2 if "ago" in key else -1] in _UNITS
        for word in words
    ]
    counted = [
        pattern.replace(_NUMBER, rf"(?:\d{{1,3}}|{numbers})")
        for key, patterns in data.get("relative-type-regex", {}).items()
        if any(unit in key for unit in _UNITS)
        for pattern in patterns
        if not re.search(r"\)\s?\w$|\\s", pattern)
    ]
    return sorted([*(_any_of([word]) for word in fixed), *counted], key=len, reverse=True)


class _Shift(NamedTuple):
    """So many units from the day it was said."""

    unit: str
    amount: int


@lru_cache(maxsize=4096)
def _shift(code: str, phrase: str) -> _Shift | None:
    """What dateparser makes of a relative phrase; it raises more than it says."""
    try:
        found = DateDataParser(languages=[code], settings=_SETTINGS).get_date_data(phrase)
    except _PARSER_ERRORS:
        return None
    if found.date_obj is None or found.period not in _UNITS:
        return None
    moved = found.date_obj.date()
    months = 12 * (moved.year - _BASE.year) + moved.month - _BASE.month
    amounts = {"day": (moved - _BASE).days, "week": (moved - _BASE).days // 7, "month": months, "year": months // 12}
    return _Shift(found.period, amounts[found.period])


def _moved(said: date, shift: _Shift) -> Span:
    if shift.unit == "day":
        return day(said + shift.amount * DAY)
    if shift.unit == "week":
        return week(said + shift.amount * WEEK)
    if shift.unit == "month":
        return month(said.year, said.month + shift.amount)
    return year(said.year + shift.amount)
