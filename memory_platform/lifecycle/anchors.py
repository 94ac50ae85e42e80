"""Days told by their distance from an event or another day: "a week before the demo", "the Monday after"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from memory_platform.text.dates.spans import WEEKDAY, WEEKDAYS, Direction, weekday
from memory_platform.text.terms import terms

_NUMBERS: Final = {
    "the": 1, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10,
}  # fmt: skip
_AMOUNT: Final = rf"(?P<amount>\d{{1,2}}|{'|'.join(_NUMBERS)})"
_EVENT: Final = r"(?:the|my|our|your|his|her|their|[A-Z][\w-]{1,30}['’]s)\s(?P<event>[\w-]{2,40}(?:\s[\w-]{2,40}){0,2})"
_PHRASE: Final = re.compile(
    rf"\b{_AMOUNT}\s(?P<unit>days?|nights?|evenings?|weeks?)\s(?P<way>before|after|ahead of|prior to)"
    rf"(?:\s{_EVENT}|(?=\s?[.,;:!?)]|\s?\Z))",
    re.IGNORECASE,
)
_SPOKEN_OF: Final = re.compile(
    rf"\b(?:{_AMOUNT}\s(?P<unit>days?|weeks?)\slater|the\s(?P<weekday>{WEEKDAY})\s(?P<way>before|after))"
    r"(?:\sthat)?(?=\s?[.,;:!?)]|\s?\Z)",
    re.IGNORECASE,
)
"""What is told from the day just spoken of."""


@dataclass(frozen=True, slots=True)
class DatedEvent:
    """Something with a day: what is said of it, and the day."""

    text: str
    day: date


@dataclass(frozen=True, slots=True)
class Anchor:
    """A phrase from `start` to `end` of a text: so many `days` after (before, if negative) the `event`, in its words;
    empty where it is the one just spoken of. With `weekday` (0 is Monday) it is the first such day that way.
    """

    start: int
    end: int
    days: int
    event: str = ""
    weekday: int | None = None

    def day(self, events: Sequence[DatedEvent]) -> date | None:
        """The day it means: by the first of the events that has its first word; None if none has."""
        words = list(terms(self.event))
        found = next((one for one in events if not words or words[0] in terms(one.text)), None)
        return None if found is None else self._from(found.day)

    def _from(self, day: date) -> date:
        if self.weekday is None:
            return day + timedelta(days=self.days)
        return weekday(self.weekday, day, Direction.AHEAD if self.days > 0 else Direction.BEHIND)


def anchored(text: str) -> Iterator[Anchor]:
    """The English phrases of this kind in a clause."""
    for match in _PHRASE.finditer(text):
        yield Anchor(match.start(), match.end(), _way(match["way"]) * _days(match), match["event"] or "")
    for match in _SPOKEN_OF.finditer(text):
        if match["weekday"] is None:
            yield Anchor(match.start(), match.end(), _days(match))
        else:
            named = WEEKDAYS.index(match["weekday"].casefold())
            yield Anchor(match.start(), match.end(), _way(match["way"]), weekday=named)


def _days(match: re.Match[str]) -> int:
    amount = match["amount"].casefold()
    return int(_NUMBERS.get(amount, amount)) * (7 if match["unit"].casefold().startswith("week") else 1)


def _way(word: str) -> int:
    return 1 if word.casefold() == "after" else -1
