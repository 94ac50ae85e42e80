"""Which times that a message names are worth coming back to: what it plans, fixes or wants done, and every how often.

What lies behind, is merely asked, supposed or quoted, or lasts longer than a month is none. A bare name of a day
("happy Friday", "see you tomorrow") counts only in a clause that is worth keeping and may tell of what happens once
("open Tuesday to Saturday" does not); a date in numbers stands for itself.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import partial
from hashlib import sha256
from typing import Final

from memory_platform.extraction.clauses import Clause
from memory_platform.extraction.observing import DropReason, Reading
from memory_platform.lifecycle import recurrence
from memory_platform.lifecycle.anchors import Anchor, DatedEvent, anchored
from memory_platform.lifecycle.bearings import Bearing, bearing
from memory_platform.lifecycle.recurrence import Recurring
from memory_platform.model import Mood, Observation, Tense
from memory_platform.text import languages, times
from memory_platform.text.dates.directions import Course
from memory_platform.text.dates.foreign import supposes
from memory_platform.text.parse import Parse
from memory_platform.text.terms import terms
from memory_platform.text.times import DateMention


class Precision(StrEnum):
    """How exactly a time was told."""

    MINUTE = "minute"
    """A time of day was named."""
    DAY = "day"
    """None was: the whole day counts."""


@dataclass(frozen=True, slots=True)
class Detected:
    """A time to come back to what was said.

    `at` is aware, in the zone of the message's `said_at`; with DAY the midnight its day begins with, of a longer
    stretch its first day's. `quote` is the clause. `recurrence` is a rule of RFC 5545 without DTSTART, empty for what
    comes once; `at` is then the first time. `is_moved`: the clause tells that it was put off to then, of `moved_from`
    if it says so. `is_cancelled`: what was then is not to be.
    """

    at: datetime
    precision: Precision
    quote: str
    recurrence: str = ""
    is_moved: bool = False
    moved_from: date | None = None
    is_cancelled: bool = False

    @property
    def digest(self) -> str:
        """By which the same time read off the same words again is known: SHA-256 in hexadecimal."""
        return sha256(f"{self.quote}\n{self.at.isoformat()}\n{self.recurrence}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Weighed:
    """How surely a clause is worth keeping, 0..1, below 0 for one that gives orders by its content; and how surely it
    tells of what happens once.
    """

    worth: float = 1.0
    planned: float = 1.0


@dataclass(frozen=True, slots=True)
class Bars:
    """What a clause that names a day by a bare name must reach: below `worth` lies small talk, and in English below
    `planned` lie habits and opening hours. Policy's trigger_worth_from and trigger_planned_from.

    The judge of claims is not sure enough of what kind a clause in another language is. What the defaults are worth:
    docs/benchmarks.md, "Times ahead".
    """

    worth: float = 0.15
    planned: float = 0.1


SHIPPED: Final = Bars()


Judged = Callable[[Clause], Weighed]

LONGEST_CLAUSE: Final = 400
"""Characters; a longer one is a log or a document, and its dates are nobody's plans."""
DAY: Final = timedelta(days=1)
LONGEST_SPAN: Final = timedelta(days=31)
"""What is longer ("in 2029", "next year", "Q3") names no day to come back on."""
MOST_TRIGGERS: Final = 12
"""Of one message: more dates than that are a calendar or a table, which stays searchable as what it is. A bound on
what one message may set off, not a number of how the memory behaves.
"""
NEAR: Final = timedelta(days=120)
"""How far ahead a date without a year may lie of which the clause's tense makes nothing. No tenant's number: it is
how such a date is read, as in `memory_platform.text.dates`.
"""
_UNREAL: Final = frozenset({Mood.QUESTION, Mood.HYPOTHETICAL, Mood.WISH})
_CANCELLING: Final = frozenset({"cancel", "scrap", "annuler"})
_INSTEAD: Final = re.compile(
    r"\b(?:instead of|rather than|but not|any day but|except)\s(?:on\s|the\s)*\Z", re.IGNORECASE
)
_GOALS: Final = frozenset({"to", "until", "till"})
_LOOKED_BACK: Final = 24
_DIGIT: Final = re.compile(r"\d")


