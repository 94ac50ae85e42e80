"""Lessons: what a user's own words tell an agent to do otherwise from now on, and the file that says so.

Two judges must agree that a clause is a rule or a preference: the one that read it (its kind), and a head that was
fitted to nothing else (`guidance`). A correction is one by what it took the place of, a request by how often it came.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from memory_platform.consolidation.claims import normalised
from memory_platform.extraction.clauses import Clause
from memory_platform.model import Kind, Mood
from memory_platform.text.cleaning import inline
from memory_platform.text.terms import terms


class Pattern(StrEnum):
    """What teaches a lesson."""

    RULE = "rule"
    """What is always, or never, to be done."""
    PREFERENCE = "preference"
    """How somebody wants something."""
    CORRECTION = "correction"
    """Something else was wrong."""
    REQUEST = "request"
    """It is asked for again and again."""


@dataclass(frozen=True, slots=True)
class LessonGround:
    """A memory that may be a lesson.

    `guidance` (0..1) is how surely it tells how to act, `is_said_by_user` whether a message of the user's says it,
    `corrects` what it took the place of because that never held, `follows` whether a lesson stood on what it replaced.
    """

    kind: Kind
    mood: Mood
    guidance: float = 0.0
    is_said_by_user: bool = False
    corrects: str = ""
    follows: bool = False


@dataclass(frozen=True, slots=True)
class LessonLine:
    """A lesson as the file shows it: `heard` messages say it, the last of them on `last`."""

    pattern: Pattern
    text: str
    scope: str
    heard: int
    last: date
    instead_of: str = ""


SECTIONS: Final = {
    Pattern.RULE: "Rules",
    Pattern.PREFERENCE: "Preferences",
    Pattern.CORRECTION: "Corrections",
    Pattern.REQUEST: "Asked again and again",
}
"""Headings of the file, in its order."""
TITLE: Final = "# Lessons"
LONGEST_REQUEST: Final = 300
"""Characters; what is longer is a task of its own."""
FEWEST_TERMS: Final = 2
""" "How are you?" has none."""
_GUIDING: Final = {Kind.RULE: Pattern.RULE, Kind.PREFERENCE: Pattern.PREFERENCE}
_COURTESY: Final = re.compile(r"\b(?:please|kindly|(?:can|could|would|will) you)\b")
_UNREAL: Final = frozenset({Mood.QUESTION, Mood.HYPOTHETICAL, Mood.WISH})
_ASKING: Final = frozenset({Mood.QUESTION, Mood.COMMAND})


def pattern_of(ground: LessonGround, *, guidance_from: float) -> Pattern | None:
    """What makes a lesson of a memory; None: nothing. Only what the user said does, or what stands in its place.

    `guidance_from` is Policy's lesson_guidance_from.
    """
    if ground.mood in _UNREAL or not (ground.is_said_by_user or ground.follows):
        return None
    guiding = _GUIDING.get(ground.kind)
    if guiding is not None and (ground.guidance >= guidance_from or ground.follows):
        return guiding
    return Pattern.CORRECTION if ground.corrects else None


def is_request(clause: Clause) -> bool:
    """Whether a clause asks for something that could be asked for again."""
    is_asked = clause.mood in _ASKING and not clause.is_quoted and not clause.reported_by
    return is_asked and len(clause.text) <= LONGEST_REQUEST and len(terms(clause.text)) >= FEWEST_TERMS


def asks_the_same(request: str, other: str) -> bool:
    """Whether two requests are in the same words, but for courtesy: a judge of claims, which read statements, may not
    know that they are one.
    """
    return _without_courtesy(request) == _without_courtesy(other)


def _without_courtesy(request: str) -> list[str]:
    return _COURTESY.sub("", normalised(request)).split()


def markdown(
    lines: Sequence[LessonLine], *, max_tokens: int, count_tokens: Callable[[str], int]
) -> tuple[str, tuple[int, ...]]:
    """The file, and which of the lines (places) are in it: a list under each heading, as many of them, in their order,
    as cost no more than `max_tokens`; what does not fit is left out and the next is tried. Empty when none does.

    Whatever a lesson says, it stays one line, and opens no heading (`cleaning.inline`).
    """
    kept: list[int] = []
    text = ""
    for place in range(len(lines)):
        longer = _rendered([lines[one] for one in (*kept, place)])
        if count_tokens(longer) <= max_tokens:
            kept.append(place)
            text = longer
    return text, tuple(kept)


def _rendered(lines: Sequence[LessonLine]) -> str:
    parts = [TITLE]
    for pattern, heading in SECTIONS.items():
        own = [_line(line) for line in lines if line.pattern is pattern]
        parts += ["\n".join([f"## {heading}", *own])] if own else []
    return "\n\n".join(parts)


def _line(line: LessonLine) -> str:
    instead = f", not: {inline(line.instead_of)}" if line.instead_of else ""
    return f"- {inline(line.text)}{instead} ({'; '.join(_notes(line))})"


def _notes(line: LessonLine) -> Iterable[str]:
    if line.scope:
        yield inline(line.scope)
    times = "once" if line.heard <= 1 else f"{line.heard} times"
    yield f"heard {times}, last on {line.last.isoformat()}"
