"""Trust: the warnings a hit carries, and which side of a contradiction comes first (DESIGN 6, trust tags)."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from memory_platform.lifecycle.decay import is_past_ttl
from memory_platform.model import Strength, TrustTag

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TrustEvidence:
    """What is known about an item that bears on trust.

    `confidence` is effective now; `confirmed_at` is the later of recorded_at and last_confirmed_at; `sources` counts
    distinct captured messages.
    """

    confidence: float
    strength: Strength
    sources: int
    confirmed_at: datetime
    ttl_days: float | None
    is_contradicted: bool = False
    is_superseded: bool = False
    is_doubted: bool = False


def tags(evidence: TrustEvidence, *, now: datetime, uncertain_below: float = 0.3) -> tuple[TrustTag, ...]:
    """Return the tags of an item, in the order of TrustTag. `uncertain_below` is Policy's."""
    is_explicit = evidence.strength is Strength.EXPLICIT
    applies = {
        TrustTag.UNCERTAIN: evidence.confidence < uncertain_below,
        TrustTag.STALE: is_past_ttl(since=evidence.confirmed_at, now=now, ttl_days=evidence.ttl_days),
        TrustTag.UNCONFIRMED: evidence.sources <= 1 and not is_explicit,
        TrustTag.INFERRED: evidence.strength is Strength.INFERRED,
    }
    doubted = doubts(
        is_contradicted=evidence.is_contradicted,
        is_superseded=evidence.is_superseded,
        is_doubted=evidence.is_doubted,
    )
    found = {*doubted, *(tag for tag, is_true in applies.items() if is_true)}
    return tuple(tag for tag in TrustTag if tag in found)


def doubts(*, is_contradicted: bool, is_superseded: bool, is_doubted: bool) -> tuple[TrustTag, ...]:
    """Return the tags of what others say about a hit, an item or an episode: what is surely replaced is in no doubt."""
    applies = {
        TrustTag.CONFLICT: is_contradicted,
        TrustTag.SUPERSEDED: is_superseded,
        TrustTag.PROBABLY_SUPERSEDED: is_doubted and not is_superseded,
    }
    return tuple(tag for tag, is_true in applies.items() if is_true)


def surer_first(
    ranked: Sequence[T], *, contradicts: Mapping[T, Collection[T]], confidence: Mapping[T, float]
) -> list[T]:
    """Return `ranked` with the two sides of each contradiction swapped where the less certain one stood first.

    Everything else keeps its place; at equal confidence the ranking decides. `contradicts` need name only one side.
    """
    ordered = list(ranked)
    for later in range(len(ordered)):
        for earlier in range(later):
            first, second = ordered[earlier], ordered[later]
            are_opposed = second in contradicts.get(first, ()) or first in contradicts.get(second, ())
            if are_opposed and confidence.get(second, 0.0) > confidence.get(first, 0.0):
                ordered[earlier], ordered[later] = second, first
    return ordered


def current_first(ranked: Sequence[T], *, replaced_by: Mapping[T, Collection[T]]) -> list[T]:
    """Return `ranked` with what replaced an entry before it, the latest first, in the place of the first of them.

    Only what is ranked counts. A circle of replacements is cut where the ranking enters it.
    """
    known = set(ranked)
    ordered: dict[T, None] = {}
    for each in ranked:
        waiting, reached = [each], {each}
        while waiting:
            newer = [
                one
                for one in replaced_by.get(waiting[-1], ())
                if one in known and one not in reached and one not in ordered
            ]
            waiting += newer[:1]
            reached.update(newer[:1])
            if not newer:
                ordered.setdefault(waiting.pop())
    return list(ordered)


def side_by_side(ranked: Sequence[T], *, contradicts: Mapping[T, Collection[T]]) -> list[T]:
    """Return `ranked` with what contradicts an entry right behind it, so that no cut shows one side alone.

    `contradicts` need name only one side.
    """
    ordered: dict[T, None] = {}
    for each in ranked:
        ordered.setdefault(each)
        for other in ranked:
            if other in contradicts.get(each, ()) or each in contradicts.get(other, ()):
                ordered.setdefault(other)
    return list(ordered)
