"""Writing the trace of an answer: one statement for the recall and its hits."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.budgets.services import Done, meter
from apps.core import scope
from apps.core.clock import now
from apps.core.scope import Scope
from apps.core.sql import statement
from apps.jobs.services import enqueue
from apps.resources import selectors as resources
from apps.retrieval.results import Hit, HitScores
from memory_platform.model import ModelUsage

OPERATION: Final = "recall"
"""Under which what an answer spends is metered."""
# Uses are counted in batches: an answer must not wait for the counters of every item it names.
COUNT_AFTER = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Trace:
    """What is kept of an answer besides its hits; milliseconds by stage.

    `session_id` is the caller's own, `changed` the items it was told of: what replaced what it was given, or what of
    that is gone. Of a trial only what it spent is kept.
    """

    recall_id: UUID
    query: str
    rewritten: str
    profile: str
    intent: str
    tier: int
    degraded: tuple[str, ...]
    stages: dict[str, float]
    candidates: int
    usages: tuple[ModelUsage, ...]
    milliseconds: float
    session_id: str | None = None
    changed: tuple[UUID, ...] = ()
    is_trial: bool = False

    @property
    def cost_usd(self) -> float | None:
        """The summed price of the model calls; None when one of them is unknown."""
        costs = [usage.cost_usd for usage in self.usages]
        return None if None in costs else sum(cost or 0.0 for cost in costs)


def store(trace: Trace, hits: Sequence[Hit], *, tokens: Sequence[int]) -> None:
    """Write the recall, its hits and its usage, and have the uses counted soon."""
    opened = scope.current()
    meter(
        operation=OPERATION,
        usages=trace.usages,
        agent_id=opened.agent_id,
        session_id=resources.session_reference(trace.session_id) if trace.session_id else None,
        done=Done(queries=1),
        milliseconds=trace.milliseconds,
    )
    if trace.is_trial:
        return
    told = [_row(hit, count) for hit, count in zip(hits, tokens, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(statement("retrieval", "store_recall"), _parameters(trace, told, within=opened))
    if any(hit.item_id for hit in hits):
        enqueue("retrieval.count_uses", {}, dedup_key="retrieval.count_uses", run_after=now() + COUNT_AFTER)


def _parameters(trace: Trace, hits: Sequence[Mapping[str, object]], *, within: Scope) -> dict[str, Any]:
    return {
        "id": trace.recall_id,
        "tenant": within.tenant_id,
        "agent": within.agent_id,
        "user": within.whose.user_id,
        "session": trace.session_id,
        "at": now(),
        "query": trace.query,
        "rewritten": trace.rewritten,
        "profile": trace.profile,
        "intent": trace.intent,
        "tier": trace.tier,
        "degraded": json.dumps(trace.degraded),
        "stages": json.dumps({name: round(spent, 3) for name, spent in trace.stages.items()}),
        "candidates": trace.candidates,
        "returned": len(hits),
        "changed": json.dumps([str(each) for each in trace.changed]),
        "milliseconds": trace.milliseconds,
        "cost": trace.cost_usd,
        "hits": json.dumps(hits),
    }


def _row(hit: Hit, tokens: int) -> dict[str, object]:
    return {
        "rank": hit.rank,
        "unit": hit.unit.value,
        "id": str(hit.id),
        "item_id": str(hit.item_id) if hit.item_id else None,
        "score": hit.score,
        "scores": {"probability": hit.probability, **_scores(hit.scores)},
        "tags": [tag.value for tag in hit.tags],
        "verdict": hit.verdict.value if hit.verdict else None,
        "tokens": tokens,
    }


def _scores(scores: HitScores) -> dict[str, float]:
    return {name: value for name in HitScores.__slots__ if (value := getattr(scores, name)) is not None}