def detect(
    reading: Reading,
    *,
    judged: Judged = lambda _: Weighed(),
    bars: Bars = SHIPPED,
    day_first: bool = True,
    events: Sequence[DatedEvent] = (),
) -> tuple[Detected, ...]:
    """The times of a read message, in order, each once; its `said_at` must be in the zone of who said it.

    `events` are dated things known from elsewhere that "the day before the launch" may mean, the likeliest first.
    """
    told = (*reading.clauses, *reading.records)
    clauses = [_Dated.of(clause, reading, judged(clause), bars=bars, day_first=day_first) for clause in told]
    found: dict[tuple[datetime, str, bool], Detected] = {}
    for place, clause in enumerate(clauses):
        for one in clause.triggers(partial(_others, clauses, place, events)):
            found.setdefault((one.at, one.recurrence, one.is_cancelled), one)
    return tuple(found.values())[:MOST_TRIGGERS]


def may_tell(text: str, *, language: str = languages.ENGLISH) -> bool:
    """Whether a message of a talk in `language` may name a time: without a parse, and never wrongly no."""
    spoken = languages.language_of(text, otherwise=language)
    named = any(times.told(text, _ANY_DAY, tense=Tense.FUTURE, language=one) for one in {spoken, languages.ENGLISH})
    return named or any(recurrence.recurring(text)) or any(anchored(text)) or _DIGIT.search(text) is not None


def judged_by(observation: Observation) -> Judged:
    """What an extractor made of the clauses of a message: facts by their usefulness, the rest by why it was left out.

    A clause of which it says nothing is not worth keeping; a fact of which it does not state it is, and may be a plan.
    """
    kept = [(one.quote, Weighed(_or_sure(one.usefulness), _or_sure(one.planned))) for one in observation.facts]
    refused = [one.text for one in observation.dropped if one.reason == DropReason.INJECTION]
    return partial(_judged, kept, refused)


def _or_sure(share: float | None) -> float:
    return 1.0 if share is None else share


def _judged(kept: Sequence[tuple[str, Weighed]], refused: Sequence[str], clause: Clause) -> Weighed:
    text = clause.text if clause.entry is None else clause.entry.quote
    if any(one in clause.text for one in refused if one):
        return _REFUSED
    found = (weighed for quote, weighed in kept if quote in text or text in quote)
    return max(found, key=lambda one: one.worth, default=_WORTHLESS)


_REFUSED: Final = Weighed(worth=-1.0)
_WORTHLESS: Final = Weighed(worth=0.0)


class TimeSettlement(StrEnum):
    """What a time just told does to one that was known.

    DUPLICATE says it again; the others end it, and but for CANCELLED the new one takes its place.
    """

    NONE = "none"
    DUPLICATE = "duplicate"
    MOVED = "moved"
    REFINED = "refined"
    CANCELLED = "cancelled"


def settle(new: Detected, known: Detected) -> TimeSettlement:
    """What becomes of a known time of the same people, told before the new one.

    They must speak of the same: half of the shorter one's words are in both, numbers, dates and words of moving aside.
    What comes back is not ended by what is told of one of its times.
    """
    if bool(new.recurrence) != bool(known.recurrence) or not _speak_of_the_same(new.quote, known.quote):
        return TimeSettlement.NONE
    return _settle_series(new, known) if new.recurrence else _settle_once(new, known)


def _settle_series(new: Detected, known: Detected) -> TimeSettlement:
    local = known.at.astimezone(new.at.tzinfo)
    if new.recurrence != known.recurrence or new.at.time() != local.time():
        return TimeSettlement.NONE
    return TimeSettlement.CANCELLED if new.is_cancelled else TimeSettlement.DUPLICATE


