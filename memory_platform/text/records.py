"""What structured text states of what: things that an identifier names, and the attributes a machine gives them."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from memory_platform.model import Slot
from memory_platform.text import secret
from memory_platform.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class RecordSubject:
    """A thing as a record names it ("order 4711") and its identifier; both empty where nothing names it."""

    name: str = ""
    identifier: str = ""

    @property
    def qualifier(self) -> str:
        """The identifier as slots compare it; letters that fold to two make it no longer than a slot may be."""
        return self.identifier.casefold()[:LONGEST]


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """One statement of a structured text: `text` as "subject: attribute value" or, where nothing names the thing,
    "attribute: value"; `quote` the stretch of the source it stands in.

    What a value says in more than a few words is a `text` of its own (`is_prose`) behind its `lead_in`. `slot` is what
    a record states of a thing that is named; None of any other.
    """

    text: str
    quote: str
    lead_in: str = ""
    slot: Slot | None = None
    is_prose: bool = False

    @property
    def in_context(self) -> str:
        """The text behind its lead-in."""
        return f"{self.lead_in}: {self.text}" if self.lead_in else self.text

    @property
    def is_record(self) -> bool:
        """Whether it states an attribute of a thing that is named."""
        return self.slot is not None and bool(self.slot.subject)


@dataclass(frozen=True, slots=True)
class Stated:
    """A value as it was found. `place` orders what is told first: shallow before deep, of each thing its first
    attribute before the second of any. `is_state`: the attribute has this one value. `is_row`: the value is a whole
    row, told side by side. `source` is the line it stands in, where it is known.
    """

    subject: RecordSubject
    attribute: str
    value: str
    place: tuple[int, int] = (0, 0)
    is_state: bool = True
    is_row: bool = False
    source: str = ""

    @property
    def is_prose(self) -> bool:
        return not self.is_row and _is_prose(self.value)

    @property
    def sentences(self) -> "list[Stated]":
        """Each sentence of a text by itself, so that what one of them says, or tries, is no matter of the others'."""
        return [replace(self, value=one) for one in _sentences(self.value)] if self.is_prose else [self]

    def under_short_names(self) -> "Stated":
        """As it is, but that long names, repeated before each of many small values, are not many times the text."""
        named = RecordSubject(self.subject.name[:_LONGEST_IDENTIFIER], self.subject.identifier)
        return replace(self, subject=named, attribute=self.attribute[:_LONGEST_IDENTIFIER])

    def entry(self, quote: str) -> RecordEntry:
        name, attribute = self.subject.name, self.attribute
        if self.is_prose:
            lead_in = f"{name}: {attribute}" if name else attribute
            slot = Slot(qualifier=self.subject.qualifier) if name else None
            return RecordEntry(self.value, quote, lead_in, slot, is_prose=True)
        if not name:
            return RecordEntry(f"{attribute}: {self.value}" if attribute else self.value, quote)
        state = Slot(name, attribute, self.value, self.subject.qualifier)
        return RecordEntry(state.spelled, quote, slot=state if self.is_state else None)


NOTHING: Final = RecordSubject()
DEEPEST: Final = 6
"""Keys that name an attribute, the first of those that lead to it."""
LONGEST: Final = 200
"""Characters of a statement; of a key or value that is longer no more is looked at than shows it."""
_MOST_WORDS: Final = 3
_LONGEST_IDENTIFIER: Final = 60
_IDENTIFYING: Final = (("id",), ("uuid",), ("key",), ("sku",), ("slug",), ("name", "number"))
"""Last words of keys whose values name the thing by the usage of interfaces, the surest first."""
_NUMBERED: Final = re.compile(r"#?\d{4,12}|#\d{1,12}|[A-Za-z]{1,12}[-_#]\d{1,12}")
_WORDS: Final = re.compile(r"(?<=[^\W\d_])_+(?=[^\W\d_])")
_HUMPS: Final = re.compile(r"[a-z]{2,}(?=[A-Z])(?:(?:[A-Z]{2,})?[A-Z][a-z]+)*(?:[A-Z]{2,})?")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Number(str):
    """A number of JSON in the digits it was written in."""

    __slots__ = ()


