"""A unified diff as a page shows it: line by line, each of a kind."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_PLACE: Final = re.compile(r"@@ -\d+(?:,\d+)? \+(?P<line>\d+)")
_KINDS: Final = {"+": "added", "-": "removed"}


@dataclass(frozen=True, slots=True)
class DiffLine:
    """`kind` is added, removed, kept, or place, which says at which line of the new text what follows stands."""

    kind: str
    text: str


def between(before: Sequence[str], after: str) -> list[DiffLine]:
    """What stood there before, then what stands there now."""
    return [*(DiffLine("removed", each) for each in before), DiffLine("added", after)]


def lines(diff: str) -> Iterator[DiffLine]:
    for line in diff.splitlines():
        place = _PLACE.match(line)
        if place:
            yield DiffLine("place", f"Line {place['line']}")
        else:
            yield DiffLine(_KINDS.get(line[:1], "kept"), line[1:])
