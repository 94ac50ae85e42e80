"""Feedback: which hits an output used, and the counters of use that follow from it."""

import math
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import F, QuerySet
from django.utils.crypto import salted_hmac

from apps.core import locks, scope
from apps.core.clock import now
from apps.core.sql import statement
from apps.jobs.services import enqueue
from apps.journal.services import record
from apps.memory import selectors as memory
from apps.memory import services as memory_services
from apps.memory.requests import ItemUses
from apps.resources import selectors as resources
from apps.retrieval.models import Recall, Recalled
from apps.retrieval.results import Feedback
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Conflict, NotFound
from memory_platform.lifecycle import feedback
from memory_platform.lifecycle.feedback import Effects, RecalledText, Use
from memory_platform.model import JournalLine, Unit

JUDGE_JOB: Final = "retrieval.judge_output"
COUNTED_AT_ONCE: Final = 5_000
PRUNED_AT_ONCE: Final = 1_000


def report_output(*, recall_id: UUID, output: str) -> Feedback:
    """Judge which hits of a recall the output used; a second report replaces nothing and answers as the first did.

    Raises NotFound for a recall of nobody, or of another agent, Conflict for one past Policy's feedback_window_hours.
    """
    recall = _own(recall_id).select_for_update().first()
    if recall is None:
        raise NotFound("There is no such recall.", field="recallId", hint="Use the id that recall or context returned.")
    rows = list(Recalled.objects.filter(tenant_id=recall.tenant_id, recall_id=recall_id).order_by("rank"))
    if recall.reported_at is None:
        if recall.at < _earliest(recall.tenant_id):
            raise Conflict(
                "This recall is too old to be reported on.", field="recallId", hint="Report after each turn."
            )
        _judge(recall, rows, output)
    used = sum(row.used is True for row in rows)
    return Feedback(recall_id, used=used, ignored=len(rows) - used)


def expect_output(*, recall_id: UUID, resource_id: UUID) -> UUID | None:
    """Have a captured answer judged as the output of a recall, by a job, which is returned.

    None, and a line in the journal, when the recall is nobody's, another agent's or too old: a turn is never refused.
    """
    opened = scope.current()
    if not _own(recall_id).filter(at__gte=_earliest(opened.tenant_id)).exists():
        record(JournalLine("recall.report_refused", "recall", recall_id))
        return None
    arguments = {"recall": str(recall_id), "resource": str(resource_id)}
    return enqueue(JUDGE_JOB, arguments, dedup_key=f"{JUDGE_JOB}:{recall_id}")


def judge_captured(*, recall_id: UUID, resource_id: UUID) -> dict[str, int]:
    """Judge a recall that `expect_output` let in by what was captured; counts, all 0 where nothing was left to do."""
    recall = _own(recall_id).select_for_update().first()
    said = resources.sources([resource_id]).get(resource_id)
    if recall is None or recall.reported_at is not None or said is None:
        return {"used": 0, "ignored": 0}
    rows = list(Recalled.objects.filter(tenant_id=recall.tenant_id, recall_id=recall_id).order_by("rank"))
    return _judge(recall, rows, said.text)


def _own(recall_id: UUID) -> QuerySet[Recall]:
    opened = scope.current()
    rows = Recall.objects.filter(tenant_id=opened.tenant_id, id=recall_id)
    return rows if opened.agent_id is None else rows.filter(agent_id=opened.agent_id)


def _earliest(tenant_id: UUID) -> datetime:
    return now() - timedelta(hours=tenants.policy(tenant_id).feedback_window_hours)


