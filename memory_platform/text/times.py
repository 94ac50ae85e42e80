"""When: the dates a statement names, put beside its words, and the span of time a query names.

What a phrase of time means is read by the grammar of its language, seen from the day it was said in that day's own
zone. A name without a year is dated only where the clause tells past from future; what is not surely a date ("may I",
"the march on", "a second", "she sat down") is left alone.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, tzinfo
from itertools import islice, pairwise, zip_longest
from typing import Final

from memory_platform.model import Tense, TimeRange
from memory_platform.text.dates import english_forms, foreign
from memory_platform.text.dates.clocks import clock_beside
from memory_platform.text.dates.directions import Course
from memory_platform.text.dates.grammar import NamedDate
from memory_platform.text.dates.numeric import YEAR
from memory_platform.text.dates.spans import DAY, NEAR, Direction, Span, clamped
from memory_platform.text.quotations import quotations


@dataclass(frozen=True, slots=True)
class Resolved:
    """`text` with absolute dates beside its phrases of time, and the first date it names, if any.

    `event_time` is the start of that date, or the time of day that was named, and `until` the end of that date
    (exclusive). `is_ahead`: it was still to come when it was said.
    """

    text: str
    event_time: datetime | None
    until: datetime | None = None
    is_ahead: bool = False


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date a clause names, from `start` to `end` of its text: the days from `first` to `until` (exclusive).

    `clock` is the time of day said with it (aware if it names its zone), `preposition` what governs it, `is_ahead`
    whether it was still to come when it was said. `is_joined_to_next`: a word such as "to" goes from it
    to the next one. `counted` is the day that "in three weeks" ends on, `is_range` whether it is told by its first and
    last day, `is_from_today` whether it says how far from the day it was said.
    """

    start: int
    end: int
    first: date
    until: date
    clock: time | None
    preposition: str
    is_ahead: bool
    is_joined_to_next: bool = False
    counted: date | None = None
    is_range: bool = False
    is_from_today: bool = False


_EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ENGLISH: Final = frozenset({"", "en"})
"""What has no language of its own, such as a row of a table, is read as English."""
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_DATED: Final = re.compile(r"(?:['’]s)?\s?\([^()\n]{0,48}\d\)")
"""What stands behind a phrase that has its date beside it already."""
_BETWEEN: Final = re.compile(r"\b(?:between|from)\s+(?:the\s+)?\Z", re.IGNORECASE)
_OPENING: Final = re.compile(r"\b(?:since|after|before|until|till|by|from|between)\s+(?:the\s+)?\Z", re.IGNORECASE)
_JOINTS: Final = frozenset({"to", "until", "till", "til", "through", "thru", "-", "–", "..", "/", "bis", "au", "al"})
_CLOCK_BETWEEN: Final = re.compile(r"\A[,\s]{0,2}(?:at\s)?[0-2]?\d[:.][0-5]\d(?:\s?[ap]m\b)?", re.IGNORECASE)
_UNTIL: Final = "until "
"""Before it what is a month and what is how long are told apart: "until May", "until two weeks"."""
_LOOKED_BACK: Final = 24
"""Characters before a phrase in which the preposition that governs it stands."""


def resolve(
    text: str,
    said_at: datetime,
    *,
    tense: Tense = Tense.NONE,
    past: Sequence[int] = (),
    present: Sequence[int] = (),
    language: str = "en",
    day_first: bool = True,
) -> Resolved:
    """Put the date of every phrase of time of a clause beside it, seen from `said_at`; no word is changed.

    "yesterday" becomes "yesterday (7 May 2023)", "last week" "last week (week of 1 May 2023)". A date without a year
    looks ahead or back as `tense`, `past` (where verbs in the past tense stand), `present` (where the others of what is
    said or thought do) and the clause's own words tell, verbs of scheduling first: what was moved to 3 June is ahead.
    Nothing is put in where that is unsure, inside quotation marks, or beside a date that is complete. `language` is an
    ISO 639-1 code; in one that is not known only dates in numbers are read. `day_first` is the order of day and month
    in those. Takes time in proportion to the length of the text.
    """
    is_english = _is_english(language)
    course = Course(text, tense, past=past, present=present)
    named = _read(text, said_at, course, language, day_first=day_first)
    dated = _beside(text, named)
    events = [one for one in named if one.span.is_event][:2]
    if not events:
        return Resolved(dated, None)
    first = events[0]
    is_day = first.span.end - first.span.start == DAY
    clock = clock_beside(text, first.start, first.end, is_english=is_english) if is_day else None
    event_time = _moment(first.span.start, clock, said_at.tzinfo)
    return Resolved(
        dated,
        event_time,
        until=_midnight(_last(text, events) if clock is None else event_time.date() + DAY, said_at.tzinfo),
        is_ahead=_is_ahead(first.span, event_time, said_at, tense),
    )


