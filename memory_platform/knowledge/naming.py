"""The names a parsed text holds: what its grammar treats as a name, what the reader recognised, what machines write,
and which two of them it says are one's.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from memory_platform.knowledge.entities import EntityForm, FoundName, is_calendar, written
from memory_platform.text.addressing import VOCATIVE
from memory_platform.text.parse import Named, Parse, Sentence, Token

_NO_ENTITY: Final = frozenset({"DATE", "MONEY", "NUMBER"})
_NOMINAL: Final = frozenset({"PROPN", "NOUN", "ADJ", "X", "NUM", "VERB", "ADV"})
_INSIDE: Final = frozenset({"of", "de", "du", "la", "le", "van", "von", "der", "the", "and", "&", "-", "'", "’", "."})
_PARTS_OF_NAMES: Final = frozenset({"compound", "flat", "nmod", "amod", "nummod", "punct", "appos", "poss"})
_LINKS: Final = frozenset({"compound", "flat"})
_HYPHENS: Final = frozenset({"-", "–"})
_TITLES: Final = frozenset({"mr", "mrs", "ms", "mr.", "mrs.", "ms.", "dr", "dr.", "prof", "prof.", "sir"})
_OPENERS: Final = frozenset({"PUNCT", "INTJ", "SYM", "SPACE", "CCONJ"})
_WORD: Final = re.compile(r"[^\W\d_][\w&.'’+/#-]+")
LONGEST_RUN: Final = 8
"""Words of a name; what is longer is a heading."""
_ALSO: Final = re.compile(
    r"\s*+[,(]?\s*+(?:aka|a\.k\.a\.|alias|(?:(?:is|was)?\s*+(?:also|better)\s++)?known as|(?:who )?goes by"
    r"|(?:is )?short for|née|dit|dite)\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class OtherName:
    """Two names a text says are one's: "Anna Berg, aka Annie"."""

    name: str
    other: str


def names(parse: Parse, *, known: Collection[str] = ()) -> tuple[FoundName, ...]:
    """Every occurrence of a name in order, none inside another; `known` are names of people who take part in the talk.

    A capital that opens a sentence makes a word a name only if the dictionary does not hold it, the reader recognised
    it, or it is known. Whom a sentence only speaks to it says nothing of: that is none unless it is known. Times,
    amounts and what stands in a sentence without grammar are none, but for what machines write. Takes time in
    proportion to the length of the text.
    """
    return _named(written(parse.text), parse.sentences, parse, known)


def names_in(sentence: Sentence, parse: Parse, *, known: Collection[str] = ()) -> tuple[FoundName, ...]:
    """The names of one sentence of a parse; places are those of the whole text."""
    by_machines = [replace(one, start=sentence.start + one.start) for one in written(sentence.text)]
    return _named(by_machines, [sentence], parse, known)


def _named(
    by_machines: Sequence[FoundName], sentences: Sequence[Sentence], parse: Parse, known: Collection[str]
) -> tuple[FoundName, ...]:
    found = list(by_machines)
    taken = _Taken(found)
    folded = {name.casefold() for name in known}
    labels = _Labels(parse.names)
    for sentence in sentences:
        for one in _of_sentence(sentence, parse.text, labels, folded):
            if taken.is_free(one):
                taken.add(one)
                found.append(one)
    return tuple(sorted(found, key=lambda one: one.start))


def other_names(parse: Parse, names: Sequence[FoundName]) -> tuple[OtherName, ...]:
    """Which of the `names` the text says are one's: "Anna Berg, aka Annie", "Robert goes by Bob"."""
    return tuple(
        OtherName(first.name, second.name)
        for first, second in pairwise(names)
        if _ALSO.fullmatch(parse.text, first.end, second.start) and first.name.casefold() != second.name.casefold()
    )


class _Taken:
    """The characters of the text that belong to a name already."""

    def __init__(self, found: Sequence[FoundName]) -> None:
        self._places: set[int] = set()
        for one in found:
            self.add(one)

    def add(self, one: FoundName) -> None:
        self._places.update(range(one.start, one.end))

    def is_free(self, one: FoundName) -> bool:
        return self._places.isdisjoint(range(one.start, one.end))


class _Labels:
    """What the reader recognised, by character."""

    def __init__(self, recognised: Sequence[Named]) -> None:
        self._at = {place: one for one in recognised for place in range(one.start, one.start + len(one.text))}

    def at(self, token: Token) -> str:
        one = self._at.get(token.start)
        return one.label if one else ""

    def reach(self, token: Token) -> tuple[int, int]:
        one = self._at.get(token.start)
        return (one.start, one.start + len(one.text)) if one else (token.start, token.end)


def _of_sentence(sentence: Sentence, text: str, labels: _Labels, known: Collection[str]) -> Iterator[FoundName]:
    tokens = sentence.tokens
    opening = next((place for place, token in enumerate(tokens) if token.part not in _OPENERS), 0)
    place = 0
    while place < len(tokens):
        if not _begins(sentence, place, opening, labels, known):
            place += 1
            continue
        end = _end(sentence, place, labels)
        if not _is_only_addressed(sentence, range(place, end), known):
            yield _found(tokens[place:end], text, labels)
        place = end


def _is_only_addressed(sentence: Sentence, run: range, known: Collection[str]) -> bool:
    words = [sentence.tokens[place] for place in run]
    return any(word.relation == VOCATIVE for word in words) and not any(word.text.casefold() in known for word in words)


