"""What dedup and conflict compare: a claim that wants in, its stored neighbours, and what a text asserts."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Final
from uuid import UUID

from memory_platform.model import Status, Strength
from memory_platform.text.lexicon import NEGATORS, STOP_WORDS, TENSE_WORDS, is_same_word, stem


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact that passed the gate and is about to be stored. `said_at`: when its source said it, not when we heard.

    `author` is the agent that states it.
    """

    text: str
    said_at: datetime
    strength: Strength = Strength.EXPLICIT
    confidence: float = 0.9
    session_id: UUID | None = None
    source_id: UUID | None = None
    entities: tuple[str, ...] = ()
    service: str | None = None
    author: UUID | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A stored item of the claim's audience near it in meaning.

    `confidence` is the effective one (decay.effective_confidence), `said_at` when the item was last said, `valid_until`
    when it stopped being true (None: still true), `source_ids` the resources it rests on.
    """

    id: UUID
    text: str
    said_at: datetime
    cosine: float
    strength: Strength = Strength.EXPLICIT
    confidence: float = 0.9
    session_id: UUID | None = None
    source_ids: frozenset[UUID] = field(default_factory=frozenset)
    entities: tuple[str, ...] = ()
    service: str | None = None
    status: Status = Status.ACTIVE
    valid_until: datetime | None = None
    author: UUID | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is believed and true now."""
        return self.valid_until is None and self.status in {Status.ACTIVE, Status.STALE}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text asserts, as far as rules can tell.

    `words` are lower-cased tokens in order; `content` the stems that carry meaning, without negators, numbers, dates,
    corrections and stop words; `numbers` normalised quantities, versions, dates, weekdays and months (durations in
    seconds); `names` what is surely a name, `openers` sentence-initial capitalised words that may be one;
    `negations` how many negators it holds.
    """

    words: tuple[str, ...]
    stems: frozenset[str]
    content: frozenset[str]
    numbers: frozenset[str]
    names: tuple[str, ...]
    openers: tuple[str, ...]
    negations: int

    @property
    def is_negated(self) -> bool:
        return self.negations % 2 == 1


_WORD: Final = re.compile(r"[^\W_]+(?:[.'’_/+#-][^\W_]+)*[+#]*", re.UNICODE)
_SENTENCE: Final = re.compile(r"(?:^|[.!?:;]\s+|\n)\W*")


_TO_TWENTY: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_SMALL_NUMBERS: Final = {word: number for number, word in enumerate(_TO_TWENTY)} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
}
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "twice": 2, "once": 1, "half": 0.5}
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july",
    "august", "september", "october", "november", "december",
)  # fmt: skip
_CALENDAR: Final = frozenset(
    (*_WEEKDAYS, *(day[:3] for day in _WEEKDAYS), *_MONTHS, *(month[:3] for month in _MONTHS), "weekday", "weekend")
)
_SECONDS: Final = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600,
                   "d": 86400, "day": 86400, "week": 604800}  # fmt: skip
_QUANTITY: Final = re.compile(
    r"""(?P<clock>\b\d{1,2}(?::\d{2})?\s?[ap]\.?m\b|\b\d{1,2}:\d{2}\b)
      | (?P<number>\d+(?:[.,:/-]\d+)*)(?P<ordinal>st|nd|rd|th)?\s?(?P<scale>k\b|%|percent\b|million\b|thousand\b)?""",
    re.VERBOSE | re.IGNORECASE,
)
_DURATION: Final = re.compile(
    r"\b(?:(?P<digits>\d+(?:\.\d+)?)[\s-]?(?P<short>s|secs?|m|mins?|h|hrs?|d)"
    rf"|(?:(?P<amount>\d+(?:\.\d+)?)[\s-]?|(?P<word>an?|{'|'.join(_SMALL_NUMBERS)})[\s-])"
    r"(?P<unit>seconds?|minutes?|hours?|days?|weeks?))\b(?!\s+ago)",
    re.IGNORECASE,
)
_ODD_CASE: Final = re.compile(r"^(?:[A-Z]{2,}\d*s?|\w*[a-z][A-Z]\w*|[A-Z]\w*\d\w*)$")


_GIVING_UP: Final = frozenset((word, "up") for word in ("give", "gives", "gave", "given", "giving"))


@lru_cache(maxsize=8192)
def normalised(text: str) -> str:
    """Case folded, punctuation and repeated white space removed: two texts with the same result are the same claim."""
    return " ".join(word.replace("’", "'") for word in _WORD.findall(text.casefold()))


def claim_hash(text: str) -> str:
    """SHA-256 in hexadecimal of the normalised text: the claim's half of a suppressed (source, claim hash)."""
    return hashlib.sha256(normalised(text).encode("utf-8", "replace")).hexdigest()


