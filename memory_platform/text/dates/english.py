"""What the ways to tell a date in English mean; their patterns are in `english_forms`."""

import re
from collections.abc import Callable
from datetime import date
from typing import Final

from memory_platform.text.dates.grammar import Parts, PhrasePlace
from memory_platform.text.dates.numeric import written, year_number
from memory_platform.text.dates.spans import (
    BACKWARDS,
    DAY,
    FORWARDS,
    MONTHS,
    WEEK,
    WEEKDAYS,
    Direction,
    Span,
    clamped,
    counted,
    day,
    day_words,
    days,
    feast,
    fitting,
    meant,
    month,
    monthly,
    next_or_last,
    numbered_week,
    part_of_month,
    quarter,
    season,
    week,
    weekday,
    weekday_in,
    weekend,
    year,
    yearly,
)

NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "a couple of": 2, "a couple": 2, "couple of": 2, "few": 3,
    "a few": 3, "several": 5, "many": 5,
}  # fmt: skip
_VAGUE: Final = frozenset({"few", "a few", "several", "many"})
_AT_HAND: Final = 2 * DAY
NTHS: Final = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1,
}  # fmt: skip
_STEPS: Final = {
    "last": -1, "previous": -1, "past": -1, "this past": -1, "this": 0, "the": 0, "current": 0, "the current": 0,
}  # fmt: skip
_NEAR_DAYS: Final = {
    "day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this": 0,
    "tomorrow": 1, "day after tomorrow": 2,
}  # fmt: skip
ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth",
    "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first",
)  # fmt: skip
SPELLED: Final = "|".join(sorted(ORDINALS, key=len, reverse=True))
NUMBERED: Final = r"[0-3]?\d(?:st|nd|rd|th)"
ORDINAL: Final = rf"(?:{NUMBERED}|{SPELLED})"
"""Patterns of a day of the month: in words, in digits, in either."""
_LETTERS: Final = {"d": "day", "w": "week", "m": "month", "q": "quarter", "y": "year"}
_DAY_OPENERS: Final = frozenset(
    {"on", "by", "until", "till", "til", "from", "since", "to", "before", "after", "through", "thru", "due", "is",
     "was", "and", "or", "between", "but"}
)  # fmt: skip
_VERB: Final = re.compile(r"\bmay\b|\Amarch\b")
"""In lower case and without "th" it is rather the verb, if nothing else makes it a date."""

_COUNTS: Final = re.compile(r"(?:\A|[.,;:!?]|\bit(?:['’]s| is| was))\s*\Z", re.IGNORECASE)
"""Before "two weeks today": it tells how long something has been so."""
_SUBJECT: Final = re.compile(r"\b(?:i|we|you|he|she|they|who)\b", re.IGNORECASE)


def _amount(words: str) -> int:
    return int(words) if words.isdigit() else NUMBERS[words]


def _month_number(word: str) -> int:
    return next(number for number, name in enumerate(MONTHS, 1) if name.startswith(word.rstrip(".")[:3]))


def _weekday_index(word: str) -> int:
    return next(index for index, name in enumerate(WEEKDAYS) if name.startswith(word[:3]))


