"""Retention by category: what is older than its category keeps is erased like anything else, receipt included."""

from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q, QuerySet

from apps.core import clock, scope
from apps.erasure.models import ErasureKind, ErasureTarget, Target
from apps.erasure.requests import Subject
from apps.erasure.services import requesting, selecting
from apps.memory.models import Item
from apps.tenants.models import Category

ITEMS_AT_ONCE: Final = 1_000
"""Of one erasure."""


def due() -> int:
    """How many memories are to be erased now."""
    return _due().count()


def retain() -> int:
    """Have the oldest of them erased, with the messages they rest on; returns how many. Resumes what was cut off.

    What is being erased already is not asked for again.
    """
    for erasure_id in requesting.unfinished():
        requesting.start(erasure_id)
    ids = tuple(_due().order_by("recorded_at").values_list("id", flat=True)[:ITEMS_AT_ONCE])
    if ids:
        subject = Subject(ErasureKind.RETENTION, memory_ids=ids)
        requesting.begin(subject, selecting.select(subject))
    return len(ids)


def _due() -> QuerySet[Item]:
    tenant_id = scope.current().tenant_id
    kept = Category.objects.filter(tenant_id=tenant_id, erase_after_days__isnull=False)
    rules = [
        Q(category=slug, recorded_at__lt=clock.now() - timedelta(days=days or 0))
        for slug, days in kept.values_list("slug", "erase_after_days")
    ]
    going = ErasureTarget.objects.filter(tenant_id=tenant_id, kind=Target.ITEM).values("unit_id")
    rows = Item.objects.filter(tenant_id=tenant_id).exclude(id__in=going)
    return rows.filter(reduce(or_, rules)) if rules else rows.none()
