"""What of a text is not prose: code, and what machines write as JSON, tables, or a key and a value a line."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from memory_platform.text import records
from memory_platform.text.records import Number, RecordEntry, Stated


class ContentType(StrEnum):
    """What a text is, as far as its structure tells."""

    JSON = "application/json"
    CSV = "text/csv"
    MARKDOWN = "text/markdown"
    PLAIN = "text/plain"


@dataclass(frozen=True, slots=True)
class Structured:
    """A text taken apart: its `entries`, `left` the statements beyond them, under names cut short, and `prose` the text
    with code and all that was read as entries blanked, so that what is left keeps its place.
    """

    prose: str
    entries: tuple[RecordEntry, ...] = ()
    left: tuple[RecordEntry, ...] = ()


MOST_ENTRIES: Final = 8
"""Entries read of one text; what a machine prints beyond that is no list of facts."""
LONGEST_ENTRY: Final = records.LONGEST
_WORDS_BEFORE: Final = 12
"""Words that may lead in what a machine wrote: "The lookup returned"."""
_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PROMPT: Final = re.compile(r"^[ \t]*(?:\$|>>>|#>)[ \t].*$", re.MULTILINE)
_KEY: Final = re.compile(
    r"^[ \t]*+(?:[-*][ \t]*+)?(?P<key>[A-Za-z_][\w .()/-]{0,48}?)[ \t]*(?:=|:)"
    r"[ \t]++(?P<value>\S(?:.*[^ \t\n])?)[ \t]*$",
    re.MULTILINE,
)
_ASSIGNED: Final = re.compile(
    r"^[ \t]*(?P<key>[A-Za-z_][\w.-]{0,48})[ \t]*=[ \t]*+(?P<value>\S(?:.*[^ \t\n])?)[ \t]*$", re.MULTILINE
)
_CELLS: Final = re.compile(r"\s*\|\s*|\t+|\s{2,}")
_RULE: Final = re.compile(r"^[\s|+=-]+$")
_VISIBLE: Final = re.compile(r"[^\n]")
_NEXT_VALUE: Final = re.compile(r"[\s,]*(?P<mark>[{\[])")
_TABLE: Final = re.compile(r"^[ \t]*\|.*\|[ \t]*\n[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$", re.MULTILINE)
_SEPARATORS: Final = ",;"
_HEADING: Final = re.compile(r"\w[\w .#%/-]{0,39}")
_FEWEST_LINES: Final = 2
# Numbers stay in the digits they were written in; what is no number says nothing.
_DECODER: Final = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=lambda _: None)


def blanked(text: str) -> str:
    """The text with code blanked, so that what is left keeps its place."""
    return _FENCE.sub(lambda match: _cut(match[0]), text) if "```" in text else text


def content_type(text: str) -> ContentType:
    """What the whole of a text is; takes time in proportion to its length."""
    values, start, end = _json(text)
    if values and not (text[:start] + text[end:]).strip():
        return ContentType.JSON
    if _comma_separated(text):
        return ContentType.CSV
    return ContentType.MARKDOWN if _TABLE.search(text) else ContentType.PLAIN


def taken_apart(text: str) -> Structured:
    """What a machine wrote of the text, JSON or else tables, lines of keys and values and commands, told from prose.

    Lines are read only where a machine wrote most of them. Nothing but code is lost: what no entry holds is in `prose`
    or, from the entry behind the first MOST_ENTRIES on or where one is longer than LONGEST_ENTRY, in `left`. Takes time
    in proportion to the length of the text.
    """
    values, start, end = _json(text)
    if values:
        return _limited(text[:start] + _cut(text[start:end]) + text[end:], records.of_json(values), text)
    if table := _comma_separated(text):
        return _limited(_blank(text), records.of_table(*table), text)
    prose = blanked(text)
    if not _is_written_by_machine(prose):
        return Structured(prose)
    lines = prose.splitlines(keepends=True)
    kept = "".join(_blank(line) if _is_machine_line(line) else line for line in lines)
    return _limited(kept, sorted(_of_lines(lines), key=lambda one: one.place), text)


def _cut(text: str) -> str:
    """Blanked, and parting what stands before from what stands behind: they are no one sentence."""
    return "\n" + _blank(text[1:])


def _blank(text: str) -> str:
    return _VISIBLE.sub(" ", text)


def _limited(prose: str, found: Iterable[Stated], text: str) -> Structured:
    kept: dict[str, RecordEntry] = {}
    left: dict[str, RecordEntry] = {}
    # A text inside a value is somebody's words, held at best: it takes no place of an attribute.
    for stated in sorted((part for one in found for part in one.sentences), key=lambda one: one.is_prose):
        entry = stated.entry(stated.source)
        whole = entry.in_context
        if len(whole) <= LONGEST_ENTRY and len(kept) < MOST_ENTRIES:
            kept.setdefault(whole, entry if entry.quote else stated.entry(_quote(stated.value, text)))
        elif whole not in kept:
            left.setdefault(whole, stated.under_short_names().entry(""))
    return Structured(prose, tuple(kept.values()), tuple(left.values()))


def _quote(value: str, text: str) -> str:
    return value if value in text else text[:LONGEST_ENTRY]


def _is_written_by_machine(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    machine = sum(_is_machine_line(line) for line in lines)
    return len(lines) > 1 and machine * 2 >= len(lines)


def _is_machine_line(line: str) -> bool:
    return bool(_PROMPT.match(line) or _RULE.match(line) or _KEY.match(line) or _ASSIGNED.match(line) or _is_row(line))


def _is_row(line: str) -> bool:
    return len(_cells(line)) > 1


def _json(text: str) -> tuple[list[Any], int, int]:
    """The JSON values that follow each other in a text, and the span they fill; a "[1]" in a sentence is none."""
    start = min((place for mark in "{[" if (place := text.find(mark)) >= 0), default=-1)
    if start < 0 or len(text[:start].split()) > _WORDS_BEFORE:
        return [], 0, 0
    values: list[Any] = []
    end = start
    while (opening := _NEXT_VALUE.match(text, end)) is not None:
        try:
            value, behind = _DECODER.raw_decode(text, opening.start("mark"))
        except (ValueError, RecursionError):
            break
        values.append(value)
        end = behind
    is_whole = not text[:start].strip() and not text[end:].strip()
    return (values, start, end) if is_whole or any(map(_is_nested, values)) else ([], 0, 0)


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value))


def _comma_separated(text: str) -> tuple[Sequence[str], list[tuple[Sequence[str], str]]] | None:
    """The header and the rows, each with its line, of a text that is nothing but such a table."""
    lines = [line for line in text.splitlines() if line.strip()]
    separator = next((mark for mark in _SEPARATORS if lines and mark in lines[0]), None)
    if separator is None or len(lines) < _FEWEST_LINES:
        return None
    try:
        rows = list(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error:
        return None
    header = rows[0]
    is_even = len(rows) == len(lines) and all(len(row) == len(header) and not _is_written(row) for row in rows)
    is_table = is_even and any(map(any, rows[1:]))
    is_headed = all(_HEADING.fullmatch(cell) for cell in header)
    return (header, list(zip(rows[1:], lines[1:], strict=True))) if is_table and is_headed else None


def _is_written(cells: Sequence[str]) -> bool:
    """Whether people set the marks between the cells: they put a space behind them."""
    return any(cell[:1].isspace() for cell in cells[1:])


def _of_lines(lines: Sequence[str]) -> Iterator[Stated]:
    """What blocks of keys and values and tables state; an empty line parts them."""
    pairs: dict[str, tuple[str, str]] = {}
    rows: list[tuple[Sequence[str], str]] = []
    for line in [*lines, ""]:
        stripped = line.strip()
        if stripped and (_RULE.match(line) or _PROMPT.match(line)):
            continue
        match = _KEY.match(line) or _ASSIGNED.match(line)
        cells = [] if match else _cells(line)
        if pairs and (match is None or match["key"].strip() in pairs):
            yield from _of_block(pairs)
            pairs = {}
        if rows and (match is not None or not stripped):
            yield from _of_rows(rows)
            rows = []
        if match:
            pairs[match["key"].strip()] = (_unquoted(match["value"]), stripped)
        elif len(cells) > 1:
            rows.append((cells, stripped))


def _of_block(pairs: Mapping[str, tuple[str, str]]) -> Iterator[Stated]:
    return records.of_pairs([(key, value, line) for key, (value, line) in pairs.items()])


def _of_rows(rows: Sequence[tuple[Sequence[str], str]]) -> Iterator[Stated]:
    """A table's rows under its header, the first where bars part the cells; what does not fit it stands by itself."""
    header = rows[0][0] if "|" in rows[0][1] else ()
    fitting = [(cells, line) for cells, line in rows[1:] if "|" in line and len(cells) == len(header)]
    if fitting:
        yield from records.of_table(header, fitting)
    for cells, line in rows:
        if not fitting or "|" not in line or len(cells) != len(header):
            yield Stated(records.NOTHING, "", records.printable(" ".join(cells)), source=line, is_row=True)


def _cells(line: str) -> list[str]:
    return [cell for cell in _CELLS.split(line.strip().strip("|").strip()) if cell]


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