def told(
    text: str,
    said_at: datetime,
    *,
    tense: Tense = Tense.NONE,
    past: Sequence[int] = (),
    present: Sequence[int] = (),
    language: str = "en",
    day_first: bool = True,
) -> tuple[DateMention, ...]:
    """Every date of a clause in order, seen from `said_at` as in `resolve`; how long something has been so is none."""
    is_english = _is_english(language)
    named = _read(text, said_at, Course(text, tense, past=past, present=present), language, day_first=day_first)
    events = [one for one in named if one.span.is_event]
    return tuple(
        _mention(text, one, following, said_at, tense, is_english=is_english)
        for one, following in zip_longest(events, events[1:])
    )


def planned_for(words: str, said_at: datetime) -> DateMention | None:
    """The date that English words alone name ("29 June", "October") for what is still to come when they are said; None
    where they begin with none. Durations ("two weeks") and times of day are none.
    """
    mentions = told(f"{_UNTIL}{words}", said_at, tense=Tense.FUTURE)
    if not mentions or mentions[0].start > len(_UNTIL) + len("the "):
        return None
    start, end = max(0, mentions[0].start - len(_UNTIL)), mentions[0].end - len(_UNTIL)
    return replace(mentions[0], start=start, end=end)


def _mention(
    text: str, one: NamedDate, following: NamedDate | None, said_at: datetime, tense: Tense, *, is_english: bool
) -> DateMention:
    is_day = one.span.end - one.span.start == DAY
    clock = clock_beside(text, one.start, one.end, is_english=is_english) if is_day else None
    return DateMention(
        start=one.start,
        end=one.end,
        first=one.span.start,
        until=one.span.end,
        clock=clock,
        preposition=one.preposition,
        is_ahead=_is_ahead(one.span, _moment(one.span.start, clock, said_at.tzinfo), said_at, tense),
        is_joined_to_next=following is not None and _are_joined(text, one, following),
        counted=one.span.counted,
        is_range=one.span.is_range,
        is_from_today=one.is_from_today,
    )


def _read(text: str, said_at: datetime, course: Course, language: str, *, day_first: bool) -> Sequence[NamedDate]:
    said = said_at.date()
    if _is_english(language):
        return _stated(text, english_forms.named(text, said, towards=course.direction, is_day_first=day_first))
    tense, own = course.tense, _primary(language)
    return _stated(text, foreign.named(text, said, tense=tense, language=own, is_day_first=day_first))


def _is_english(language: str) -> bool:
    return _primary(language) in _ENGLISH


def _primary(language: str) -> str:
    """A language without its region: "en" of "en-GB"."""
    return language.casefold().split("-")[0]


def _stated(text: str, named: Iterator[NamedDate]) -> list[NamedDate]:
    """The dates that are the clause's own: no relative ones in quotation marks or with a date beside them."""
    quoted = quotations(text)
    openings = [start for start, _ in quoted]

    def is_quoted(one: NamedDate) -> bool:
        index = bisect_right(openings, one.start) - 1
        return index >= 0 and one.start < quoted[index][1]

    own = [one for one in named if not one.span.words or not (is_quoted(one) or _DATED.match(text, one.end))]
    doubtful = {
        place for pair in pairwise(own) if _is_no_range(text, *pair) for place in (pair[0].start, pair[1].start)
    }
    return [one for one in own if one.start not in doubtful]


def _is_no_range(text: str, first: NamedDate, second: NamedDate) -> bool:
    """Whether one date goes "to" another far before it: "from May to September" may be so every year."""
    return _are_joined(text, first, second) and first.span.start - second.span.start > NEAR


def _beside(text: str, named: Sequence[NamedDate]) -> str:
    parts: list[str] = []
    done = 0
    for one in named:
        if one.span.words:
            possessive = _POSSESSIVE.match(text, one.end)
            end = possessive.end() if possessive else one.end
            parts += [text[done:end], f" ({one.span.words})"]
            done = end
    return "".join([*parts, text[done:]])


def _last(text: str, events: Sequence[NamedDate]) -> date:
    """The end of the first date, or of the second where the clause goes "from one to the other"."""
    first = events[0]
    if len(events) == 2 and first.preposition in {"from", "between"} and _are_joined(text, first, events[1]):
        return max(first.span.end, events[1].span.end)
    return first.span.end


