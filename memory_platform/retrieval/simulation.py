"""What other numbers would have made of answers that were given: from what was kept of their hits.

Nothing but hits was kept: nobody can say what a lower floor would have let in, nor what would have come up from below
the last hit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np

from memory_platform.retrieval import fusion

_UNCHANGED: Final = 1.0


@dataclass(frozen=True, slots=True)
class Reweighing:
    """The floor and the weights to try; None: as it was. `decay` is the new λ as a multiple of the old, by category,
    `least_recency` what age leaves of a score at least.
    """

    floor: float | None = None
    stale: float | None = None
    domain: float | None = None
    sentiment: float | None = None
    priority_clamp: float | None = None
    decay: Mapping[str, float] | None = None
    least_recency: float = 0.25


@dataclass(frozen=True, slots=True)
class PastHit:
    """A hit as it was handed out: `probability` None where it was not kept, `factors` what its score was made with."""

    unit_id: UUID
    score: float
    probability: float | None
    factors: Mapping[str, float]
    category: str = ""


@dataclass(frozen=True, slots=True)
class Retold:
    """What would have become of an answer: hits lost to the floor, and the order of the others, best first."""

    lost: tuple[UUID, ...]
    order: tuple[UUID, ...]
    is_reordered: bool


def retell(hits: Sequence[PastHit], change: Reweighing) -> Retold:
    """`hits` as they stood. Orders are compared by score alone, as it was and as it would be."""
    lost = _lost(hits, change.floor)
    kept = [hit for hit in hits if hit.unit_id not in lost]
    before = [hit.unit_id for hit in sorted(kept, key=lambda hit: -hit.score)]
    after = [hit.unit_id for hit in sorted(kept, key=lambda hit: -rescored(hit, change))]
    return Retold(tuple(hit.unit_id for hit in hits if hit.unit_id in lost), tuple(after), before != after)


def rescored(hit: PastHit, change: Reweighing) -> float:
    """The score with each factor that applied put to what it would be."""
    score = hit.score
    for name, wanted in (("stale", change.stale), ("domain", change.domain), ("sentiment", change.sentiment)):
        was = hit.factors.get(name, _UNCHANGED)
        if wanted is not None and was not in {_UNCHANGED, 0.0}:
            score *= wanted / was
    return score * _priority(hit, change) * _decay(hit, change)


def _priority(hit: PastHit, change: Reweighing) -> float:
    """A narrower clamp; how far a wider one would reach was not kept."""
    was, bound = hit.factors.get("priority", _UNCHANGED), change.priority_clamp
    if bound is None or was <= 0:
        return 1.0
    return (1.0 + min(max(was - 1.0, -bound), bound)) / was


def _decay(hit: PastHit, change: Reweighing) -> float:
    was, ratio = hit.factors.get("decay", _UNCHANGED), (change.decay or {}).get(hit.category)
    if ratio is None or was <= 0:
        return 1.0
    return max(change.least_recency, float(was**ratio)) / was


def _lost(hits: Sequence[PastHit], floor: float | None) -> frozenset[UUID]:
    """Hits whose probability was not kept stay."""
    known = [(hit.unit_id, hit.probability) for hit in hits if hit.probability is not None]
    if floor is None or not known:
        return frozenset()
    passes = fusion.relevant(np.array([probability for _, probability in known]), floor=floor)
    return frozenset(unit for (unit, _), stays in zip(known, passes, strict=True) if not stays)