def printable(text: str) -> str:
    """On one line, without what an escape can spell and no database or model takes: NUL and lone surrogates."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def words(key: str) -> str:
    """A key as words: `order_id` and `orderId`; what else is written together stays so."""
    shown = printable(key[: LONGEST + 1])
    return _HUMP.sub(" ", shown) if _HUMPS.fullmatch(shown) else _WORDS.sub(" ", shown)


def identifying(pairs: Sequence[tuple[str, str]]) -> int | None:
    """Which of a thing's keys, as words, and values names it: by its key, or as the first one that numbers it."""
    for endings in _IDENTIFYING:
        for place, (key, value) in enumerate(pairs):
            if key.casefold().rpartition(" ")[2] in endings and _may_identify(value):
                return place
    return 0 if pairs and _NUMBERED.fullmatch(pairs[0][1]) else None


def subject(key: str, value: str, *, kind: str = "", within: RecordSubject = NOTHING) -> RecordSubject:
    """The thing that the value of a key names: of the `kind` that the key, or else where it lies, says it is."""
    rest, _, last = key.rpartition(" ")
    is_usual = any(last.casefold() in endings for endings in _IDENTIFYING)
    noun = (rest or kind or (key if last.casefold() != "name" else "")) if is_usual else key
    # No statement that is kept holds a name as long as where it is cut.
    name = f"{within.name} {noun} {value}" if within.name else f"{noun} {value}".strip()
    return RecordSubject(name[: LONGEST + 1], f"{within.identifier} {value}".strip()[: LONGEST + 1])


def of_pairs(pairs: Sequence[tuple[str, str, str]]) -> Iterator[Stated]:
    """What the lines of a block, each with its key and value, state together."""
    own = [(words(key), printable(value)) for key, value, _ in pairs]
    which = identifying(own) if len(own) > 1 else None
    yield from _of_thing(own, which, [line for _, _, line in pairs])


def of_table(header: Sequence[str], rows: Sequence[tuple[Sequence[str], str]]) -> Iterator[Stated]:
    """What the rows, each with the line it stands in, state under their header: of the thing that a column names."""
    keys = [words(cell) for cell in header]
    which = identifying([(key, rows[0][0][place]) for place, key in enumerate(keys)])
    if which is None and len(rows) > 1 and len({cells[0] for cells, _ in rows}) == len(rows):
        which = 0
    for cells, line in rows:
        if not any(cells):
            continue
        pairs = [(key, printable(cell)) for key, cell in zip(keys, cells, strict=True)]
        if which is not None and _may_identify(pairs[which][1]):
            yield from _of_thing(pairs, which, [line] * len(pairs))
        else:
            together = ", ".join(f"{key}: {cell}" for key, cell in pairs if cell)
            yield Stated(NOTHING, "", together, source=line, is_row=True)


def of_json(values: Sequence[Any]) -> list[Stated]:
    """Every value that says something, in the order in which they are told."""
    waiting = deque((value, _Way()) for value in values)
    found: list[Stated] = []
    names: list[tuple[RecordSubject, Stated]] = []
    while waiting:
        held, way = waiting.popleft()
        if isinstance(held, dict):
            inner, naming = _inside(held, way)
            waiting.extend((one, inner.into(key)) for key, one in held.items() if _is_nested(one))
            found += _of_object(held, inner, naming)
            if naming is not None:
                value = _plain(held[naming])
                names.append((inner.subject, Stated(way.subject, " ".join(way.into(naming).keys), value)))
        else:
            several = held if isinstance(held, list) else [held]
            waiting.extend((one, way) for one in several if isinstance(one, (dict, list)))
            plain = [one for one in several if not isinstance(one, (dict, list))]
            found += _of_list(plain, way.subject, " ".join(way.keys), (way.depth, 0))
    return sorted([*found, *_untold(names, found)], key=lambda one: one.place)


