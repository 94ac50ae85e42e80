"""Retention by category: what is older than its category keeps is erased like anything else, receipt included."""

from collections.abc import Mapping
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q, QuerySet

from apps.core import clock, scope
from apps.erasure.models import ErasureKind, ErasureTarget, Target
from apps.erasure.requests import Subject
from apps.erasure.results import Selection
from apps.erasure.services import requesting, selecting
from apps.memory.models import Item
from apps.tenants.models import Category

ITEMS_AT_ONCE: Final = 1_000
"""Of one erasure."""


def due() -> int:
    """How many memories are to be erased now."""
    return _due(_kept()).count()


def retain() -> int:
    """Have the oldest of them erased, with the messages they rest on; returns how many. Resumes what was cut off.

    What is being erased already, or waits for somebody's approval, is not asked for again.
    """
    for erasure_id in requesting.unfinished():
        requesting.start(erasure_id)
    subject, selection = _next(_kept())
    if subject.memory_ids:
        requesting.begin(subject, selection, waits=requesting.needs_approval())
    return len(subject.memory_ids)


def would_erase(slug: str, days: int) -> tuple[Subject, Selection]:
    """What the next night would erase if a category kept its memories for so many days: its own, and all that goes with
    them. Needs an open scope of the whole tenant.
    """
    return _next({slug: days})


def _next(kept: Mapping[str, int]) -> tuple[Subject, Selection]:
    ids = tuple(_due(kept).order_by("recorded_at").values_list("id", flat=True)[:ITEMS_AT_ONCE])
    subject = Subject(ErasureKind.RETENTION, memory_ids=ids)
    return subject, selecting.select(subject) if ids else Selection()


def _kept() -> dict[str, int]:
    """For how many days each category keeps its memories that does not keep them for ever."""
    rows = Category.objects.filter(tenant_id=scope.current().tenant_id)
    return {slug: days for slug, days in rows.values_list("slug", "erase_after_days") if days is not None}


def _due(kept: Mapping[str, int]) -> QuerySet[Item]:
    tenant_id, now = scope.current().tenant_id, clock.now()
    rules = [Q(category=slug, recorded_at__lt=now - timedelta(days=days)) for slug, days in kept.items()]
    going = ErasureTarget.objects.filter(tenant_id=tenant_id, kind=Target.ITEM).values("unit_id")
    rows = Item.objects.filter(tenant_id=tenant_id).exclude(id__in=going)
    return rows.filter(reduce(or_, rules)) if rules else rows.none()
