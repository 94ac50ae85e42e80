"""Insights: which archived memories speak of one matter, and what they have in common, told in their own words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from memory_platform.consolidation.claims import normalised
from memory_platform.model import SummaryFact
from memory_platform.ports import Vectors
from memory_platform.text.cleaning import inline

WRITER: Final = "rules:1"
"""Who put an insight into words without a model."""
WORDINGS: Final = 5
"""Memories that an insight quotes."""
LONGEST_QUOTED: Final = 800
"""Characters of what is quoted; the first wording is quoted however long it is."""

_State = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What makes a cluster: `least` memories, of which those about no known state have a cosine of `similar_from` to
    its first; what is larger than `most` becomes several.
    """

    least: int
    most: int
    similar_from: float


def clusters(
    facts: Sequence[SummaryFact], vectors: Mapping[int, Vectors], bounds: Bounds
) -> tuple[tuple[int, ...], ...]:
    """The places of the facts that belong together, oldest first; each place at most once, always the same ones.

    Those of one state (subject, attribute, qualifying names) do; of the rest those near the oldest of them. `vectors`,
    by place, are unit vectors of shape (dimension,). What is left over would be left over again if it came alone.
    """
    places = sorted(range(len(facts)), key=lambda place: (facts[place].said_on, place))
    states: dict[_State, list[int]] = {}
    for place in places:
        if state := _state(facts[place]):
            states.setdefault(state, []).append(place)
    stated = [own for own in states.values() if len(own) >= bounds.least]
    taken = {place for own in stated for place in own}
    near = _near([place for place in places if place not in taken], vectors, bounds.similar_from)
    found = [*stated, *(own for own in near if len(own) >= bounds.least)]
    return tuple(piece for own in sorted(found) for piece in _pieces(own, bounds))


def told(facts: Sequence[SummaryFact]) -> str:
    """What memories of one cluster, oldest first, have in common: how often, from when to when, and what they say, the
    latest first. It says nothing that they do not.
    """
    first, last = min(fact.said_on for fact in facts), max(fact.said_on for fact in facts)
    when = f"on {first}" if first == last else f"from {first} to {last}"
    state = _common_state(facts)
    words = _distinct([fact.slot.value if state else fact.text for fact in reversed(facts)])
    shown = list(_shown(words))
    more = f"; and {len(words) - len(shown)} more" if len(words) > len(shown) else ""
    return f"{len(facts)} times {when}: {state}{'; '.join(shown)}{more}"


def _state(fact: SummaryFact) -> _State | None:
    slot = fact.slot
    if not (slot.subject and slot.attribute and slot.value):
        return None
    return slot.subject.casefold(), slot.attribute.casefold(), tuple(sorted(name.casefold() for name in slot.names))


def _near(places: Sequence[int], vectors: Mapping[int, Vectors], similar_from: float) -> list[list[int]]:
    """Each place joins the nearest of the first ones so far, or is a first one itself."""
    groups: list[list[int]] = []
    firsts: list[Vectors] = []
    for place in places:
        if place not in vectors:
            continue
        cosines = np.stack(firsts) @ vectors[place] if firsts else np.empty(0)
        nearest = int(cosines.argmax()) if firsts else -1
        if firsts and cosines[nearest] >= similar_from:
            groups[nearest].append(place)
        else:
            groups.append([place])
            firsts.append(vectors[place])
    return groups


def _pieces(places: Sequence[int], bounds: Bounds) -> Iterator[tuple[int, ...]]:
    """A rest of fewer than `least` stays with the last piece: alone it would be no cluster."""
    count = max(1, len(places) // bounds.most + (len(places) % bounds.most >= bounds.least))
    for number in range(count):
        end = None if number == count - 1 else (number + 1) * bounds.most
        yield tuple(places[number * bounds.most : end])


def _common_state(facts: Sequence[SummaryFact]) -> str:
    states = {_state(fact) for fact in facts}
    if len(states) > 1 or None in states:
        return ""
    slot = facts[-1].slot
    qualifier = f" ({' '.join(slot.names)})" if slot.names else ""
    return inline(f"{slot.subject}: {slot.attribute}{qualifier}") + " "


def _distinct(words: Sequence[str]) -> list[str]:
    found: dict[str, str] = {}
    for each in map(inline, words):
        found.setdefault(normalised(each), each.rstrip("."))
    return list(found.values())


def _shown(words: Sequence[str]) -> Iterator[str]:
    length = 0
    for number, each in enumerate(words[:WORDINGS]):
        length += len(each)
        if number and length > LONGEST_QUOTED:
            return
        yield each