def _untold(names: Sequence[tuple[RecordSubject, Stated]], found: Sequence[Stated]) -> Iterator[Stated]:
    """The names, inner ones last, of things of which nothing else is told."""
    told = {one.subject.name for one in found}
    for named, name in reversed(names):
        if named.name not in told:
            yield name
        told.add(name.subject.name)


@dataclass(frozen=True, slots=True)
class _Way:
    """How a value of JSON is reached: the keys since the last thing that was named, and that thing."""

    keys: tuple[str, ...] = ()
    subject: RecordSubject = NOTHING
    depth: int = 0

    def into(self, key: str) -> "_Way":
        return _Way((*self.keys, words(key))[:DEEPEST], self.subject, self.depth + 1)


def _is_nested(value: Any) -> bool:
    """Whether a value holds others than plain ones."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value))


def _inside(held: Mapping[str, Any], way: _Way) -> tuple[_Way, str | None]:
    """The way on from an object, which may name a thing of its own, and the key that names it."""
    named = [(key, text) for key, one in held.items() if (text := _plain(one))]
    pairs = [(words(key), text) for key, text in named]
    which = identifying(pairs) if len(held) > 1 else None
    if which is None:
        return way, None
    kind = way.keys[-1] if way.keys else ""
    return _Way((), subject(*pairs[which], kind=kind, within=way.subject), way.depth), named[which][0]


def _of_object(held: Mapping[str, Any], way: _Way, naming: str | None) -> Iterator[Stated]:
    for rank, (key, one) in enumerate(held.items()):
        if key != naming and not _is_nested(one):
            values = one if isinstance(one, list) else [one]
            yield from _of_list(values, way.subject, " ".join(way.into(key).keys), (way.depth, rank))


def _of_list(values: Sequence[Any], named: RecordSubject, attribute: str, place: tuple[int, int]) -> list[Stated]:
    """The plain values of an attribute: together they are one value, unless they are texts."""
    shown = [text for one in values if (text := _shown(one))]
    if any(map(_is_prose, shown)):
        return [Stated(named, attribute, text, place, is_state=len(shown) == 1) for text in shown]
    return [Stated(named, attribute, ", ".join(shown), place)] if shown else []


def _is_prose(text: str) -> bool:
    return len(text.split(maxsplit=_MOST_WORDS)) > _MOST_WORDS


def _sentences(text: str) -> list[str]:
    """The sentences of a text; one of a few words is no text of its own and stays with its neighbour."""
    found: list[str] = []
    for span in sentences(text):
        if found and not (_is_prose(span.text) and _is_prose(found[-1])):
            found[-1] = f"{found[-1]} {span.text}"
        else:
            found.append(span.text)
    return found


def _of_thing(pairs: Sequence[tuple[str, str]], which: int | None, lines: Sequence[str]) -> Iterator[Stated]:
    if not any(value for place, (_, value) in enumerate(pairs) if place != which):
        which = None
    named = NOTHING if which is None else subject(*pairs[which])
    for rank, ((key, value), line) in enumerate(zip(pairs, lines, strict=True)):
        if rank != which and value:
            yield Stated(named, key, value, (0, rank), source=line)


def _may_identify(value: str) -> bool:
    return 0 < len(value) <= _LONGEST_IDENTIFIER and secret.MARK not in value and len(value.split()) <= _MOST_WORDS


def _plain(value: Any) -> str:
    """A value that may name a thing, as text: a string or a whole number."""
    is_whole = isinstance(value, Number) and value.lstrip("-").isdigit()
    return printable(value) if is_whole or (isinstance(value, str) and not isinstance(value, Number)) else ""


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else printable(str(value))
