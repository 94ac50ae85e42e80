"""A long text in parts that can each be read as one message: who speaks, and at most so much at once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from memory_platform.model import Role
from memory_platform.text.sentences import sentences

LONGEST_SEGMENT: Final = 2_000
"""Characters: some twenty sentences, as much as people and models say in one message."""

_LABEL: Final = re.compile(r"^[ \t]*(user|human|assistant|ai|system|tool)[ \t]*:[ \t]*", re.IGNORECASE | re.MULTILINE)
_BETWEEN_PARAGRAPHS: Final = re.compile(r"\n\s*\n")
_GAP: Final = "\n\n"
_OTHER_NAMES: Final = {"human": Role.USER, "ai": Role.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text; `role` where a line says who speaks (`User: …`)."""

    text: str
    role: Role | None = None


def segments(text: str, *, longest: int = LONGEST_SEGMENT) -> list[Segment]:
    """Part a text where another speaks, and what one says between paragraphs, then sentences, of `longest` characters.

    Nothing but the labels and white space between parts is left out; a longer sentence stays whole.
    """
    return [Segment(part, role) for role, said in _speeches(text) for part in _parts(said, longest)]


def _speeches(text: str) -> Iterator[tuple[Role | None, str]]:
    labels = list(_LABEL.finditer(text))
    ends = [*(label.start() for label in labels), len(text)]
    yield None, text[: ends[0]]
    for label, end in zip(labels, ends[1:], strict=True):
        named = label[1].lower()
        yield _OTHER_NAMES.get(named) or Role(named), text[label.end() : end]


def _parts(said: str, longest: int) -> Iterator[str]:
    """Paragraphs, as many together as fit."""
    part = ""
    for paragraph in map(str.strip, _BETWEEN_PARAGRAPHS.split(said)):
        for piece in _pieces(paragraph, longest):
            if part and len(part) + len(_GAP) + len(piece) > longest:
                yield part
                part = ""
            part = f"{part}{_GAP}{piece}" if part else piece
    if part:
        yield part


def _pieces(paragraph: str, longest: int) -> Iterator[str]:
    """The paragraph, or runs of its sentences that are short enough."""
    if not paragraph:
        return
    if len(paragraph) <= longest:
        yield paragraph
        return
    spans = sentences(paragraph)
    start = spans[0].start
    for one, following in pairwise(spans):
        if following.start + len(following.text) - start > longest:
            yield paragraph[start : one.start + len(one.text)]
            start = following.start
    yield paragraph[start:]
