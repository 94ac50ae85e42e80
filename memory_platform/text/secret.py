"""What a secret in a text is to the rules that look for one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Secret:
    """The characters from `start` to before `end` of a text, and what they are, such as `api_key` or `card`."""

    start: int
    end: int
    kind: str


Finder: TypeAlias = Callable[[str], Iterator[Secret]]
"""Yields the secrets of a text; of two that overlap, the one that starts first is taken."""

MARK: Final = "[redacted:"
"""How the mark begins that stands in a secret's place: `[redacted:kind]`."""
