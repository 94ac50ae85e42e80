"""A language's forms of dates as one pattern, and what it finds in a text."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from memory_platform.text.dates.spans import Direction, Span

Parts: TypeAlias = Mapping[str, str]
"""What the groups of a form matched, in lower case and with single spaces; empty for any other name."""


@dataclass(frozen=True, slots=True)
class PhrasePlace:
    """A phrase where it stands: its words as written and a few before it, the day it was said on, the preposition that
    governs it.

    `is_day_first` is the order where a date is all numbers; `towards` says where the clause makes the phrase point.
    """

    words: str
    before: str
    said: date
    is_day_first: bool
    preposition: str
    towards: Callable[[], Direction] = field(repr=False)


Reader: TypeAlias = Callable[[Parts, PhrasePlace], Span | None]
"""Returns None where it is unsure; may raise ValueError or OverflowError for what is in no calendar."""


class Form(NamedTuple):
    """One way to name a date. A space of `pattern` is any short white space; `reader` is None for what is no date.

    `is_from_today`: it says how far from the day it is said, which no name of a day that comes back does.
    """

    name: str
    pattern: str
    reader: Reader | None
    is_from_today: bool = False


@dataclass(frozen=True, slots=True)
class NamedDate:
    """A phrase from `start` to `end` of a text and what it means."""

    start: int
    end: int
    preposition: str
    span: Span
    is_from_today: bool = False


Towards: TypeAlias = Callable[[int, int, str], Direction]
"""Where a phrase from one place of the text to another points, and the preposition that governs it."""

_LOOKED_BACK: Final = 32
_WORD_BEFORE: Final = re.compile(
    r"(?:(?P<is>\b(?:it|that|there|he|she|when|what)['’]s)|(?P<word>[^\W\d_]{1,12}))\s{1,3}"
    r"(?:(?:the|about|around|approximately|roughly)\s{1,3})?\Z",
    re.IGNORECASE,
)


class Grammar:
    """Forms are tried in their order at every word; text is read once, whatever stands in it."""

    def __init__(self, forms: Sequence[Form], prepositions: frozenset[str]) -> None:
        self._prepositions = prepositions
        self._forms = {f"as_{form.name}": form for form in forms}
        alternatives = "|".join(f"(?P<as_{form.name}>{_own_groups(form)})" for form in forms)
        self._pattern = re.compile(rf"(?<![\w#@/-])(?:{alternatives})", re.IGNORECASE)
        self._groups = {name: self._groups_of(form) for name, form in self._forms.items()}

    def named(self, text: str, said: date, *, towards: Towards, is_day_first: bool) -> Iterator[NamedDate]:
        """The dates of a text, in order."""
        for match in self._pattern.finditer(text):
            form = self._forms[match.lastgroup or ""]
            if form.reader is None:
                continue
            preposition = self._preposition(match)
            where = partial(towards, match.start(), match.end(), preposition)
            place = PhrasePlace(match[0], _before(match), said, is_day_first, preposition, where)
            span = _read(form.reader, self._parts(match), place)
            if span is not None:
                yield NamedDate(match.start(), match.end(), preposition, span, form.is_from_today)

    def _preposition(self, match: re.Match[str]) -> str:
        """The word a phrase opens with or follows, if it is a preposition."""
        own = match[0].split(maxsplit=1)[0].casefold()
        if own in self._prepositions:
            return own
        before = _WORD_BEFORE.search(_before(match))
        word = "" if before is None else "is" if before["is"] else before["word"].casefold()
        return word if word in self._prepositions else ""

    def _groups_of(self, form: Form) -> tuple[tuple[str, str], ...]:
        opening = f"{form.name}__"
        return tuple(
            (name.removeprefix(opening), name) for name in self._pattern.groupindex if name.startswith(opening)
        )

    def _parts(self, match: re.Match[str]) -> Parts:
        groups = self._groups[match.lastgroup or ""]
        return defaultdict(
            str, {short: " ".join(match[name].casefold().split()) for short, name in groups if match[name]}
        )


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - _LOOKED_BACK) : match.start()]


def _own_groups(form: Form) -> str:
    """The pattern with names of groups that no other form has."""
    pattern = form.pattern.replace(" ", r"(?:\s{1,3})")
    return pattern.replace("(?P<", f"(?P<{form.name}__").replace("(?P=", f"(?P={form.name}__")


def _read(reader: Reader, parts: Parts, place: PhrasePlace) -> Span | None:
    try:
        return reader(parts, place)
    except (ValueError, OverflowError):
        return None
