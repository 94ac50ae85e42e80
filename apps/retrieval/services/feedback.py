"""Feedback: which hits an output used, and the counters of use that follow from it."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import F

from apps.core import scope
from apps.core.clock import now
from apps.journal.services import record
from apps.memory import selectors as memory
from apps.memory.requests import ItemUses
from apps.memory.services import count_uses as add_uses
from apps.resources import selectors as resources
from apps.retrieval.models import Recall, Recalled
from apps.retrieval.results import Feedback
from apps.tenants import selectors as tenants
from memory_platform.errors import NotFound
from memory_platform.lifecycle import feedback
from memory_platform.lifecycle.feedback import RecalledText, Use
from memory_platform.model import JournalLine, Unit

COUNTED_AT_ONCE: Final = 5_000
PRUNED_AT_ONCE: Final = 1_000


def report_output(*, recall_id: UUID, output: str) -> Feedback:
    """Judge which hits of a recall the output used; a second report replaces nothing and answers as the first did.

    Raises NotFound for a recall of nobody, or of another agent.
    """
    recall = _own_recall(recall_id)
    rows = list(Recalled.objects.filter(tenant_id=recall.tenant_id, recall_id=recall_id).order_by("rank"))
    if recall.reported_at is None:
        _judge(recall, rows, output)
    used = sum(row.used is True for row in rows)
    return Feedback(recall_id, used=used, ignored=len(rows) - used)


def _own_recall(recall_id: UUID) -> Recall:
    opened = scope.current()
    rows = Recall.objects.select_for_update().filter(tenant_id=opened.tenant_id, id=recall_id)
    if opened.agent_id is not None:
        rows = rows.filter(agent_id=opened.agent_id)
    found = rows.first()
    if found is None:
        raise NotFound("There is no such recall.", field="recallId", hint="Use the id that recall or context returned.")
    return found


def _judge(recall: Recall, rows: list[Recalled], output: str) -> None:
    policy = tenants.policy(recall.tenant_id)
    texts = _texts(rows)
    judged = feedback.judge(
        output,
        [RecalledText(row.unit_id, texts.get(row.unit_id, ""), row.tokens) for row in rows],
        query=recall.query,
        used=policy.feedback_used,
        ignored=policy.feedback_ignored,
        ignored_expensive=policy.feedback_ignored_expensive,
    )
    for row, verdict in zip(rows, judged, strict=True):
        row.used = verdict.use is Use.USED
    Recalled.objects.bulk_update(rows, ["used"])
    recall.reported_at = now()
    recall.save(update_fields=["reported_at"])
    add_uses(
        [
            ItemUses(row.item_id, accessed=int(bool(row.used)), priority_delta=verdict.delta, last_accessed_at=now())
            for row, verdict in zip(rows, judged, strict=True)
            if row.item_id is not None
        ]
    )
    used = sum(bool(row.used) for row in rows)
    record(
        JournalLine(
            operation="recall.reported",
            subject="recall",
            subject_id=recall.id,
            data={"used": used, "ignored": len(rows) - used},
        )
    )


def _texts(rows: list[Recalled]) -> dict[UUID, str]:
    items = memory.hydrate([row.unit_id for row in rows if row.unit == Unit.ITEM.value])
    episodes = resources.sources([row.unit_id for row in rows if row.unit == Unit.EPISODE.value])
    return {**{each.id: each.text for each in items.values()}, **{key: said.text for key, said in episodes.items()}}


def count_uses() -> dict[str, int]:
    """Fold the hits returned since the last run into their items' counters, and drop traces past their retention.

    To be returned is an access, which keeps a memory from fading; an output that used it is one more.
    """
    tenant_id = scope.current().tenant_id
    recalled: dict[UUID, int] = defaultdict(int)
    latest: dict[UUID, datetime] = {}
    for item_id, at in _take(tenant_id):
        recalled[item_id] += 1
        latest[item_id] = max(at, latest.get(item_id, at))
    add_uses(
        [
            ItemUses(each, recalled=count, accessed=count, last_accessed_at=latest[each])
            for each, count in recalled.items()
        ]
    )
    return {"items": len(recalled), "hits": sum(recalled.values()), "pruned": _prune(tenant_id)}


def _take(tenant_id: UUID) -> list[tuple[UUID, datetime]]:
    """Mark uncounted hits as counted and return them, so that each counts once whatever fails later."""
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH waiting AS (SELECT recall_id, rank FROM retrieval_recalled WHERE tenant_id = %(tenant)s"
            " AND NOT counted LIMIT %(limit)s FOR UPDATE SKIP LOCKED),"
            " taken AS (UPDATE retrieval_recalled hit SET counted = true FROM waiting"
            " WHERE hit.tenant_id = %(tenant)s AND hit.recall_id = waiting.recall_id AND hit.rank = waiting.rank"
            " RETURNING hit.item_id, hit.recall_id)"
            " SELECT taken.item_id, recall.at FROM taken JOIN retrieval_recall recall"
            " ON recall.tenant_id = %(tenant)s AND recall.id = taken.recall_id WHERE taken.item_id IS NOT NULL",
            {"tenant": tenant_id, "limit": COUNTED_AT_ONCE},
        )
        return list(cursor.fetchall())


def _prune(tenant_id: UUID) -> int:
    oldest = now() - timedelta(days=tenants.policy(tenant_id).recall_retention_days)
    rows = Recall.objects.filter(tenant_id=tenant_id, at__lt=oldest).order_by(F("at"))
    ids = list(rows.values_list("id", flat=True)[:PRUNED_AT_ONCE])
    if ids:
        Recalled.objects.filter(tenant_id=tenant_id, recall_id__in=ids).delete()
        Recall.objects.filter(tenant_id=tenant_id, id__in=ids).delete()
    return len(ids)