def _judge(recall: Recall, rows: list[Recalled], output: str) -> dict[str, int]:
    policy = tenants.policy(recall.tenant_id)
    texts = _texts(rows)
    judged = feedback.judge(
        output,
        [RecalledText(row.unit_id, texts.get(row.item_id or row.unit_id, ""), row.tokens) for row in rows],
        query=recall.query,
        used_from=policy.feedback_used_from,
    )
    for row, verdict in zip(rows, judged, strict=True):
        row.used = verdict.use is Use.USED
    Recalled.objects.bulk_update(rows, ["used"])
    recall.report_digest = _digest(output, recall.tenant_id)
    _learn(recall, rows, [verdict.use for verdict in judged], policy)
    recall.reported_at = now()
    recall.save(update_fields=["reported_at", "report_digest"])
    used = sum(bool(row.used) for row in rows)
    counts = {"used": used, "ignored": len(rows) - used}
    record(JournalLine("recall.reported", "recall", recall.id, counts), agent_id=recall.agent_id)
    return counts


def _learn(recall: Recall, rows: list[Recalled], uses: list[Use], policy: Policy) -> None:
    """One effect an item, the best of its hits; none where the same question, in whatever words, or the same report
    taught as much within the window.
    """
    effects = Effects(policy.feedback_used, -policy.feedback_ignored, -policy.feedback_ignored_expensive)
    taught: dict[UUID, float] = {}
    for row, use in zip(rows, uses, strict=True):
        if row.item_id is not None:
            taught[row.item_id] = max(effects.of(use), taught.get(row.item_id, -math.inf))
    # Reports of one agent take turns: two at once would not see what the other teaches.
    locks.take_turn(f"{JUDGE_JOB} {recall.agent_id}")
    for item_id in _taught_already(recall, list(taught)):
        del taught[item_id]
    memory_services.learn(taught)


def _taught_already(recall: Recall, item_ids: list[UUID]) -> set[UUID]:
    """Items that another report of the same agent moved: asking again and again, or telling the same, wins nothing."""
    rows = Recalled.objects.filter(tenant_id=recall.tenant_id, item_id__in=item_ids, used__isnull=False)
    reported = Recall.objects.filter(
        id__in=rows.values("recall_id"),
        tenant_id=recall.tenant_id,
        agent_id=recall.agent_id,
        at__gte=_earliest(recall.tenant_id),
        reported_at__isnull=False,
    )
    others = reported.exclude(id=recall.id).values_list("id", "query", "report_digest")
    same_from = tenants.policy(recall.tenant_id).feedback_same_question_from
    same = [
        other_id
        for other_id, query, digest in others
        if digest == recall.report_digest or feedback.asks_again(recall.query, query, same_from=same_from)
    ]
    moved = rows.filter(recall_id__in=same).values_list("item_id", flat=True)
    return {item_id for item_id in moved if item_id is not None}


def _digest(output: str, tenant_id: UUID) -> str:
    """Of its words, however they are spaced."""
    words = " ".join(output.casefold().split())
    return salted_hmac(f"reported {tenant_id}", words, algorithm="sha256").hexdigest()


def _texts(rows: list[Recalled]) -> dict[UUID, str]:
    """What the hits say: of a message that an item answers for, the item's words."""
    items = memory.hydrate([row.item_id for row in rows if row.item_id is not None])
    episodes = resources.sources(
        [row.unit_id for row in rows if row.item_id is None and row.unit == Unit.EPISODE.value]
    )
    return {**{each.id: each.text for each in items.values()}, **{key: said.text for key, said in episodes.items()}}


def count_uses() -> dict[str, int]:
    """Fold the hits returned since the last run into their items' counters, and drop traces past their retention.

    To be returned to a question is an access, which keeps a memory from fading. What a session begins with nobody asked
    for: counted, it would keep itself alive and what is newer out.
    """
    tenant_id = scope.current().tenant_id
    recalled: dict[UUID, int] = defaultdict(int)
    latest: dict[UUID, datetime] = {}
    for item_id, at in _take(tenant_id):
        recalled[item_id] += 1
        latest[item_id] = max(at, latest.get(item_id, at))
    memory_services.count_uses(
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
            statement("retrieval", "take_uncounted"),
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