def _found(run: Sequence[Token], text: str, labels: _Labels) -> FoundName:
    titles = [at for at, token in enumerate(run[:-1]) if token.text.casefold() in _TITLES]
    first = titles[-1] + 1 if titles else 0
    start, end = run[first].start, run[-1].end
    label = labels.at(run[-1]) or labels.at(run[0])
    label = "PERSON" if first else "" if label in _NO_ENTITY else label
    return FoundName(text[start:end].removesuffix("."), EntityForm.NAME, start, label)


def _begins(sentence: Sentence, place: int, opening: int, labels: _Labels, known: Collection[str]) -> bool:
    token, label = sentence.tokens[place], labels.at(sentence.tokens[place])
    folded = token.text.casefold()
    if folded in known or (place != opening and _counts_name(sentence, place)):
        return True
    if not _is_nominal(token, label) or (label in _NO_ENTITY and token.is_ordinary):
        return False
    if _is_unit(sentence, place) or not any(map(str.isupper, token.text)) or not _WORD.fullmatch(token.text):
        return False
    if is_calendar(token.text) or (folded in _TITLES and not _precedes_name(sentence, place)):
        return False
    if place != opening and token.text[:1].islower() and token.text[1:].islower():
        return False
    return _is_name(sentence, place, label, is_opening=place == opening)


def _is_nominal(token: Token, label: str) -> bool:
    """Whether a word may be a name by its part of speech; "Hey" and the "Definitely" of "Definitely Kafka" may not."""
    if token.part == "INTJ":
        return bool(label)
    return token.part in _NOMINAL and not (token.part == "ADV" and token.is_ordinary)


def _counts_name(sentence: Sentence, place: int) -> bool:
    """Whether a number is the first word of a name: "Two Oceans Rest"."""
    token = sentence.tokens[place]
    return token.part == "NUM" and token.text.istitle() and token.head > place and _precedes_name(sentence, place)


def _is_unit(sentence: Sentence, place: int) -> bool:
    """Whether a short word stands behind its number: "45 Nm"."""
    token, before = sentence.tokens[place], sentence.tokens[place - 1] if place else None
    return before is not None and before.part == "NUM" and before.head == place and len(token.text) <= 3


def _precedes_name(sentence: Sentence, place: int) -> bool:
    following = sentence.tokens[place + 1 : place + 2]
    return bool(following) and following[0].part == "PROPN" and following[0].text[:1].isupper()


def _is_name(sentence: Sentence, place: int, label: str, *, is_opening: bool) -> bool:
    token = sentence.tokens[place]
    if token.relation in _LINKS and token.head == place + 1 and _precedes_name(sentence, place):
        return True
    if (
        token.part == "NOUN"
        and token.text.isupper()
        and token.relation not in _LINKS
        and _precedes_name(sentence, place)
    ):
        return False
    is_odd = not token.text[1:].islower() and len(token.text) > 1
    if is_odd and (token.part == "PROPN" or (label and not token.is_ordinary)):
        return True
    if not is_opening:
        return token.part == "PROPN" or (bool(label) and token.part == "ADJ") or not token.is_ordinary
    if token.part not in {"PROPN", "NOUN"}:
        return token.part in {"ADJ", "X"} and not token.is_ordinary and bool(label)
    goes_on = place + 1 < len(sentence.tokens) and _continues(sentence, place + 1)
    return not token.is_ordinary or (token.part == "PROPN" and (bool(label) or goes_on))


def _continues(sentence: Sentence, place: int) -> bool:
    """Whether a capitalised word carries on the name before it."""
    token, before = sentence.tokens[place], sentence.tokens[place - 1]
    is_linked = before.head == place and before.relation in _LINKS
    follows = token.head == place - 1 and token.relation in _PARTS_OF_NAMES
    shares_head = before.head == token.head and before.relation in _LINKS and token.relation in _LINKS
    return token.text[:1].isupper() and token.part == "PROPN" and (is_linked or follows or shares_head)


def _end(sentence: Sentence, place: int, labels: _Labels) -> int:
    """Where the name that begins at a token ends: as far as the reader or the grammar takes it."""
    tokens = sentence.tokens
    end = place + (2 if tokens[place].text.casefold() in _TITLES else 1)
    _, reach = labels.reach(tokens[end - 1])
    while end < len(tokens) and end - place < LONGEST_RUN:
        token, before = tokens[end], tokens[end - 1]
        is_glued = token.start == before.end and token.text not in {",", ";", ":", "'s", "’s", ")", "]", '"', "”"}
        if token.text in _HYPHENS and is_glued and end + 1 < len(tokens) and tokens[end + 1].start == token.end:
            end += 2
        elif (
            (token.end <= reach and _fits(token))
            or (_continues(sentence, end) and not labels.at(token))
            or _is_number_of(sentence, end)
        ):
            end += 1
        else:
            break
    while end > place + 1 and not _closes(tokens[end - 1]):
        end -= 1
    return end


def _fits(token: Token) -> bool:
    is_capital = token.text[:1].isupper() or token.text[:1].isdigit()
    return is_capital or token.text.casefold() in _INSIDE


def _is_number_of(sentence: Sentence, place: int) -> bool:
    """Whether a number belongs to the name before it: "PostgreSQL 17"."""
    token = sentence.tokens[place]
    return token.part == "NUM" and token.text.replace(".", "").isdigit() and token.head == place - 1


def _closes(token: Token) -> bool:
    return any(letter.isalnum() for letter in token.text) and token.text.casefold() not in _INSIDE
