"""Dates in numbers alone, which all languages share."""

from dataclasses import replace
from datetime import date
from typing import Final

from memory_platform.text.dates.grammar import Form, Parts, PhrasePlace
from memory_platform.text.dates.spans import Span, day, meant, month, yearly

YEAR: Final = r"(?:19|20)\d\d"
OPENERS: Final = frozenset(
    {"on", "by", "until", "till", "til", "from", "since", "to", "before", "after", "due", "is", "the", "am", "ab",
     "bis", "zum", "vom", "den", "der", "seit", "le", "au", "du", "dès", "depuis", "el", "al", "del", "desde",
     "hasta", "para"}
)  # fmt: skip
"""Words behind which "1/12" is a date rather than a part of something."""


def written(span: Span) -> Span:
    """What is absolute already needs no words."""
    return replace(span, words="")


def year_number(digits: str) -> int:
    """The year that two digits or four name."""
    return int(digits) + (2000 if len(digits) == 2 else 0)


def _iso(parts: Parts, _place: PhrasePlace) -> Span | None:
    year, number = int(parts["year"]), int(parts["month"])
    return written(day(date(year, number, int(parts["day"]))) if parts["day"] else month(year, number))


def _full(parts: Parts, place: PhrasePlace) -> Span | None:
    year = year_number(parts["year"])
    return written(day(_in_order(year, int(parts["first"]), int(parts["second"]), is_day_first=place.is_day_first)))


def _without_year(parts: Parts, place: PhrasePlace) -> Span | None:
    first, second = int(parts["first"]), int(parts["second"])
    if place.preposition not in OPENERS:
        return None
    return meant(
        yearly(lambda year: day(_in_order(year, first, second, is_day_first=place.is_day_first)), place.said),
        place.said,
        place.towards(),
    )


def _in_order(year: int, first: int, second: int, *, is_day_first: bool) -> date:
    """The date two numbers name in the order asked for, or in the other if only that one is in the calendar."""
    number, of_month = (second, first) if is_day_first else (first, second)
    return date(year, number, of_month) if number <= 12 else date(year, of_month, number)


def _month_year(parts: Parts, _place: PhrasePlace) -> Span | None:
    return written(month(int(parts["year"]), int(parts["month"])))


_DAY_OR_MONTH: Final = r"[0-3]?\d"
FORMS: Final = (
    Form("iso", rf"(?P<year>{YEAR})-(?P<month>[01]\d)(?:-(?P<day>[0-3]\d)(?!\d))?(?!-?\d)", _iso),
    Form("iso_basic", rf"(?P<year>{YEAR})(?P<month>[01]\d)(?P<day>[0-3]\d)(?=t\d{{4}})", _iso),
    Form("iso_slashed", rf"(?P<year>{YEAR})/(?P<month>[01]\d)/(?P<day>[0-3]\d)(?![\d/])", _iso),
    Form(
        "full",
        rf"(?<![./\d])(?P<first>{_DAY_OR_MONTH})(?P<mark>[./-])(?P<second>{_DAY_OR_MONTH})(?P=mark)(?P<year>{YEAR})(?![\d/]|\.\d)",
        _full,
    ),
    Form(
        "full_short",
        rf"(?<![./\d])(?P<first>{_DAY_OR_MONTH})/(?P<second>{_DAY_OR_MONTH})/(?P<year>\d\d)(?![\d/]|\.\d)",
        _full,
    ),
    Form("month_year", rf"(?<![./\d])(?P<month>0\d|1[0-2])/(?P<year>{YEAR})(?![\d/])", _month_year),
    Form(
        "without_year",
        rf"(?<![./\d])(?P<first>{_DAY_OR_MONTH})/(?P<second>{_DAY_OR_MONTH})(?![\d/%]|\.\d)",
        _without_year,
    ),
)
