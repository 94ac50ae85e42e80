"""Lines of what a memory told that somebody repeats: they are not learnt again, whoever it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_AGE: Final = r"age: \d{1,6}d"
_REST: Final = r"[^()\n]{1,300}"
_DATE: Final = r"\d{4}-\d\d-\d\d"
_NOTES: Final = (
    rf"(?:(?:confidence: \d\.\d|curated); )?{_AGE}; {_REST}|confidence: \d\.\d; {_AGE}|(?P<bare>{_AGE})"
    rf"|(?:{_REST}; )?heard (?:once|\d{{1,6}} times), last on {_DATE}"
)
_TOLD: Final = re.compile(
    rf"~ due {_DATE}: (?P<due>[^\n]+?)(?=\n|\\n|\"\s*(?:[,}}\]]|\Z)|\Z)| \((?:{_NOTES})\)(?: \[[a-z_]{{1,30}}\])*"
)
"""A line of what is due, or the notes and tags behind one of a context block, of MEMORY.md or of the lessons."""
_MARK: Final = "~ "
_FILED: Final = re.compile(rf"\A(?:\[[\w-]{{1,64}}\]|{_DATE}:) ")
"""What a marked line is filed under or dated with, before its words."""
_BULLETS: Final = " \t>*•-\"'“”`"
_LINE_BREAK: Final = r"\n"
"""As a text in JSON has it."""
_JSON: Final = ("{", "[", '"')


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quoted line's place in a text, and the memory's own words in it."""

    start: int
    end: int
    text: str


def quoted(text: str) -> Iterator[Quoted]:
    """The quoted lines, in their order: known by their notes, each from its mark or else from where its line begins.

    Takes time in proportion to the length of the text.
    """
    done = 0
    for told in _TOLD.finditer(text):
        line = _due(told) if told["due"] is not None else _noted(text, told, done)
        if line is not None:
            yield line
        done = told.end()


def _due(told: re.Match[str]) -> Quoted:
    return Quoted(told.start(), told.end(), told["due"].strip())


def _noted(text: str, notes: re.Match[str], done: int) -> Quoted | None:
    """The line that ends with these notes and begins behind `done`; an age alone is nobody's note without a mark."""
    begin = max(done, text.rfind("\n", done, notes.start()) + 1)
    mark = text.rfind(_MARK, begin, notes.start())
    if mark < 0:
        words = _last_line(text[begin : notes.start()])
        return None if notes["bare"] else Quoted(notes.start() - len(words), notes.end(), _words(words))
    words = text[mark : notes.start()].removeprefix(_MARK)
    return Quoted(mark, notes.end(), _words(_FILED.sub("", words)))


def _last_line(text: str) -> str:
    """Of a value in JSON, whose lines are one."""
    return text.rpartition(_LINE_BREAK)[-1] if text.lstrip().startswith(_JSON) else text


def _words(text: str) -> str:
    return text.lstrip(_BULLETS).strip()