def read(text: str, entities: Sequence[str] = ()) -> Reading:
    """Read what `text` asserts; `entities` are names an extractor found in it."""
    return _read(text, tuple(entities))


@lru_cache(maxsize=4096)
def _read(text: str, entities: tuple[str, ...]) -> Reading:
    tokens = [token.replace("’", "'") for token in _WORD.findall(text)]
    words = tuple(token.casefold() for token in tokens)
    numbers, spent = _numbers(text)
    names, openers = _names(text, entities)
    content = frozenset(
        stem(word)
        for word in words
        if word not in STOP_WORDS
        and word not in NEGATORS
        and word not in TENSE_WORDS
        and not _calendar(word, is_capitalised=True)
        and word not in _SMALL_NUMBERS
        and not word[0].isdigit()
        and word not in spent
    )
    return Reading(
        words=words,
        stems=frozenset(stem(word) for word in words),
        content=content,
        numbers=numbers,
        names=names,
        openers=openers,
        negations=_negations(words),
    )


def _negations(words: Sequence[str]) -> int:
    """Negators, with the set phrases that look like one and are none taken out ("not only", "no problem")."""
    count = sum(pair in _GIVING_UP for pair in pairwise(words))
    for word, following in pairwise((*words, "")):
        if word in NEGATORS and not (word in {"not", "no"} and following in {"only", "problem", "matter", "doubt"}):
            count += 1
    return count


