"""Currentness: which hits say what a newer one beside them has replaced, told in words that nobody recognised as a
change when they were stored.

A store compares each claim with what lies nearest to it among everything; an answer compares the few things that one
question has brought together, messages among them of which no claim was kept.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Final

from memory_platform.consolidation.claims import are_named_apart, is_record
from memory_platform.extraction.slots import identifiers
from memory_platform.model import NO_SLOT, ClaimRelation, Slot, Thresholds
from memory_platform.ports import ClaimPair
from memory_platform.retrieval import trust

LOOKED_AT: Final = 10
"""Hits that are compared, best first: as many as a context shows."""
MOST_PAIRS: Final = 8
"""Pairs that are judged at most: each costs time that somebody waits for."""
NEAR_SHARE: Final = 1 / 3
"""How far from `related` to `duplicate` the cosine of two hits must lie for them to be compared."""
LONGEST: Final = 600
"""Characters of a hit that are compared; a judge of claims reads about half as many."""
LIKELY: Final = 0.28
"""Probability that the newer replaces or denies the older, from which the older is marked."""
FIRST_FROM: Final = 0.05
"""The odds of the same, times what the newer is worth beside the older, from which it stands before it: an outdated
answer does more harm than a current one in second place.
"""
REACH: Final = 6
"""Places that a hit may be lifted by: what was found for another reason pushes better ones down."""

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ComparedHit:
    """A hit as it is compared: its `place` in the answer, `said_at` when it was last said, `confirmed_at` when somebody
    last vouched for it, `sources` the messages it rests on, `author` whose memory it is, `slot` the state it speaks of
    where that is known. `is_outdated_echo`: the assistant says what is known to have been replaced, which is no news.
    """

    place: int
    text: str
    said_at: datetime
    confirmed_at: datetime | None = None
    sources: frozenset[Hashable] = frozenset()
    author: str | None = None
    slot: Slot = NO_SLOT
    is_outdated_echo: bool = False


def nearness(thresholds: Thresholds) -> float:
    """The cosine from which two hits are compared."""
    return thresholds.related + NEAR_SHARE * (thresholds.duplicate - thresholds.related)


def pairs(statements: Sequence[ComparedHit], near: Collection[frozenset[int]]) -> dict[Pair, ClaimPair]:
    """Return the pairs worth judging by their places (older, newer): at most MOST_PAIRS, those of the best hits first.

    `near` are the places of those that lie near each other. What one message says side by side replaces nothing, what
    was confirmed since still holds, what is named otherwise is another thing, and no agent's memory outdates another's.
    How two records relate their structure has told.
    """
    named = {one.place: _named(one) for one in statements}
    close = [pair for pair in combinations(statements, 2) if frozenset(one.place for one in pair) in near]
    by_time = [sorted(pair, key=lambda one: one.said_at) for pair in close]
    found = sorted(
        (
            (older, newer)
            for older, newer in by_time
            if _may_replace(older, newer)
            and not are_named_apart(named[older.place], named[newer.place])
            and not (_is_record(older) and _is_record(newer))
        ),
        key=lambda pair: sorted(one.place for one in pair),
    )
    return {
        (older.place, newer.place): ClaimPair(older.text[:LONGEST], newer.text[:LONGEST], newer.said_at - older.said_at)
        for older, newer in found[:MOST_PAIRS]
    }


def outdated(judged: Mapping[Pair, ClaimRelation]) -> frozenset[int]:
    """Return the places of the hits that another has probably replaced."""
    return frozenset(older for (older, _), relation in judged.items() if _replaces(relation) >= LIKELY)


def order(scores: Sequence[float], judged: Mapping[Pair, ClaimRelation]) -> list[int]:
    """Return the places of the hits, with what may have replaced one before it, the likeliest first."""
    ahead: dict[int, list[int]] = {}
    for older, newer in sorted(judged, key=lambda pair: -_replaces(judged[pair])):
        if newer - older <= REACH and _comes_first(judged[older, newer], scores[older], scores[newer]):
            ahead.setdefault(older, []).append(newer)
    return trust.current_first(range(len(scores)), replaced_by=ahead)


def _comes_first(relation: ClaimRelation, older: float, newer: float) -> bool:
    share = _replaces(relation)
    return share * min(newer, older) >= FIRST_FROM * (1 - share) * older


def _may_replace(older: ComparedHit, newer: ComparedHit) -> bool:
    return (
        newer.said_at > max(older.said_at, older.confirmed_at or older.said_at)
        and older.author == newer.author
        and not newer.is_outdated_echo
        and older.sources.isdisjoint(newer.sources)
    )


def _is_record(hit: ComparedHit) -> bool:
    return is_record(hit.text, hit.slot)


def _named(hit: ComparedHit) -> Slot:
    """Its slot; of a message, which has none, the tickets and the like that it names."""
    return hit.slot if hit.slot != NO_SLOT else Slot(qualifier=" ".join(identifiers(hit.text)))


def _replaces(relation: ClaimRelation) -> float:
    """How likely the older no longer holds, whether or not anything says which of two that exclude each other."""
    return relation.replaces + relation.conflict