def _settle_once(new: Detected, known: Detected) -> TimeSettlement:
    known_day = known.at.astimezone(new.at.tzinfo).date()
    is_same_day = new.at.date() == known_day
    if new.is_cancelled:
        return TimeSettlement.CANCELLED if is_same_day else TimeSettlement.NONE
    if new.at == known.at:
        return TimeSettlement.DUPLICATE
    if new.is_moved and new.moved_from in {None, known_day}:
        return TimeSettlement.MOVED
    is_exacter = (known.precision, new.precision) == (Precision.DAY, Precision.MINUTE)
    return TimeSettlement.REFINED if is_same_day and is_exacter else TimeSettlement.NONE


def _speak_of_the_same(one: str, other: str) -> bool:
    mine, theirs = _about(one), _about(other)
    shorter = min(len(mine), len(theirs))
    return shorter > 0 and 2 * len(mine & theirs) >= shorter


def _about(text: str) -> frozenset[str]:
    dated = times.told(text, _ANY_DAY, tense=Tense.FUTURE)
    kept = "".join(
        character for place, character in enumerate(text) if not any(d.start <= place < d.end for d in dated)
    )
    return frozenset(term for term in terms(kept) if not _DIGIT.search(term)) - _OF_MOVING


_ANY_DAY: Final = datetime(2026, 1, 1)  # noqa: DTZ001  only where the phrases stand is asked
_OF_MOVING: Final = frozenset(
    terms("move moved postponed pushed shifted rescheduled delayed cancelled cancel off back")
)


def _others(clauses: "Sequence[_Dated]", place: int, events: Sequence[DatedEvent]) -> list[DatedEvent]:
    """What a clause may tell its days from, the likeliest first: what was spoken of last before it, what follows."""
    before = (one for clause in reversed(clauses[:place]) for one in reversed(clause.events))
    behind = (one for clause in clauses[place + 1 :] for one in clause.events)
    return [*before, *behind, *events]


