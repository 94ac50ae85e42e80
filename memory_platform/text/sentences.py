"""Where sentences begin and end: spans of the text, so that a quote stays a quote."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TextSpan:
    """`text` without surrounding white space, as it stands in the source from `start` on."""

    text: str
    start: int


LONGEST_SENTENCE: Final = 600
"""Characters a reader parses. What is longer is a log, a table or somebody's joke: it stays verbatim and unparsed."""

QUESTION_MARKS: Final = ("?", "？", "؟")

_BOUNDARY: Final = re.compile(
    r"(?<![.!?…؟۔।॥])[.!?…؟۔।॥]+[\"'”’)\]]*(?:\s*[:;]-?[)DPp(])?(?=\s|\Z)|\n\s*|(?<=\w)\s+[:;]-?[)D]+(?=\s|\Z)"
    # Where words are not parted by blanks, sentences are not, either.
    r"|[。！？｡]+(?![。！？｡」』”’）)])\s*"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\A|[\s(])(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|no|fig|approx|dept|est|inc|ltd|co|jan|feb|mar|apr|jun|jul|aug"
    r"|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|e\.g|i\.e|cf|al|[a-z]|[ap]\.m|u\.s|u\.k|ph\.d)\.\Z",
    re.IGNORECASE,
)
_ALWAYS_ABBREVIATED: Final = re.compile(
    r"(?:\A|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|no|fig|approx|[A-HJ-Z])\.\Z", re.IGNORECASE
)
_VISIBLE: Final = re.compile(r"\S")
_LONGEST_QUOTATION: Final = 300
_OPENED: Final = (("“", "”"), ("「", "」"), ("『", "』"))
_GERMAN_DAY: Final = re.compile(
    r"(?<![\w.])[0-3]?\d\.\s(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)


def sentences(text: str) -> list[TextSpan]:
    """Split at sentence ends and line breaks; abbreviations, initials, decimals, URLs and quotations stay whole."""
    found: list[TextSpan] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        if boundary[0][0] == "." and _is_inside(text, start, boundary):
            continue
        if _has_open_quote(text, start, boundary.end()) and "\n" not in boundary[0]:
            continue
        found += _span(text, start, boundary.end())
        start = boundary.end()
    return found + _span(text, start, len(text))


def stretches(text: str, longest: int) -> Iterator[TextSpan]:
    """A text in stretches of at most so many characters, which part at white space where there is any.

    Nothing but white space between them is left out. Takes time in proportion to the length of the text.
    """
    start = 0
    while (visible := _VISIBLE.search(text, start)) is not None:
        first, end = visible.start(), visible.start() + longest
        if end < len(text) and not text[end].isspace():
            blank = max(text.rfind(mark, first, end) for mark in " \n\t")
            end = blank if blank > first else end
        yield TextSpan(text[first:end].rstrip(), first)
        start = end


def _is_inside(text: str, start: int, boundary: re.Match[str]) -> bool:
    head = text[max(start, boundary.start() - 12) : boundary.start() + 1]
    if _GERMAN_DAY.search(text, max(start, boundary.start() - 2), boundary.end() + 12):
        return True
    if not _ABBREVIATION.search(head):
        return text[boundary.end() : boundary.end() + 2].strip()[:1].islower()
    following = _VISIBLE.search(text, boundary.end())
    return bool(_ALWAYS_ABBREVIATED.search(head)) or following is None or not following[0].isupper()


def _has_open_quote(text: str, start: int, end: int) -> bool:
    """More marks that open than that close before, and one that closes not far behind."""
    head = text[start:end]
    is_open = head.count('"') % 2 == 1 or any(head.count(opens) > head.count(shuts) for opens, shuts in _OPENED)
    return is_open and any(text.find(mark, end, end + _LONGEST_QUOTATION) >= 0 for mark in '"”」』')


def _span(text: str, start: int, end: int) -> list[TextSpan]:
    piece = text[start:end]
    stripped = piece.strip()
    return [TextSpan(stripped, start + piece.index(stripped[0]))] if stripped else []
