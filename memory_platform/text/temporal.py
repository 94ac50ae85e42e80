"""When: relative dates of a statement made absolute, and the span of time a query names.

English only, by grammar: calendar arithmetic on the day something was said, in that day's own time zone. What is not
surely a date ("may I", "the march on", "a second", "she sat down") is left alone.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, TypeAlias

from memory_platform.model import TimeRange


@dataclass(frozen=True, slots=True)
class Resolved:
    """`text` with absolute dates put in; `event_time` is the start of the first date it names, if any."""

    text: str
    event_time: datetime | None


@dataclass(frozen=True, slots=True)
class _Span:
    """Days from `start` to `end` (exclusive); `words` say it absolutely and go after `preposition`."""

    start: date
    end: date
    preposition: str
    words: str
    is_event: bool = True


_Reader: TypeAlias = Callable[[re.Match[str], date, str], "_Span | None"]

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)
_EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)

_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH_NAMES: Final = (
    "january", "february", "march", "april", "may", "june", "july",
    "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS: Final = {name: number for number, name in enumerate(_MONTH_NAMES, 1)} | {
    short: number for number, name in enumerate(_MONTH_NAMES, 1) for short in (name[:3], name[:4])
}
_SEASON_STARTS: Final = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "a couple of": 2, "a couple": 2, "couple of": 2, "few": 3, "a few": 3,
    "several": 5, "many": 5,
}  # fmt: skip
_VAGUE: Final = frozenset({"few", "a few", "several", "many"})

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAY: Final = "|".join(_WEEKDAYS)
_SEASON: Final = "|".join(_SEASON_STARTS)
_PART: Final = "morning|afternoon|evening|night"
_AMOUNT: Final = r"\d{1,3}|" + "|".join(sorted((re.escape(word) for word in _NUMBERS), key=len, reverse=True))
_YEAR: Final = r"(?:19|20)\d\d"

_TIME_WORD: Final = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|back|last|past|previous|this|next|coming|weekend|from now|in an? "
    rf"|in \w+ (?:day|week|month|year)|{_WEEKDAY}|{_MONTH}|{_YEAR})",
)
_FUTURE_OR_PAST: Final = re.compile(
    r"(?P<future>\b(?:will|won't|shall|gonna|going to|plan|plans|planning|hope|hoping|wants?|wanna|next|upcoming"
    r"|scheduled|looking forward|can't wait|due|deadline|booked|soon|let's|starting|coming)\b|'ll\b)"
    r"|\b(?:was|were|had|did|didn't|went|got|took|made|saw|met|bought|came|gave|told|said|found|ran|won|lost|felt|began"
    r"|left|ago|since|last|already|just|been|\w{2,}(?<!ne)ed)\b",
    re.IGNORECASE,
)
_PREPOSITION_BEFORE: Final = re.compile(
    r"\b(?:on|in|at|for|since|from|until|till|by|of|during|before|after|to|through|throughout|over|and|or|between|than|about"
    r"|around|as|is|was|it's|called|the|my|our|his|her|their|your)\s+$",
    re.IGNORECASE,
)
_SUBJECT_AFTER: Final = re.compile(r"\s+(?:was|is|were|has been|had been|will be|marks|marked)\b", re.IGNORECASE)
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:]\s|\n)[\s\"'(*-]*$")
# Phrases that hold a time word and no time.
_NO_DATE: Final = re.compile(
    r"\b(?:like|as if|as though)\s+(?:it\s+(?:was|were)\s+)?(?:just\s+|only\s+)?(?:yesterday|today)\b"
    r"|\btoday['’]?s\s+(?:world|society|age|standards|youth)\b|\bborn\s+yesterday\b"
    rf"|\b(?:every|each|most|some|any|all)\s+(?:\w+\s+)?(?:{_WEEKDAY}|weekend|{_MONTH}|{_SEASON})\b"
    rf"(?:(?:\s*,|\s+and|\s+or|\s*,\s*and)\s+(?:{_WEEKDAY})(?:\s+(?:{_PART}))?\b)*"
    rf"|\b(?:{_WEEKDAY})(?:s|\s+(?:{_PART})s)\b|\b(?:black|good)\s+friday\b|\bsunday\s+school\b"
    rf"|\b(?:last|past|this|next)\s+(?:day|week|month|year|weekend|{_WEEKDAY})\s+of\b"
    r"|\bthe\s+next\s+(?:day|week|month|year|morning|weekend)\b",
    re.IGNORECASE,
)


_BETWEEN: Final = re.compile(r"\b(between|from)\s+(?:the\s+)?\Z", re.IGNORECASE)
_OPENING: Final = re.compile(r"\b(since|after|before|until|till|by|from)\s+(?:the\s+)?\Z", re.IGNORECASE)
_JOINTS: Final = frozenset({"to", "until", "till", "through", "-", "–", "..", "/"})


def resolve(text: str, said_at: datetime) -> Resolved:
    """Write every relative date of `text` as an absolute one, seen from `said_at`.

    "yesterday" becomes "on 7 May 2023", "last week" "in the week of 1 May 2023", "next month" "in June 2023", "a few
    weeks ago" "a few weeks before 8 May 2023". A weekday or a month without a year is read by the tense of its
    clause, and stays as it is when nothing tells past from future.
    """
    if not _TIME_WORD.search(text.lower()):
        return Resolved(text, None)
    refused = [match.span() for match in _NO_DATE.finditer(text)]
    parts: list[str] = []
    done, event = 0, None
    for match in _PHRASE.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in refused):
            continue
        span = _read(match, said_at.date(), _direction(text, match.start(), match.end()))
        if span is None:
            continue
        event = event or (span.start if span.is_event else None)
        parts += [text[done : match.start()], _worded(span, match)]
        done = match.end()
    return Resolved("".join([*parts, text[done:]]), _midnight(event, said_at.tzinfo) if event else None)


def time_range(query: str, now: datetime) -> TimeRange | None:
    """The span of time a query names, in the zone of `now`; None when it names none.

    Knows "last week", "last_week", "in May 2023", "yesterday", "since March", "before 2022", "the past 10 days", ISO
    dates, "between X and Y", "from X to Y". What has no year is the most recent one unless the query looks ahead. A
    span open at the end ends now, one open at the start begins in 1970.
    """
    text = query.replace("_", " ")
    if not _TIME_WORD.search(text.lower()):
        return None
    refused = [match.span() for match in _NO_DATE.finditer(text)]
    found = [
        (match, span)
        for match in _PHRASE.finditer(text)
        if not any(start < match.end() and match.start() < end for start, end in refused)
        and (span := _read(match, now.date(), _direction(text, match.start(), match.end()) or "past"))
    ]
    if not found:
        return None
    if len(found) > 1 and (between := _between(text, found, now)):
        return between
    return _one(text, *found[0], now)


def _between(text: str, found: list[tuple[re.Match[str], _Span]], now: datetime) -> TimeRange | None:
    (first, start), (second, end) = found[:2]
    opening = _BETWEEN.search(text, 0, first.start())
    opened = _word_before(text, first)
    joint = text[first.end() : second.start()].strip().casefold() or _word_before(text, second)
    if not (joint in _JOINTS or (opened == "between" and joint == "and")):
        return None
    begins = start.start
    if begins >= end.end or (re.search(_YEAR, second[0]) and not re.search(_YEAR, first[0])):
        # "between November and February 2023": a first date without a year is the last one before the second.
        begins = _safe_date(end.start.year, begins.month, begins.day)
        begins = begins if begins < end.end else _safe_date(end.start.year - 1, begins.month, begins.day)
    phrase_start = opening.start() if opening else first.start()
    zone = now.tzinfo
    return TimeRange(_midnight(begins, zone), _midnight(end.end, zone), text[phrase_start : second.end()].strip())


def _one(text: str, match: re.Match[str], span: _Span, now: datetime) -> TimeRange:
    word = _word_before(text, match)
    before = _OPENING.search(text, 0, match.start())
    phrase = text[before.start() if before else match.start() : match.end()].strip()
    start, end = _midnight(span.start, now.tzinfo), _midnight(span.end, now.tzinfo)
    if word in {"since", "from"}:
        return TimeRange(start, max(now, end), phrase)
    if word == "after":
        return TimeRange(end, max(now, end + _DAY), phrase)
    if word in {"before", "until", "till", "by"}:
        return TimeRange(_EARLIEST.astimezone(now.tzinfo), start if word == "before" else end, phrase)
    return TimeRange(start, end, phrase)


def _word_before(text: str, match: re.Match[str]) -> str:
    """The preposition before a phrase, or the one it begins with."""
    before = _OPENING.search(text, 0, match.start()) or _BETWEEN.search(text, 0, match.start())
    own = match[0].split()[0].casefold()
    return before[1].casefold() if before else own


def _midnight(day: date, zone: tzinfo | None) -> datetime:
    return datetime.combine(day, time(), zone)


def _direction(text: str, start: int, end: int) -> str:
    """Past or future, by the nearest verb before the phrase in its sentence, else by the first one after it."""
    opening = max(text.rfind(mark, 0, start) for mark in ".!?;\n") + 1
    before = list(_FUTURE_OR_PAST.finditer(text, opening, start))
    found = before[-1] if before else None
    if found is None:
        closing = min((at for mark in ".!?;\n" if (at := text.find(mark, end)) >= 0), default=len(text))
        found = _FUTURE_OR_PAST.search(text, end, closing)
    if found is None:
        return ""
    return "future" if found["future"] else "past"


def _worded(span: _Span, match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    is_possessive = text[end : end + 2] in {"'s", "’s"}
    has_own = match[0][:3].casefold() == span.preposition + " "
    stands_bare = _PREPOSITION_BEFORE.search(text[max(0, start - 16) : start]) or _SUBJECT_AFTER.match(text, end)
    is_bare = is_possessive or not span.preposition or (stands_bare and not has_own)
    words = span.words if is_bare else f"{span.preposition} {span.words}"
    if words.casefold() == match[0].casefold():
        return match[0]
    return words[0].upper() + words[1:] if _SENTENCE_START.search(text[max(0, start - 8) : start]) else words


def _day(day: date, part: str = "") -> _Span:
    words = f"{day.day} {day:%B} {day.year}"
    return _Span(day, day + _DAY, "on", f"the {part} of {words}" if part else words)


def _week(monday: date) -> _Span:
    return _Span(monday, monday + _WEEK, "in", f"the week of {_day(monday).words}")


def _weekend(saturday: date) -> _Span:
    return _Span(saturday, saturday + 2 * _DAY, "on", f"the weekend of {_day(saturday).words}")


def _month(year: int, month: int) -> _Span:
    """`month` may lie outside 1 to 12; it counts on into other years."""
    first, following = (date(year + (n - 1) // 12, (n - 1) % 12 + 1, 1) for n in (month, month + 1))
    return _Span(first, following, "in", f"{first:%B} {first.year}")


def _year(year: int) -> _Span:
    return _Span(date(year, 1, 1), date(year + 1, 1, 1), "in", str(year))


def _season(name: str, year: int) -> _Span:
    start = _SEASON_STARTS[name]
    return _Span(_month(year, start).start, _month(year, start + 3).start, "in", f"{name} {year}")


def _safe_date(year: int, month: int, day: int) -> date:
    return min(date(year, month, 1) + timedelta(days=day - 1), _month(year, month).end - _DAY)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


_NEAR_DAYS: Final = {
    "the day before yesterday": (-2, ""), "yesterday": (-1, ""), "today": (0, ""), "tomorrow": (1, ""),
    "the day after tomorrow": (2, ""), "last night": (-1, "evening"), "tonight": (0, "evening"),
}  # fmt: skip


def _near_day(match: re.Match[str], said: date, _tense: str) -> _Span | None:
    words = " ".join(match["near"].casefold().split())
    if words in _NEAR_DAYS:
        offset, part = _NEAR_DAYS[words]
        return _day(said + offset * _DAY, part)
    first, part = words.split()
    return _day(said + _NEAR_DAYS.get(first, (0, ""))[0] * _DAY, part)


def _shifted(match: re.Match[str], said: date, tense: str) -> _Span | None:
    """last, this or next something."""
    which = " ".join(match["which"].casefold().split())
    step = {"last": -1, "previous": -1, "past": -1, "this past": -1, "this": 0}.get(which, 1)
    unit = match["unit"].casefold().rstrip(".")
    if unit == "weekend" and which.endswith("coming"):
        step = 0
    if unit in _WEEKDAYS:
        span = _weekday(unit, said, "past" if step < 0 else "future", is_this=step == 0)
        return _day(span, (match["unit_part"] or "").casefold())
    if unit in _SEASON_STARTS:
        return _nearest_season(unit, said, step, tense)
    if unit in _MONTHS:
        return _nearest_month(_MONTHS[unit], said, {-1: "past", 0: "", 1: "future"}[step])
    return _calendar_unit(unit, said, step, tense)


def _calendar_unit(unit: str, said: date, step: int, tense: str) -> _Span | None:
    if unit == "week":
        return _week(_monday(said) + step * _WEEK)
    if unit == "weekend":
        is_over = step == 0 and tense == "past" and said.weekday() < 4
        return _weekend(_monday(said) + 5 * _DAY + (-1 if is_over else step) * _WEEK)
    if unit == "month":
        return _month(said.year, said.month + step)
    return _year(said.year + step)


def _weekday(name: str, said: date, tense: str, *, is_this: bool = False) -> date:
    ahead = (_WEEKDAYS.index(name) - said.weekday()) % 7
    if tense == "past":
        return said - ((7 - ahead) % 7 or 7) * _DAY
    return said + (ahead if is_this else ahead or 7) * _DAY


def _nearest_month(month: int, said: date, tense: str) -> _Span:
    year = said.year
    if tense == "past" and month >= said.month:
        year -= 1
    if tense == "future" and month <= said.month:
        year += 1
    return _month(year, month)


def _nearest_season(name: str, said: date, step: int, tense: str) -> _Span:
    years = [_season(name, said.year + offset) for offset in (-2, -1, 0, 1, 2)]
    if step < 0:
        return [span for span in years if span.end <= said][-1]
    if step > 0:
        return next(span for span in years if span.start > said)
    if tense == "past":
        return [span for span in years if span.start <= said][-1]
    return next(span for span in years if span.end > said)


def _ago(match: re.Match[str], said: date, _tense: str) -> _Span | None:
    words = " ".join(match["ago_amount"].casefold().split())
    unit = match["ago_unit"].casefold().rstrip("s")
    if words in _VAGUE and unit not in {"hour", "minute"}:
        start = _back(said, _amount(words), unit)
        return _Span(start.start, start.end, "", f"{words} {unit}s before {_day(said).words}")
    return _back(said, _amount(words), unit)


def _ahead(match: re.Match[str], said: date, tense: str) -> _Span | None:
    if match["now"] is None and tense != "future":
        return None
    words = match["ahead_amount"] or match["now_amount"]
    unit = (match["ahead_unit"] or match["now_unit"]).casefold().rstrip("s")
    return _back(said, -_amount(words), unit)


def _amount(words: str) -> int:
    words = " ".join(words.casefold().split())
    return int(words) if words.isdigit() else _NUMBERS[words]


def _back(said: date, amount: int, unit: str) -> _Span:
    """`amount` units before the day (after it, if negative), as exact as the unit is."""
    if unit == "day":
        return _day(said - amount * _DAY)
    if unit == "week":
        return _week(_monday(said) - amount * _WEEK)
    if unit == "weekend":
        return _weekend(_monday(said) + 5 * _DAY - amount * _WEEK)
    if unit == "month":
        return _month(said.year, said.month - amount)
    if unit in {"year", "decade"}:
        return _year(max(1, said.year - amount * (10 if unit == "decade" else 1)))
    return _day(said)


def _window(match: re.Match[str], said: date, _tense: str) -> _Span | None:
    """Return "the past two weeks": a stretch that ends on the day it was said."""
    amount, unit = match["window_amount"] or "one", (match["window_unit"] or match["window_one"]).casefold().rstrip("s")
    count = _amount(amount)
    days = {"day": 1, "week": 7, "weekend": 7}.get(unit)
    start = said - count * (days or 0) * _DAY
    if days is None:
        months = count * (12 if unit == "year" else 1)
        first = _month(said.year, said.month - months).start
        start = _safe_date(first.year, first.month, said.day)
    plural = f"{amount} {unit}s" if match["window_amount"] else unit
    return _Span(start, said + _DAY, "in", f"the {plural} before {_day(said).words}", is_event=False)


def _before_last(match: re.Match[str], said: date, _tense: str) -> _Span | None:
    step = -2 if match["far_which"].casefold() == "last" else 2
    return _calendar_unit(match["far_unit"].casefold(), said, step, "")


def _bare_weekday(match: re.Match[str], said: date, tense: str) -> _Span | None:
    if not tense and match["on"] is None:
        return None
    day = _weekday(match["weekday"].casefold(), said, tense or "future")
    return _day(day, (match["weekday_part"] or "").casefold())


def _the_weekend(_match: re.Match[str], said: date, tense: str) -> _Span | None:
    if tense != "past":
        return None
    return _calendar_unit("weekend", said, 0 if said.weekday() > 4 else -1, "")


def _iso(match: re.Match[str], _said: date, _tense: str) -> _Span | None:
    year, month, day = int(match["iso_year"]), int(match["iso_month"]), int(match["iso_day"] or 1)
    try:
        named = date(year, month, day)
    except ValueError:
        return None
    span = _day(named) if match["iso_day"] else _month(year, month)
    return _as_written(match, span)


def _month_day(match: re.Match[str], said: date, tense: str) -> _Span | None:
    month = _MONTHS[(match["month_first"] or match["month_last"]).casefold().rstrip(".")]
    number = int(match["day_last"] or match["day_first"])
    given = match["year_last"] or match["year_first"]
    is_verb = match[0].startswith(("may", "march")) and not re.search(r"\d(?:st|nd|rd|th)", match[0])
    if not given and (not tense or is_verb):
        return None
    year = int(given) if given else said.year
    try:
        named = date(year, month, number)
        if not given and tense == "past" and named > said:
            named = date(year - 1, month, number)
        if not given and tense == "future" and named < said:
            named = date(year + 1, month, number)
    except ValueError:
        return None
    return _as_written(match, _day(named)) if given else _day(named)


def _month_year(match: re.Match[str], _said: date, _tense: str) -> _Span | None:
    month = _MONTHS[match["month_of_year"].casefold().rstrip(".")]
    return _as_written(match, _month(int(match["year_of_month"]), month))


def _season_year(match: re.Match[str], _said: date, _tense: str) -> _Span | None:
    return _as_written(match, _season(match["season"].casefold(), int(match["season_year"])))


def _bare_month(match: re.Match[str], said: date, tense: str) -> _Span | None:
    name = match["bare_month"].rstrip(".")
    if not tense or (match["month_opening"].casefold().startswith("and") and not name[0].isupper()):
        return None
    span = _nearest_month(_MONTHS[name.casefold()], said, tense)
    if tense == "past" and _MONTHS[name.casefold()] == said.month:
        span = _month(said.year, said.month)
    return _Span(span.start, span.end, "", f"{match['month_opening']}{span.words}")


def _bare_year(match: re.Match[str], _said: date, _tense: str) -> _Span | None:
    return _as_written(match, _year(int(match["bare_year"])))


def _as_written(match: re.Match[str], span: _Span) -> _Span:
    """What is absolute already keeps its words."""
    return _Span(span.start, span.end, "", match[0])


_READERS: Final[tuple[tuple[str, str, _Reader], ...]] = (
    ("iso", rf"(?P<iso_year>{_YEAR})-(?P<iso_month>[01]\d)(?:-(?P<iso_day>[0-3]\d))?(?!-?\d)", _iso),
    (
        "month_day",
        (
            rf"(?:on\s+)?(?:the\s+)?(?:(?P<day_first>[0-3]?\d)(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month_last>{_MONTH})"
            rf"(?:,?\s+(?P<year_last>{_YEAR}))?|(?P<month_first>{_MONTH})\s+(?:the\s+)?(?P<day_last>[0-3]?\d)(?:st|nd|rd|th)?\b"
            rf"(?![:%]|\s?[ap]m\b)(?:,?\s+(?P<year_first>{_YEAR}))?)"
        ),
        _month_day,
    ),
    ("month_year", rf"(?P<month_of_year>{_MONTH}),?\s+(?:of\s+)?(?P<year_of_month>{_YEAR})", _month_year),
    ("season_year", rf"(?P<season>{_SEASON})\s+(?:of\s+)?(?P<season_year>{_YEAR})", _season_year),
    (
        "near",
        (
            rf"(?P<near>the\s+day\s+before\s+yesterday|the\s+day\s+after\s+tomorrow|(?:yesterday|tomorrow|this)\s+(?:{_PART})"
            r"|last\s+night|tonight|yesterday|today|tomorrow)"
        ),
        _near_day,
    ),
    (
        "far",
        r"the\s+(?P<far_unit>week|weekend|month|year)\s+(?:before|after)\s+(?P<far_which>last|next)",
        _before_last,
    ),
    (
        "window",
        (
            rf"(?:the\s+)?(?:last|past|previous)\s+(?P<window_amount>{_AMOUNT})\s+(?P<window_unit>days|weeks|weekends|months|years)"
            r"|(?:the\s+(?:last|past)|(?<!this )past)\s+(?P<window_one>week|month|year)(?!\w)"
        ),
        _window,
    ),
    (
        "shifted",
        (
            rf"(?:on\s+)?(?:the\s+)?(?P<which>this\s+past|this\s+coming|last|previous|past|this|next|coming)\s+"
            rf"(?P<unit>week|weekend|month|year|{_SEASON}|{_WEEKDAY}|{_MONTH})(?:\s+(?P<unit_part>{_PART}))?(?!\w)"
        ),
        _shifted,
    ),
    (
        "ago",
        (
            rf"(?P<ago_amount>{_AMOUNT})\s+"
            r"(?P<ago_unit>minutes?|hours?|days?|weeks?|weekends?|months?|years?|decades?)\s+(?:ago|back)"
        ),
        _ago,
    ),
    (
        "ahead",
        (
            rf"in\s+(?P<ahead_amount>{_AMOUNT})\s+(?P<ahead_unit>days?|weeks?|months?|years?)(?!\w|'|-)"
            rf"|(?P<now_amount>{_AMOUNT})\s+(?P<now_unit>days?|weeks?|months?|years?)\s+(?P<now>from\s+now)"
        ),
        _ahead,
    ),
    (
        "weekday",
        rf"(?P<on>on\s+)?(?<!-)(?P<weekday>{_WEEKDAY})(?:\s+(?P<weekday_part>{_PART}))?(?!\w|-)",
        _bare_weekday,
    ),
    ("the_weekend", r"(?:over|on|during|at)\s+the\s+weekend(?!\s+of)", _the_weekend),
    (
        "bare_month",
        (
            rf"(?P<month_opening>(?:back\s+in|in\s+early|in\s+late|in\s+mid|in|since|by|until|during|from|between|before|after|and)\s+)"
            rf"(?P<bare_month>{_MONTH})(?!\.?,?\s*\d|\w|-)"
        ),
        _bare_month,
    ),
    (
        "bare_year",
        rf"(?:in|since|during|before|after|until|till|of|by|from|to|throughout|between|and|year)\s+(?P<bare_year>{_YEAR})(?![\w%-]|[.,]\d)",
        _bare_year,
    ),
)
_PHRASE: Final = re.compile(
    "|".join(rf"(?P<as_{name}>(?<![\w-])(?:{pattern}))" for name, pattern, _ in _READERS), re.IGNORECASE
)
_BY_NAME: Final = {f"as_{name}": reader for name, _, reader in _READERS}


def _read(match: re.Match[str], said: date, tense: str) -> _Span | None:
    try:
        return _BY_NAME[match.lastgroup or ""](match, said, tense)
    except (ValueError, OverflowError):
        return None
