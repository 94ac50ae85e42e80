"""What other numbers would have made of the recalls that were answered: read from their traces, changing nothing."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.core import scope
from apps.memory import selectors as memory
from apps.retrieval.models import Recall, Recalled
from memory_platform.retrieval.simulation import PastHit, Retold, Reweighing, retell

MOST_RECALLS: Final = 2_000
"""Looked at, the latest first."""


@dataclass(frozen=True, slots=True)
class RetoldRecall:
    """A recall that would have answered otherwise: hits lost, and whether its hits would have stood in another order or
    with another first.
    """

    recall_id: UUID
    at: datetime
    lost: tuple[UUID, ...]
    is_emptied: bool
    is_reordered: bool
    first: UUID | None
    new_first: UUID | None


@dataclass(frozen=True, slots=True)
class RetoldRecalls:
    """`recalls` there were, `examined` among them; `unscored` of their hits were kept without their probability."""

    recalls: int
    examined: int
    hits: int
    unscored: int
    lost: int
    emptied: int
    reordered: int
    first_changed: int
    changed: tuple[RetoldRecall, ...]


def retell_recalls(change: Reweighing, *, since: datetime, samples: int) -> RetoldRecalls:
    """The recalls since then that the open scope may read; `changed` names the first `samples` that differ."""
    asked = Recall.objects.filter(tenant_id=scope.current().tenant_id, at__gte=since).exclude(query="")
    found = dict(asked.order_by("-at", "-id").values_list("id", "at")[:MOST_RECALLS])
    hits = _hits(list(found), with_categories=bool(change.decay))
    told = [_told(recall_id, at, hits[recall_id], change) for recall_id, at in found.items() if hits[recall_id]]
    changed = [each for each in told if each.lost or each.is_reordered]
    return RetoldRecalls(
        recalls=asked.count(),
        examined=len(found),
        hits=sum(map(len, hits.values())),
        unscored=sum(hit.probability is None for each in hits.values() for hit in each),
        lost=sum(len(each.lost) for each in told),
        emptied=sum(each.is_emptied for each in told),
        reordered=sum(each.is_reordered for each in told),
        first_changed=sum(each.first != each.new_first for each in told),
        changed=tuple(changed[:samples]),
    )


def _told(recall_id: UUID, at: datetime, hits: Sequence[PastHit], change: Reweighing) -> RetoldRecall:
    retold: Retold = retell(hits, change)
    first = max(hits, key=lambda hit: hit.score).unit_id
    return RetoldRecall(
        recall_id=recall_id,
        at=at,
        lost=retold.lost,
        is_emptied=not retold.order,
        is_reordered=retold.is_reordered,
        first=first,
        new_first=retold.order[0] if retold.order else None,
    )


def _hits(recall_ids: Sequence[UUID], *, with_categories: bool) -> Mapping[UUID, list[PastHit]]:
    rows = Recalled.objects.filter(tenant_id=scope.current().tenant_id, recall_id__in=recall_ids)
    found = list(rows.order_by("recall_id", "rank"))
    wanted = {row.item_id for row in found if row.item_id is not None} if with_categories else set()
    categories = memory.categories_of(wanted) if wanted else {}
    hits: defaultdict[UUID, list[PastHit]] = defaultdict(list)
    for row in found:
        hits[row.recall_id].append(_hit(row, categories))
    return hits


def _hit(row: Recalled, categories: Mapping[UUID, str]) -> PastHit:
    factors = dict(_numbers(row.scores))
    probability = factors.pop("probability", None)
    category = categories.get(row.item_id, "") if row.item_id else ""
    return PastHit(row.unit_id, row.score, probability, factors, category)


def _numbers(scores: object) -> Iterator[tuple[str, float]]:
    for name, value in scores.items() if isinstance(scores, dict) else ():
        if isinstance(value, int | float):
            yield name, float(value)
