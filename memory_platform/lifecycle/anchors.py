"""Days told by their distance from an event: "the day before the launch", "a week after the demo"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

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


@dataclass(frozen=True, slots=True)
class DatedEvent:
    """Something with a day: what is said of it, and the day."""

    text: str
    day: date


@dataclass(frozen=True, slots=True)
class Anchor:
    """A phrase from `start` to `end` of a text: so many `days` after (before, if negative) the `event`, in its words;
    empty where it is the one just spoken of.
    """

    start: int
    end: int
    days: int
    event: str

    def day(self, events: Sequence[DatedEvent]) -> date | None:
        """The day it means: by the first of the events that has its first word; None if none has."""
        words = list(terms(self.event))
        found = next((one for one in events if not words or words[0] in terms(one.text)), None)
        return None if found is None else found.day + timedelta(days=self.days)


def anchored(text: str) -> Iterator[Anchor]:
    """The English phrases of this kind in a clause."""
    for match in _PHRASE.finditer(text):
        amount = match["amount"].casefold()
        days = int(_NUMBERS.get(amount, amount)) * (7 if match["unit"].casefold().startswith("week") else 1)
        way = 1 if match["way"].casefold() == "after" else -1
        yield Anchor(match.start(), match.end(), way * days, match["event"] or "")
