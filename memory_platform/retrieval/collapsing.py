"""Collapsing hits that say the same of the same entities, as the dual form does: the best one stays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SAME_WORDS: Final = 0.6
"""Share of common terms (Jaccard) from which two texts about the same entities count as one."""


@dataclass(frozen=True, slots=True)
class Saying:
    """What a hit is about and in which terms; no entities: it is a duplicate of nothing."""

    entities: frozenset[str]
    terms: frozenset[str]


def distinct(sayings: Sequence[Saying]) -> list[int]:
    """Return the places of the hits that stay, given best first."""
    kept: list[int] = []
    for place, saying in enumerate(sayings):
        if not any(_is_same(saying, sayings[other]) for other in kept):
            kept.append(place)
    return kept


def _is_same(one: Saying, other: Saying) -> bool:
    if not one.entities or one.entities != other.entities:
        return False
    return len(one.terms & other.terms) >= SAME_WORDS * len(one.terms | other.terms)
