"""How many items there are, by what they are, and how many came in."""

from collections import defaultdict
from datetime import datetime

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import connection
from django.db.models import Count, Max

from apps.core import scope
from apps.core.ids import earliest_id
from apps.core.sql import statement
from apps.memory.models import ColdItem, Item, ItemLink
from apps.memory.results import Growth, SharedCategory, Stats
from memory_platform.model import Status, Verdict, Visibility


def stats() -> Stats:
    """Counts over what the scope may read. Merged wordings are counted with their item, not beside it."""
    with connection.cursor() as cursor:
        cursor.execute(statement("memory", "count_items"), {"tenant": scope.current().tenant_id})
        counted = cursor.fetchall()
    by: dict[str, dict[str, int]] = defaultdict(dict)
    for dimension, name, count in counted:
        by[dimension][name] = count
    return Stats(
        items=by["all"][""],
        by_status=by["status"],
        by_verdict=by["verdict"],
        by_category=by["category"],
        rejections=by["rejections"][""],
        open_contradictions=by["contradictions"][""],
    )


def shared_domains() -> list[SharedCategory]:
    """What agents share, by category: current items only, the fullest first. A scope without reach sees its own."""
    rows = Item.objects.filter(
        tenant_id=scope.current().tenant_id,
        visibility=Visibility.SHARED.value,
        verdict=Verdict.ALLOW.value,
        status__in=(Status.ACTIVE.value, Status.STALE.value),
    )
    grouped = rows.values("category").annotate(
        memories=Count("id"), agents=ArrayAgg("agent_id", distinct=True), last=Max("recorded_at")
    )
    return [
        SharedCategory(row["category"], row["memories"], tuple(row["agents"]), row["last"])
        for row in grouped.order_by("-memories", "category")
    ]


def packed_away() -> int:
    """How many items lie in the cold archive, as far as the scope reads them."""
    return ColdItem.objects.filter(tenant_id=scope.current().tenant_id).count()


def growth(since: datetime) -> Growth:
    """What came in since then, in the whole of the scope."""
    tenant_id = scope.current().tenant_id
    merges = ItemLink.objects.filter(
        tenant_id=tenant_id, kind=ItemLink.Kind.MERGED_INTO, created_at__gte=since, closed_at=None
    )
    return Growth(Item.objects.filter(tenant_id=tenant_id, id__gte=earliest_id(since)).count(), merges.count())