def _unit(which: str, unit: str, said: date) -> Span:
    """last, this or next week, weekend, month, quarter or year."""
    step = _STEPS.get(which, 1)
    if unit == "week":
        return week(said + step * WEEK)
    if unit == "weekend":
        return weekend(said + step * WEEK)
    if unit == "quarter":
        return quarter(said.year, (said.month + 2) // 3 + step)
    return month(said.year, said.month + step) if unit == "month" else year(said.year + step)


def _away(said: date, amount: int, unit: str) -> Span:
    """`amount` units after a day (before it, if negative), as exact as the unit is."""
    singular = unit.rstrip("s")
    if singular in {"week", "fortnight"}:
        return week(said + amount * (2 if singular == "fortnight" else 1) * WEEK)
    if singular == "weekend":
        return weekend(said + amount * WEEK)
    if singular == "month":
        return month(said.year, said.month + amount)
    if singular == "quarter":
        return quarter(said.year, (said.month + 2) // 3 + amount)
    if singular in {"year", "decade"}:
        return year(max(1, said.year + amount * (10 if singular == "decade" else 1)))
    return day(said + amount * DAY if singular == "day" else said)


def day_and_month(parts: Parts, place: PhrasePlace) -> Span | None:
    number, of_month = day_number(parts["day"]), _month_number(parts["month"])
    is_verb = _VERB.search(place.words) and parts["day"].isdigit()
    if is_verb and not (parts["year"] or parts["weekday"] or place.preposition):
        return None
    return _dated(parts, place, lambda its_year: day(date(its_year, of_month, number)))


def day_number(ordinal: str) -> int:
    """Of "3", "3rd" or "third", in lower case."""
    return ORDINALS.index(ordinal) + 1 if ordinal in ORDINALS else int(ordinal.rstrip("sthndr"))


def _dated(parts: Parts, place: PhrasePlace, occurrence: Callable[[int], Span]) -> Span | None:
    """The occurrence in the year that is given, or in the one meant; a weekday given with it tells which."""
    if parts["year"]:
        return written(occurrence(year_number(parts["year"])))
    if parts["which_year"]:
        return occurrence(place.said.year + _STEPS.get(parts["which_year"], 1))
    if parts["years_ago"]:
        return occurrence(place.said.year - _amount(parts["years_ago"]))
    if parts["weekday"]:
        return fitting(yearly(occurrence, place.said), _weekday_index(parts["weekday"]), place.said)
    return meant(yearly(occurrence, place.said), place.said, place.towards())


def day_range(parts: Parts, place: PhrasePlace) -> Span | None:
    first, last, of_month = day_number(parts["day"]), day_number(parts["last"]), _month_number(parts["month"])
    if parts["and"] and last != first + 1 and place.preposition != "between":
        return None
    return _dated(parts, place, lambda its_year: days(date(its_year, of_month, first), date(its_year, of_month, last)))


def dated_range(parts: Parts, _place: PhrasePlace) -> Span | None:
    year_number = int(parts["year"])
    first = date(year_number, _month_number(parts["first_month"]), day_number(parts["first"]))
    last = date(year_number, _month_number(parts["last_month"]), day_number(parts["last"]))
    return written(days(first, last))


def near_day(parts: Parts, place: PhrasePlace) -> Span | None:
    return day(place.said + _NEAR_DAYS[parts["near"]] * DAY)


def far_unit(parts: Parts, place: PhrasePlace) -> Span | None:
    step = -2 if parts["which"] == "last" else 2
    return _away(place.said, step, parts["unit"])


def edge_of_unit(parts: Parts, place: PhrasePlace) -> Span | None:
    """The end of the month and the like; told as past, it may be the one before."""
    which = parts["which"] or "the"
    if which == "the" and place.towards() in BACKWARDS:
        return None
    if parts["unit"] == "day":
        return day(place.said)
    return _edge(parts["edge"], parts["unit"], _unit(which, parts["unit"], place.said))


def _edge(edge: str, unit: str, whole: Span) -> Span | None:
    """The first or last day; of a week the last three days, where a month has a middle its second third."""
    if edge in {"start", "beginning", "turn", "first day"}:
        return day(whole.start)
    if edge == "last day":
        return day(whole.end - DAY)
    if edge == "middle":
        return part_of_month("mid-", whole) if unit == "month" else None
    return days(whole.end - 3 * DAY, whole.end - DAY) if unit == "week" else day(whole.end - DAY)


def edge_of_month(parts: Parts, place: PhrasePlace) -> Span | None:
    of_month = _month_number(parts["month"])

    def occurrence(its_year: int) -> Span:
        whole = month(its_year, of_month)
        return _edge(parts["edge"], "month", whole) or whole

    return _dated(parts, place, occurrence)


def nth_weekday(parts: Parts, place: PhrasePlace) -> Span | None:
    """Return "the first Monday of June", "the last Friday of next month"."""
    index, nth = _weekday_index(parts["weekday"]), NTHS[parts["nth"]]
    if parts["which"]:
        return day(weekday_in(_unit(parts["which"], "month", place.said), index, nth))
    of_month = _month_number(parts["month"])
    return _dated(parts, place, lambda its_year: day(weekday_in(month(its_year, of_month), index, nth)))


def stretch_of_month(parts: Parts, place: PhrasePlace) -> Span | None:
    which = parts["part"] or f"{parts['half']} half of "
    which = "mid-" if which == "mid" else f"{which.strip()} "
    of_month = _month_number(parts["month"])
    return _dated(parts, place, lambda its_year: part_of_month(which, month(its_year, of_month)))


def end_of_this(parts: Parts, place: PhrasePlace) -> Span | None:
    unit = parts["unit"] or _LETTERS[parts["letter"]]
    return day(place.said) if unit == "day" else _edge("end", unit, _unit("this", unit, place.said))


def rest_of_unit(parts: Parts, place: PhrasePlace) -> Span | None:
    return days(place.said, _unit("this", parts["unit"], place.said).end - DAY)


def weekday_of_week(parts: Parts, place: PhrasePlace) -> Span | None:
    whole = _unit(parts["which"], "week", place.said)
    return day(weekday_in(whole, _weekday_index(parts["weekday"]), 1))


def shifted_unit(parts: Parts, place: PhrasePlace) -> Span | None:
    """last, this or next week, weekend, month, quarter or year; "this weekend" told as past is the one before."""
    which, unit = parts["which"], parts["unit"]
    if unit == "weekend" and which.endswith("coming"):
        return _unit("this", unit, place.said)
    is_over = unit == "weekend" and which == "this" and place.said.weekday() < 4 and place.towards() in BACKWARDS
    return _unit("last" if is_over else which, unit, place.said)


def shifted_weekday(parts: Parts, place: PhrasePlace) -> Span | None:
    """last, this or next Friday. What is a day or two ahead nobody calls the next one: that is a week later."""
    step = _STEPS.get(parts["which"], 1)
    direction = Direction.BEHIND if step < 0 else Direction.AHEAD
    found = weekday(_weekday_index(parts["weekday"]), place.said, direction, is_this=step == 0)
    is_at_hand = parts["which"] == "next" and found - place.said <= _AT_HAND
    return day(found + WEEK if is_at_hand else found)


def shifted_month(parts: Parts, place: PhrasePlace) -> Span | None:
    of_month = _month_number(parts["month"])
    return _shifted_name(lambda its_year: month(its_year, of_month), place.said, parts["which"])


def shifted_season(parts: Parts, place: PhrasePlace) -> Span | None:
    return _shifted_name(lambda its_year: season(parts["season"], its_year), place.said, parts["which"])


def _shifted_name(occurrence: Callable[[int], Span], said: date, which: str) -> Span | None:
    """The last one that is over, the next one that has not begun, or this one: the one that is on, or of this year."""
    named, step = list(yearly(occurrence, said)), _STEPS.get(which, 1)
    if step < 0:
        return next((span for span in reversed(named) if span.end <= said), None)
    if step > 0:
        return next((span for span in named if span.start > said), None)
    return next((span for span in named if span.start <= said < span.end), None) or occurrence(said.year)


def ago(parts: Parts, place: PhrasePlace) -> Span | None:
    unit = parts["unit"].rstrip("s")
    found = _away(place.said, -_amount(parts["amount"]), unit)
    if parts["amount"] in _VAGUE and unit not in {"hour", "minute"}:
        return Span(found.start, found.end, f"before {day_words(place.said)}")
    return found


def anniversary(parts: Parts, place: PhrasePlace) -> Span | None:
    """Return "three years today": since that day three years before; "we move a week today": on that day in a week."""
    amount, until = _amount(parts["amount"]), place.said + _NEAR_DAYS[parts["near"]] * DAY
    if parts["unit"].startswith("week"):
        is_ahead = place.towards() in FORWARDS and not _COUNTS.search(place.before)
        return day(until + amount * WEEK if is_ahead else until - amount * WEEK)
    first = month(until.year, until.month - amount * (12 if parts["unit"].startswith("year") else 1)).start
    return day(clamped(first.year, first.month, until.day))


def ahead(parts: Parts, place: PhrasePlace) -> Span | None:
    """Return "in 6 months": after a verb with a subject it may be how long something takes."""
    direction, is_one = place.towards(), parts["amount"] in {"a", "an", "one"}
    is_terse = direction is Direction.UNSURE and not _SUBJECT.search(place.before)
    is_ahead = direction is Direction.AHEAD or (not is_one and (direction in FORWARDS or is_terse))
    if not (parts["now"] or is_ahead):
        return None
    amount, unit = _amount(parts["amount"]), parts["unit"]
    return counted(_away(place.said, amount, unit), place.said, amount, unit.rstrip("s"))


def from_anchor(parts: Parts, place: PhrasePlace) -> Span | None:
    anchor = parts["anchor"]
    start = place.said
    if anchor in WEEKDAYS:
        start = weekday(WEEKDAYS.index(anchor), place.said, Direction.AHEAD)
    elif anchor == "tomorrow":
        start += DAY
    amount = _amount(parts["amount"] or "one") * (2 if parts["unit"].startswith("fortnight") else 1)
    return day(start + amount * (DAY if parts["unit"].startswith("day") else WEEK))


def window(parts: Parts, place: PhrasePlace) -> Span | None:
    """Return "the past two weeks": a stretch that ends on the day it was said."""
    amount, unit = _amount(parts["amount"] or "one"), (parts["unit"] or parts["one"]).rstrip("s")
    known = {"day": 1, "week": 7, "weekend": 7}.get(unit)
    if known is not None:
        start = place.said - amount * known * DAY
    else:
        first = month(place.said.year, place.said.month - amount * (12 if unit == "year" else 1)).start
        start = clamped(first.year, first.month, place.said.day)
    return Span(start, place.said + DAY, days(start, place.said).words, is_event=False)


def day_of_month(parts: Parts, place: PhrasePlace) -> Span | None:
    number = day_number(parts["day"])
    if parts["which"]:
        return day(_unit(parts["which"], "month", place.said).start.replace(day=number))
    if parts["weekday"]:
        return fitting(monthly(number, place.said), _weekday_index(parts["weekday"]), place.said)
    direction = place.towards()
    if place.preposition not in _DAY_OPENERS and not (place.preposition == "for" and direction is Direction.PLANNED):
        return None
    return next_or_last(monthly(number, place.said), place.said, direction)


def lone_day_of_month(parts: Parts, place: PhrasePlace) -> Span | None:
    """One that no word governs: it begins the clause, or what follows a comma."""
    return next_or_last(monthly(day_number(parts["day"]), place.said), place.said, place.towards())


def days_of_month(parts: Parts, place: PhrasePlace) -> Span | None:
    numbers = (day_number(parts["day"]), day_number(parts["last"]))
    first, last = (next_or_last(monthly(number, place.said), place.said, place.towards()) for number in numbers)
    return days(first.start, last.start) if first and last else None


def bare_weekday(parts: Parts, place: PhrasePlace) -> Span | None:
    direction = place.towards()
    if direction in {Direction.EITHER, Direction.UNSURE}:
        return None
    return day(weekday(_weekday_index(parts["weekday"]), place.said, direction))


def governed_weekday(parts: Parts, place: PhrasePlace) -> Span | None:
    """As `bare_weekday`, of one that a noun may follow: without a preposition it only says of what kind that is."""
    return bare_weekday(parts, place) if place.preposition else None


def the_weekend(_parts: Parts, place: PhrasePlace) -> Span | None:
    direction = place.towards()
    if direction in BACKWARDS:
        return _unit("this" if place.said.weekday() > 4 else "last", "weekend", place.said)
    return _unit("this", "weekend", place.said) if direction is Direction.AHEAD else None


def quarter_of_year(parts: Parts, place: PhrasePlace) -> Span | None:
    number = int(parts["number"])
    found = _dated(parts, place, lambda its_year: quarter(its_year, number))
    if parts["edge"] and found:
        return _edge(parts["edge"], "quarter", found)
    return found


def week_of_year(parts: Parts, place: PhrasePlace) -> Span | None:
    return _dated(parts, place, lambda its_year: numbered_week(its_year, int(parts["number"])))


def feast_day(parts: Parts, place: PhrasePlace) -> Span | None:
    name = _feast_name(parts["feast"])
    if parts["year"]:
        return feast(name, int(parts["year"]))
    if parts["which"]:
        return _shifted_name(lambda its_year: feast(name, its_year), place.said, parts["which"])
    if place.preposition in {"", "in"}:
        return None
    return _dated(parts, place, lambda its_year: feast(name, its_year))


def _feast_name(words: str) -> str:
    name = words.replace("’", "'")
    if name.startswith("new year"):
        return "new year's eve" if name.endswith("eve") else "new year"
    return name.removesuffix(" sunday").removesuffix(" day").removesuffix("'s") if "boxing" not in name else name


def month_of_year(parts: Parts, _place: PhrasePlace) -> Span | None:
    return written(month(int(parts["year"]), _month_number(parts["month"])))


def season_of_year(parts: Parts, _place: PhrasePlace) -> Span | None:
    return written(season(parts["season"], int(parts["year"])))


def bare_month(parts: Parts, place: PhrasePlace) -> Span | None:
    if parts["opener"] in {"to", "for"} and place.towards() is not Direction.PLANNED:
        return None
    of_month = _month_number(parts["month"])
    return _dated(parts, place, lambda its_year: month(its_year, of_month))


def bare_year(parts: Parts, _place: PhrasePlace) -> Span | None:
    return written(year(int(parts["year"])))
