"""Whether what a model says of a message stands in it: its names, its numbers, its date; and what it leaves out.

A model may leave out and put in order; what it adds is what nobody said. Ordinary words are not compared: they may be
inflected, and a wrong one changes a claim less than a wrong name.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, KeysView, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, Self

from memory_platform.extraction.slots import identifiers
from memory_platform.model import Fact, Tense, Utterance
from memory_platform.text import times
from memory_platform.text.dates.tongues import TONGUES
from memory_platform.text.sentences import sentences
from memory_platform.text.terms import ROLE_NAMES, terms

NARROW: Final = timedelta(days=7)
"""A date inside a span up to this long may be the one that was meant; of a longer one only its first day."""

_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS: Final = re.compile(r"[.,](?=\d{3}(?!\d))")
_ENGLISH: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_TENS: Final = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def _spelled() -> dict[str, dict[str, str]]:
    """By language: the words of its small numbers, with their digits. "One" is as often no number."""
    english = {word: str(value) for value, word in enumerate(_ENGLISH, 2)}
    english |= {word: str(value) for value, word in zip(range(30, 100, 10), _TENS, strict=True)}
    others = {
        code: {word: str(value) for value, words in enumerate(tongue.numbers[1:], 2) for word in words.split()}
        for code, tongue in TONGUES.items()
    }
    return {"en": english, **others}


_SPELLED: Final = _spelled()


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A date that was said, with the day its span ends before."""

    start: date
    until: date

    def may_mean(self, day: date) -> bool:
        return day == self.start or (self.until - self.start <= NARROW and self.start <= day < self.until)


@dataclass(frozen=True, slots=True)
class SpokenEvidence:
    """What was said: words case folded, their stems, numbers in digits, identifiers, and the dates of said phrases."""

    words: frozenset[str]
    stems: frozenset[str]
    numbers: frozenset[str]
    identifiers: frozenset[str]
    dates: frozenset[_Spoken] = field(default=frozenset())

    @classmethod
    def of_texts(cls, texts: Iterable[str], *, language: str = "en") -> Self:
        """The words and numbers of texts; no dates."""
        joined = "\n".join(texts)
        words = frozenset(_words(joined))
        spelled = _SPELLED.get(language, {})
        return cls(
            words=words,
            stems=frozenset(terms(joined)),
            numbers=frozenset(_numbers(joined)) | {spelled[word] for word in words & spelled.keys()},
            identifiers=frozenset(identifiers(joined)),
        )

    @classmethod
    def of_talk(cls, said: Utterance, before: Sequence[Utterance], *, language: str, day_first: bool) -> Self:
        """What a message and those before it say, with who speaks, and the absolute dates of their relative ones."""
        texts = [*sorted(ROLE_NAMES)]
        spoken: set[_Spoken] = set()
        for one in (said, *before):
            texts += [one.speaker or "", one.text]
            for text, date_ in _dated(one, language, day_first=day_first):
                texts.append(text)
                spoken |= date_
        found = cls.of_texts(texts, language=language)
        return cls(found.words, found.stems, found.numbers, found.identifiers, frozenset(spoken))

    def missing(self, text: str, *, language: str = "en") -> str:
        """The first identifier, number or capitalised word of a text that was not said; empty when all were."""
        return next(self._absent(text, language), "")

    def _absent(self, text: str, language: str) -> Iterator[str]:
        yield from (one for one in identifiers(text) if one not in self.identifiers)
        yield from (one for one in _numbers(text) if one not in self.numbers)
        spelled = _SPELLED.get(language, {})
        yield from (one for one in _words(text) if one in spelled and spelled[one] not in self.numbers)
        yield from (one for one in _WORD.findall(text) if _is_capitalised(one) and not self._knows(one))

    def _knows(self, word: str) -> bool:
        """Whether a word was said, in whatever form; a stop word always was."""
        return word.casefold() in self.words or set(terms(word)) <= self.stems


def unsupported(fact: Fact, evidence: SpokenEvidence) -> str:
    """The first name, number or date of a claim, its fields included, that its source does not say; empty: none."""
    slot = fact.slot
    fields = (fact.text, *fact.entities, fact.lead_in, slot.subject, slot.value, slot.qualifier, fact.reported_by)
    found = next(filter(None, (evidence.missing(text, language=fact.language) for text in fields)), "")
    if found or fact.event_time is None:
        return found
    day = fact.event_time.date()
    return "" if any(one.may_mean(day) for one in evidence.dates) else day.isoformat()


def unmentioned(text: str, mentions: Sequence[str]) -> list[str]:
    """The sentences of a text that nothing a model says of it touches.

    What stands in the text touches the sentences it overlaps; what is worded otherwise the one it shares most terms
    with. Takes time in proportion to the text for each mention.
    """
    spans = [span for span in sentences(text) if _WORD.search(span.text)]
    starts, ends = [span.start for span in spans], [span.start + len(span.text) for span in spans]
    stems = [terms(span.text).keys() for span in spans]
    touched: set[int] = set()
    for mention in filter(None, (one.strip() for one in dict.fromkeys(mentions))):
        found = list(_occurrences(mention, text))
        for start in found:
            touched.update(range(bisect_right(ends, start), bisect_left(starts, start + len(mention))))
        if not found and (nearest := _nearest(mention, stems)) is not None:
            touched.add(nearest)
    return [span.text for place, span in enumerate(spans) if place not in touched]


def reads_dates_of(language: str) -> bool:
    """Whether relative dates of a language are understood, so that a model's can be compared."""
    return language == "en" or language in TONGUES


def _occurrences(mention: str, text: str) -> Iterator[int]:
    start = text.find(mention)
    while start >= 0:
        yield start
        start = text.find(mention, start + len(mention))


def _nearest(mention: str, stems: Sequence[KeysView[str]]) -> int | None:
    """The place of the sentence that shares most terms with a mention; None if none shares any."""
    own = terms(mention).keys()
    shared, place = max(((len(own & other), -place) for place, other in enumerate(stems)), default=(0, 0))
    return -place if shared else None


def _dated(said: Utterance, language: str, *, day_first: bool) -> Iterator[tuple[str, set[_Spoken]]]:
    """Each sentence with absolute dates put in, and its date, looking back, ahead, or as it stands."""
    for sentence in sentences(said.text):
        readings = [
            times.resolve(sentence.text, said.said_at, tense=tense, language=language, day_first=day_first)
            for tense in (Tense.NONE, Tense.PAST, Tense.FUTURE)
        ]
        for text in {one.text for one in readings}:
            yield (
                text,
                {_Spoken(one.event_time.date(), one.until.date()) for one in readings if one.event_time and one.until},
            )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _numbers(text: str) -> Iterator[str]:
    """Numbers in digits, without separators of thousands or leading zeros, the decimal mark a point."""
    for match in _NUMBER.finditer(text):
        first, *others = _THOUSANDS.sub("", match[0]).replace(",", ".").split(".")
        # Behind a decimal mark a zero counts; 03.05.2025 is no decimal.
        rest = others if len(others) == 1 else [part.lstrip("0") or "0" for part in others]
        yield ".".join([first.lstrip("0") or "0", *rest])


def _is_capitalised(word: str) -> bool:
    return any(mark.isupper() for mark in word)