@dataclass(frozen=True, slots=True)
class _Dated:
    """A clause with the dates it names."""

    clause: Clause
    said_at: datetime
    weighed: Weighed
    bars: Bars
    dates: Sequence[DateMention]
    parse: Parse
    course: Course

    @classmethod
    def of(cls, clause: Clause, reading: Reading, weighed: Weighed, *, bars: Bars, day_first: bool) -> "_Dated":
        said = reading.passage.utterance
        is_read = weighed.worth >= 0.0 and len(clause.text) <= LONGEST_CLAUSE
        dates = _dates(clause, said.said_at, day_first=day_first) if is_read else ()
        return cls(clause, said.said_at, weighed, bars, dates, reading.parse, Course(clause.text))

    @property
    def events(self) -> list[DatedEvent]:
        """Its dates as events that others may be told from."""
        return [DatedEvent(self.clause.text, one.first) for one in self.dates]

    def triggers(self, others: Callable[[], list[DatedEvent]]) -> Iterator[Detected]:
        if self.weighed.worth < 0.0:
            return
        often = list(recurrence.recurring(self.clause.text)) if self._recurs else []
        anchors = list(anchored(self.clause.text))
        taken = [*((one.start, one.end) for one in often), *((one.start, one.end) for one in anchors)]
        for told in self._starts:
            if not any(start < told.end and told.start < end for start, end in taken):
                yield from self._told(told)
        for phrase in often:
            if self._comes_back(phrase):
                yield from self._recurring(phrase.rule, phrase.clock)
        if not _is_unreal(self.clause):
            days = (anchor.day(self._anchoring(anchor, others())) for anchor in anchors)
            yield from (one for day in days if (one := self._relative(day)))

    @property
    def _recurs(self) -> bool:
        is_small_talk = self.weighed.worth < self.bars.worth
        return self.clause.tense is not Tense.PAST and not (self.clause.is_negated or is_small_talk)

    def _anchoring(self, anchor: Anchor, others: list[DatedEvent]) -> list[DatedEvent]:
        """What a phrase may be told from: the day named before it, or another clause's event; its own where no other
        is known.
        """
        named = [] if anchor.event else [one.first for one in reversed(self.dates) if one.end <= anchor.start]
        return [*(DatedEvent(self.clause.text, day) for day in named), *others] or self.events

    @property
    def _starts(self) -> Iterator[DateMention]:
        """The dates to come back on: of a range its beginning, of a move its goal."""
        is_end = False
        for one, following in self._pairs:
            is_left = self._is_left(one, following)
            if not (is_end or is_left or self._is_instead(one)) and self._is_meant(one):
                yield one
            is_end = one.is_joined_to_next and not is_left

    def _is_meant(self, one: DateMention) -> bool:
        """Whether it is told of that day that something is to be, by what the day hangs on in the clause."""
        hangs = self._bearing(one)
        is_behind = hangs.is_past and self.clause.tense is not Tense.PAST and not _in_numbers(self.clause, one)
        return self._is_told(hangs) and not (is_behind or hangs.is_denied)

    def _comes_back(self, phrase: Recurring) -> bool:
        hangs = bearing(self.parse, self.clause, phrase.start, phrase.end)
        is_state = phrase.is_plural and hangs.is_state
        return self._is_told(hangs) and not (hangs.is_past or hangs.is_denied or is_state)

    def _is_told(self, hangs: Bearing) -> bool:
        return not _is_unreal(self.clause) or _is_told_beside_a_condition(self.clause, hangs)

    def _bearing(self, one: DateMention) -> Bearing:
        return bearing(self.parse, self.clause, one.start, one.end, preposition=one.preposition)

    def _is_instead(self, one: DateMention) -> bool:
        return _INSTEAD.search(self.clause.text[max(0, one.start - _LOOKED_BACK) : one.start]) is not None

    def _once(self, one: DateMention) -> Iterator[Detected]:
        is_vague = one.until - one.first > LONGEST_SPAN and not one.is_range
        if is_vague or not one.is_ahead or self._is_hardly_meant(one):
            return
        if one.first <= self.said_at.date() and (one.clock is None or self.clause.tense is Tense.PAST):
            return
        is_moved = self.course.moves(one.start)
        yield self._at(
            one.counted or one.first, one.clock, is_moved=is_moved, moved_from=self._left if is_moved else None
        )

    def _is_hardly_meant(self, one: DateMention) -> bool:
        """Whether it is a bare name in a clause that is small talk or, if it is a day's, tells of what is always so."""
        if one.clock is not None or _in_numbers(self.clause, one):
            return False
        is_habit = self.clause.language == languages.ENGLISH and self.weighed.planned < self.bars.planned
        may_recur = one.until - one.first == DAY and not one.is_from_today
        return self.weighed.worth < self.bars.worth or (is_habit and may_recur)

    @property
    def _pairs(self) -> Iterator[tuple[DateMention, DateMention | None]]:
        """Each date and the one that follows it."""
        return zip(self.dates, [*self.dates[1:], None], strict=False)

    @property
    def _left(self) -> date | None:
        """The day a move leaves."""
        return next(
            (one.first for one, after in self._pairs if self._is_left(one, after) or self._is_instead(one)), None
        )

    def _is_left(self, one: DateMention, following: DateMention | None) -> bool:
        """Whether a move goes from it to the next: "moved from 3 to 5 July", "the one on 3 July moves to the 5th"."""
        if following is None:
            return False
        if self.course.moves(one.start):
            return one.is_joined_to_next
        return following.preposition in _GOALS and self.course.moves(following.start) and self._is_moved(one)

    def _is_moved(self, one: DateMention) -> bool:
        """Whether it stands under a word of moving, as far as its grammar is known."""
        above = self._bearing(one).above
        return not above or any(map(self.course.moves_at, above))

    def _relative(self, day: date | None) -> Detected | None:
        return None if day is None or day <= self.said_at.date() else self._at(day, None)

    def _told(self, one: DateMention) -> Iterator[Detected]:
        if self._recurs and _comes_yearly(self.clause, one):
            return self._recurring(recurrence.yearly(one.first), one.clock)
        return self._once(one)

    def _recurring(self, rule: str, clock: time | None) -> Iterator[Detected]:
        begins = _moment(self.said_at.date(), clock, self.said_at)
        first = recurrence.following(rule, begins, after=self.said_at)
        if first is not None:
            yield self._at(first.date(), clock, rule=rule)

    def _at(
        self, day: date, clock: time | None, *, rule: str = "", is_moved: bool = False, moved_from: date | None = None
    ) -> Detected:
        return Detected(
            at=_moment(day, clock, self.said_at),
            precision=Precision.DAY if clock is None else Precision.MINUTE,
            quote=self.clause.text,
            recurrence=rule,
            is_moved=is_moved,
            moved_from=moved_from,
            is_cancelled=self._is_cancelled,
        )

    @property
    def _is_cancelled(self) -> bool:
        return self.clause.verb in _CANCELLING and not self.clause.is_negated