def _are_joined(text: str, first: NamedDate, second: NamedDate) -> bool:
    """Whether nothing but a word such as "to" stands between two dates, or begins the second."""
    between = _CLOCK_BETWEEN.sub("", text[first.end : min(second.start, first.end + _LOOKED_BACK)]).strip().casefold()
    joint = between or second.preposition
    return joint in _JOINTS or (joint == "and" and first.preposition == "between")


def _is_ahead(span: Span, event_time: datetime, said_at: datetime, tense: Tense) -> bool:
    if event_time.replace(tzinfo=None) > said_at.replace(tzinfo=None):
        return True
    return span.end > said_at.date() and tense is Tense.FUTURE


def _moment(day: date, clock: time | None, zone: tzinfo | None) -> datetime:
    """A time of day that names its own zone is told in `zone`."""
    if clock is None or clock.tzinfo is None:
        return datetime.combine(day, clock or time(), zone)
    there = datetime.combine(day, clock)
    return there.astimezone(zone) if zone else there.astimezone(UTC).replace(tzinfo=None)


def _midnight(day: date, zone: tzinfo | None) -> datetime:
    return datetime.combine(day, time(), zone)


def time_range(query: str, now: datetime, *, day_first: bool = True, language: str = "en") -> TimeRange | None:
    """The span of time a query names, in the zone of `now`; None when it names none.

    Knows "last week", "last_week", "in May 2023", "yesterday", "since March", "before 2022", "the past 10 days", ISO
    dates, "between X and Y", "from X to Y". What has no year is the most recent one unless the query looks ahead. A
    span open at the end ends now, one open at the start begins in 1970. `language` is an ISO 639-1 code; in another
    than English a span is what dateparser's words name. Takes time in proportion to the query's length.
    """
    text = query.replace("_", " ")
    if not _is_english(language):
        return _foreign_range(text, now, _primary(language), day_first=day_first)
    towards = Course(text, otherwise=Direction.BEHIND).direction
    found = list(islice(english_forms.named(text, now.date(), towards=towards, is_day_first=day_first), 2))
    if not found:
        return None
    if len(found) > 1 and (between := _between(text, found[0], found[1], now)):
        return between
    return _one(text, found[0], now)


def _foreign_range(text: str, now: datetime, language: str, *, day_first: bool) -> TimeRange | None:
    """The first span that is named; what has no year lies behind."""
    named = foreign.named(text, now.date(), tense=Tense.PAST, language=language, is_day_first=day_first)
    one = next(named, None)
    if one is None:
        return None
    start, end = _midnight(one.span.start, now.tzinfo), _midnight(one.span.end, now.tzinfo)
    is_open = foreign.opens(one.preposition, language)
    return TimeRange(start, max(now, end) if is_open else end, text[one.start : one.end].strip())


def _between(text: str, first: NamedDate, second: NamedDate, now: datetime) -> TimeRange | None:
    if not _are_joined(text, first, second):
        return None
    begins, end = first.span.start, second.span.end
    if begins >= end or (_has_year(text, second) and not _has_year(text, first)):
        # "between November and February 2023": a first date without a year is the last one before the second.
        begins = clamped(second.span.start.year, begins.month, begins.day)
        begins = begins if begins < end else clamped(second.span.start.year - 1, begins.month, begins.day)
    opening = _BETWEEN.search(text[max(0, first.start - _LOOKED_BACK) : first.start])
    phrase_start = first.start - len(opening[0]) if opening else first.start
    return TimeRange(_midnight(begins, now.tzinfo), _midnight(end, now.tzinfo), text[phrase_start : second.end].strip())


def _has_year(text: str, one: NamedDate) -> bool:
    return re.search(YEAR, text[one.start : one.end]) is not None


def _one(text: str, one: NamedDate, now: datetime) -> TimeRange:
    opening = _OPENING.search(text[max(0, one.start - _LOOKED_BACK) : one.start])
    phrase = text[one.start - len(opening[0]) if opening else one.start : one.end].strip()
    start, end = _midnight(one.span.start, now.tzinfo), _midnight(one.span.end, now.tzinfo)
    if one.preposition in {"since", "from"}:
        return TimeRange(start, max(now, end), phrase)
    if one.preposition == "after":
        return TimeRange(end, max(now, end + DAY), phrase)
    if one.preposition in {"before", "until", "till", "by"}:
        return TimeRange(_EARLIEST.astimezone(now.tzinfo), start if one.preposition == "before" else end, phrase)
    return TimeRange(start, end, phrase)