def _numbers(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The normalised quantities and the words they were made of."""
    found: set[str] = set()
    spent: set[str] = set()

    def duration(match: re.Match[str]) -> str:
        unit = (match["short"] or match["unit"]).casefold()
        word = (match["word"] or "").casefold()
        amount = float(match["digits"] or match["amount"] or _SMALL_NUMBERS.get(word, 1))
        found.add(f"{amount * _SECONDS[unit if unit in _SECONDS else unit.removesuffix('s')]:g}s")
        spent.add(unit)
        return " "

    rest = _DURATION.sub(duration, text)
    found.update(_quantity(match) for match in _QUANTITY.finditer(rest))
    for token in _WORD.findall(rest):
        word = token.casefold()
        if word in _SMALL_NUMBERS and word != "one":
            found.add(f"{_SMALL_NUMBERS[word]:g}")
        elif word in _ORDINALS:
            found.add(f"{_ORDINALS[word]:g}")
        else:
            found.update(_calendar(word, is_capitalised=token[0].isupper()))
    return frozenset(found), frozenset(spent)


def _calendar(word: str, *, is_capitalised: bool) -> set[str]:
    """A weekday or month by its first three letters; "may" and "march" are verbs too often to count in lower case."""
    singular = word.removesuffix("'s").removesuffix("s") if word not in _CALENDAR else word
    if singular in _CALENDAR and (is_capitalised or singular not in {"may", "mar", "sat", "sun", "march", "wed"}):
        return {singular[:3] if not singular.startswith("week") else singular}
    return set()


def _quantity(match: re.Match[str]) -> str:
    if match["clock"]:
        return _clock(match["clock"])
    number = match["number"]
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", number):
        number = number.replace(",", "")
    scale = (match["scale"] or "").casefold()
    if scale in {"k", "thousand", "million"} and re.fullmatch(r"\d+(?:\.\d+)?", number):
        return f"{float(number) * (1e6 if scale == 'million' else 1e3):.15g}"
    return number.rstrip(".,:/-") + ("%" if scale in {"%", "percent"} else "")


def _clock(text: str) -> str:
    """Minutes since midnight, so that 3pm, 3:00 PM and 15:00 agree."""
    digits = re.findall(r"\d+", text)
    hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
    lowered = text.casefold()
    if "p" in lowered and hour < 12:
        hour += 12
    if "a" in lowered and hour == 12:
        hour = 0
    return f"t{hour * 60 + minute}"


def _names(text: str, entities: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sure names and openers, in order of appearance, case folded."""
    starts = {match.end() for match in _SENTENCE.finditer(text)}
    names: dict[str, None] = {}
    openers: dict[str, None] = {}
    for match in _WORD.finditer(text):
        word = match[0].replace("’", "'").removesuffix("'s")
        folded = word.casefold()
        if not word[:1].isupper() and not _ODD_CASE.match(word):
            continue
        if folded in STOP_WORDS or folded in _CALENDAR or folded in _SMALL_NUMBERS or folded in NEGATORS:
            continue
        (openers if match.start() in starts and not _ODD_CASE.match(word) else names)[folded] = None
    for entity in entities:
        for word in _WORD.findall(entity.casefold()):
            if word not in STOP_WORDS:
                names[word.removesuffix("'s")] = None
                openers.pop(word, None)
    return tuple(names), tuple(openers)


def shares(word: str, other: Reading) -> bool:
    """Whether the other text holds the word, by stem, as a prefix of at least four letters, or as initials."""
    if stem(word) in other.stems:
        return True
    if len(word) >= 4 and any(
        len(known) >= 4 and (known.startswith(word) or word.startswith(known)) for known in other.words
    ):
        return True
    return word in _initials(other.words)


@lru_cache(maxsize=1024)
def _initials(words: tuple[str, ...]) -> frozenset[str]:
    """Acronyms of two to four neighbouring words: "nyc" for new york city."""
    return frozenset(
        "".join(word[0] for word in words[start : start + length])
        for length in (2, 3, 4)
        for start in range(len(words) - length + 1)
    )


def missing_names(first: Reading, second: Reading, *, openers: bool = False) -> tuple[str, ...]:
    """Names of the first text that the second does not hold in any form."""
    candidates = (*first.names, *first.openers) if openers else first.names
    return tuple(name for name in candidates if not shares(name, second))


def names_agree(claim: Reading, stored: Reading) -> bool:
    """Whether both speak of the same names: the claim brings no new one, not as its subject either where the stored
    text has a subject of its own, and not both have one that the other lacks.
    """
    if missing_names(claim, stored):
        return False
    foreign = missing_names(claim, stored, openers=True)
    if foreign and _subject(claim) in foreign and _subject(stored) is not None:
        return False
    return not (foreign and missing_names(stored, claim, openers=True))


def _subject(reading: Reading) -> str | None:
    """The first word where it is, or may be, a name."""
    first = reading.words[0].removesuffix("'s") if reading.words else None
    return first if first in (*reading.openers, *reading.names) else None


def unmatched(reading: Reading, other: Reading) -> frozenset[str]:
    """Content stems without an equal, a synonym or a common beginning in the other text."""
    return frozenset(word for word in reading.content if not any(is_same_word(word, known) for known in other.content))


def alignment(first: Sequence[str], second: Sequence[str]) -> float:
    """How far two word sequences run in the same order: 2·LCS / (m + n), 0..1."""
    if not first or not second:
        return 0.0
    return 2 * _common_subsequence(first, second) / (len(first) + len(second))


def _common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    row = [0] * (len(second) + 1)
    for left in first:
        diagonal = 0
        for position, right in enumerate(second, start=1):
            above = row[position]
            row[position] = diagonal + 1 if left == right else max(above, row[position - 1])
            diagonal = above
    return row[-1]