def _is_unreal(clause: Clause) -> bool:
    return clause.mood in _UNREAL or _is_framed(clause)


def _is_told_beside_a_condition(clause: Clause, hangs: Bearing) -> bool:
    return clause.mood is Mood.HYPOTHETICAL and hangs.is_told and not _is_framed(clause)


def _is_framed(clause: Clause) -> bool:
    """Whether it is quoted, or a condition as a whole."""
    return clause.is_quoted or supposes(clause.text, clause.language)


def _dates(clause: Clause, said_at: datetime, *, day_first: bool) -> tuple[DateMention, ...]:
    """The dates as the clause's tense has them; what that leaves open is planned, if it is more than a bare name.

    What is told as past is so only where that makes it near.
    """
    read = partial(
        times.told,
        clause.text,
        said_at,
        past=clause.past,
        present=clause.present,
        language=clause.language,
        day_first=day_first,
    )
    own = read(tense=clause.tense)
    if clause.tense is Tense.FUTURE:
        return own
    taken = {one.start for one in own}
    left_open = read(tense=Tense.FUTURE if clause.tense is Tense.PRESENT else Tense.PRESENT)
    planned = (one for one in left_open if one.start not in taken and _is_planned(clause, one, said_at.date()))
    return tuple(sorted((*own, *planned), key=lambda one: one.start))


def _is_planned(clause: Clause, one: DateMention, said: date) -> bool:
    """Whether a date is ahead that the clause's tense leaves open."""
    if clause.tense is Tense.PRESENT:
        return _comes_yearly(clause, one)
    if clause.tense is Tense.PAST:
        return _in_numbers(clause, one) and one.first - said <= NEAR
    return not _is_name_alone(clause, one)


def _comes_yearly(clause: Clause, one: DateMention) -> bool:
    return one.until - one.first == DAY and recurrence.comes_yearly(clause.text, one.start, one.end)


def _is_name_alone(clause: Clause, one: DateMention) -> bool:
    """Whether a day is no more than named, as in "happy Friday"."""
    is_day = one.until - one.first == DAY
    return is_day and not (_in_numbers(clause, one) or one.clock or one.preposition)


def _in_numbers(clause: Clause, one: DateMention) -> bool:
    return _DIGIT.search(clause.text[one.start : one.end]) is not None


def _moment(day: date, clock: time | None, said_at: datetime) -> datetime:
    """A time of day that names its own zone is told in that of `said_at`."""
    at = datetime.combine(day, clock or time())
    return at.astimezone(said_at.tzinfo) if at.tzinfo else at.replace(tzinfo=said_at.tzinfo)
