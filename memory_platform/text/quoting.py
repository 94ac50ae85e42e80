"""Lines of a context block that somebody quotes: what a memory told is not learnt again from who repeats it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_NOTES: Final = re.compile(r" \((?:confidence: \d\.\d; )?age: \d{1,6}d; [^()\n]{1,300}\)(?: \[[a-z_]{1,30}\])*")
_MARK: Final = "~ "
_BULLETS: Final = " \t>*•-\"'“”`"


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
    for notes in _NOTES.finditer(text):
        begin = max(done, text.rfind("\n", done, notes.start()) + 1)
        mark = text.rfind(_MARK, begin, notes.start())
        start = mark if mark >= 0 else begin
        words = text[start : notes.start()].removeprefix(_MARK)
        yield Quoted(start, notes.end(), words.lstrip(_BULLETS).strip())
        done = notes.end()
