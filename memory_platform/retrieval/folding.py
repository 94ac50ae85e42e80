"""Folding: one hit a fact, however many of its units were found."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from memory_platform.model import Unit
from memory_platform.retrieval.turn_form import BRIEF

REPEATED_SHARE: Final = 0.7
"""What is left of a second item of the same episode, so that one long message does not fill the answer."""
LEAD_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate that passed the floor; `row` is its place in Units and Scores, `length` its kept terms, `asks`
    whether it only asks.
    """

    unit: Unit
    id: UUID
    score: float
    row: int = 0
    length: int = BRIEF
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Fused:
    """One hit: an item with the episodes it answers for, or a unit that stands alone.

    `lead` is whose text is shown; `episodes` are the folded ones, best first. `relevance` is the hit's score before
    any modifier.
    """

    lead: Scored
    relevance: float
    item: Scored | None = None
    episodes: tuple[Scored, ...] = ()


def fold(
    scored: Sequence[Scored], *, sources: Mapping[UUID, Collection[UUID]], gone: Collection[UUID] = ()
) -> list[Fused]:
    """Return hits by falling relevance, in which no item stands beside an episode it came from.

    `sources` maps an item to all the episodes it came from. `gone` are units that may not be returned: forgotten or
    superseded items, and episodes of which nothing current is left; leave it empty for an `asOf` read. An episode is
    folded into its best item; that item leads unless it is less than half as relevant, for then the episode was found
    for something else it says. A hit is as relevant as its episode, and as the item where that says it better and the
    episode is brief; the longer the episode, the less of what the item has more, for of many items one agrees with
    anything. Further items of an episode count REPEATED_SHARE of that. An episode that was not even a candidate counts
    as the lowest of them, and as twice as long as a brief one.
    """
    barred = frozenset(gone)
    ranked = sorted((unit for unit in scored if unit.id not in barred), key=lambda unit: -unit.score)
    episodes = {unit.id: unit for unit in ranked if unit.unit is Unit.EPISODE}
    free = dict(episodes)
    lowest = min((unit.score for unit in scored), default=0.0)
    hits = []
    for unit in ranked:
        if unit.unit is Unit.ITEM:
            came_from = sources.get(unit.id, ())
            own = [episodes[source] for source in came_from if source in episodes]
            if came_from and not own:
                unseen = Scored(Unit.EPISODE, unit.id, lowest, length=2 * BRIEF)
                hits.append(Fused(unit, _lifted(unseen, unit), unit))
                continue
            hits.append(_hit(unit, own, [free.pop(episode.id) for episode in own if episode.id in free]))
        elif unit.unit is not Unit.EPISODE:
            hits.append(Fused(unit, unit.score))
    hits.extend(Fused(episode, episode.score, episodes=(episode,)) for episode in free.values())
    return sorted(hits, key=lambda hit: -hit.relevance)


def _lifted(episode: Scored, item: Scored) -> float:
    """Return how relevant an episode is together with its item."""
    return episode.score + min(1.0, BRIEF / max(episode.length, 1)) * max(0.0, item.score - episode.score)


def _hit(item: Scored, own: list[Scored], folded: list[Scored]) -> Fused:
    """A hit for an item; `own` are its episodes among the candidates, `folded` those no better item has taken."""
    if not own:
        return Fused(item, item.score, item)
    best = max(own, key=lambda episode: episode.score)
    relevance = _lifted(best, item)
    if not folded:
        return Fused(item, REPEATED_SHARE * relevance, item)
    folded.sort(key=lambda episode: -episode.score)
    lead = item if item.score >= LEAD_SHARE * best.score else folded[0]
    return Fused(lead, relevance, item, tuple(folded))
