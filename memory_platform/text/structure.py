"""What of a text is not prose: code, and what machines write as JSON, tables, or a key and a value a line."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement of a structured text: `text` as "key: value", `quote` the stretch of the source it stands in."""

    text: str
    quote: str


@dataclass(frozen=True, slots=True)
class Structured:
    """A text taken apart: its `entries`, `left` the statements beyond them, a line each, and `prose` the text with code
    and all that was read as entries blanked, so that what is left keeps its place.
    """

    prose: str
    entries: tuple[Entry, ...] = ()
    left: str = ""


MOST_ENTRIES: Final = 24
"""Entries read of one text; what a machine prints beyond that is no list of facts."""
LONGEST_ENTRY: Final = 200
_DEEPEST: Final = 6
_WORDS_BEFORE: Final = 12
"""Words that may lead in what a machine wrote: "The lookup returned"."""
_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PROMPT: Final = re.compile(r"^[ \t]*(?:\$|>>>|#>)[ \t].*$", re.MULTILINE)
_KEY: Final = re.compile(
    r"^[ \t]*[-*]?[ \t]*(?P<key>[A-Za-z_][\w .()/-]{0,48}?)[ \t]*(?:=|:)[ \t]+(?P<value>\S.*?)[ \t]*$", re.MULTILINE
)
_ASSIGNED: Final = re.compile(
    r"^[ \t]*(?P<key>[A-Za-z_][\w.-]{0,48})[ \t]*=[ \t]*(?P<value>\S.*?)[ \t]*$", re.MULTILINE
)
_CELLS: Final = re.compile(r"\s*\|\s*|\t+|\s{2,}")
_RULE: Final = re.compile(r"^[\s|+=-]+$")
_VISIBLE: Final = re.compile(r"[^\n]")
_NEXT_VALUE: Final = re.compile(r"[\s,]*(?P<mark>[{\[])")


def blanked(text: str) -> str:
    """The text with code blanked, so that what is left keeps its place."""
    return _FENCE.sub(lambda match: _cut(match[0]), text) if "```" in text else text


def taken_apart(text: str) -> Structured:
    """What a machine wrote of the text, JSON or else lines of keys and values, cells and commands, told from prose.

    Lines are read only where a machine wrote most of them. Nothing but code is lost: what no entry holds is in `prose`
    or, from the entry behind the first MOST_ENTRIES on or where one is longer than LONGEST_ENTRY, in `left`. Takes time
    in proportion to the length of the text.
    """
    values, start, end = _json(text)
    if values:
        return _limited(text[:start] + _cut(text[start:end]) + text[end:], _of_json(values, text))
    prose = blanked(text)
    if not _is_written_by_machine(prose):
        return Structured(prose)
    lines = prose.splitlines(keepends=True)
    kept = "".join(_blank(line) if _is_machine_line(line) else line for line in lines)
    return _limited(kept, _of_lines(lines))


def _cut(text: str) -> str:
    """Blanked, and parting what stands before from what stands behind: they are no one sentence."""
    return "\n" + _blank(text[1:])


def _blank(text: str) -> str:
    return _VISIBLE.sub(" ", text)


def _limited(prose: str, found: Iterator[Entry]) -> Structured:
    kept: dict[str, Entry] = {}
    left: dict[str, None] = {}
    for entry in found:
        if len(entry.text) <= LONGEST_ENTRY and len(kept) < MOST_ENTRIES:
            kept.setdefault(entry.text, entry)
        elif entry.text not in kept:
            left.setdefault(entry.text)
    return Structured(prose, tuple(kept.values()), "\n".join(left))


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
            value, behind = json.JSONDecoder().raw_decode(text, opening.start("mark"))
        except (ValueError, RecursionError):
            break
        values.append(value)
        end = behind
    is_whole = not text[:start].strip() and not text[end:].strip()
    return (values, start, end) if is_whole or any(map(_is_nested, values)) else ([], 0, 0)


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value))


def _of_json(values: Sequence[Any], text: str) -> Iterator[Entry]:
    seen: set[str] = set()
    for path, leaf in _leaves(values):
        said = _printable(leaf if isinstance(leaf, str) else json.dumps(leaf))
        stated = f"{' '.join(path)}: {said}" if path else said
        if said and stated not in seen:
            is_quoted = len(seen) < MOST_ENTRIES and said in text
            seen.add(stated)
            yield Entry(stated, said if is_quoted else text[:LONGEST_ENTRY])


def _printable(text: str) -> str:
    """On one line, without what an escape can spell and no database or model takes: NUL and lone surrogates."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def _leaves(values: Sequence[Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value that says something, with the first _DEEPEST keys that lead to it, in order."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), values)]
    while waiting:
        path, held = waiting.pop()
        if isinstance(held, Mapping):
            waiting.extend(((*path, _printable(key))[:_DEEPEST], one) for key, one in reversed(list(held.items())))
        elif isinstance(held, list):
            waiting.extend((path, one) for one in reversed(held))
        elif held is not None:
            yield path, held


def _of_lines(lines: Sequence[str]) -> Iterator[Entry]:
    header: Sequence[str] = ()
    for line in lines:
        stripped = line.strip()
        if not stripped or _RULE.match(line) or _PROMPT.match(line):
            header = () if not stripped else header
            continue
        match = _KEY.match(line) or _ASSIGNED.match(line)
        if match:
            yield Entry(f"{match['key'].strip()}: {_unquoted(match['value'])}", stripped)
            continue
        cells = _cells(line)
        if len(cells) > 1 and len(header) == len(cells):
            yield Entry(
                ", ".join(f"{name}: {cell}" for name, cell in zip(header, cells, strict=True) if cell), stripped
            )
        elif len(cells) > 1:
            header = header or (cells if "|" in line else ())
            yield Entry(" ".join(cells), stripped)


def _cells(line: str) -> list[str]:
    return [cell for cell in _CELLS.split(line.strip().strip("|").strip()) if cell]


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
