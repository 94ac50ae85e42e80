"""Reading what became of recalls."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from apps.core import scope
from apps.retrieval.models import Recall


@dataclass(frozen=True, slots=True)
class TierCount:
    """Recalls that a tier answered, and those among them with at least one hit."""

    tier: int
    recalls: int
    answered: int


def by_tier(since: datetime) -> list[TierCount]:
    """Recalls since then, by the tier that answered."""
    rows = Recall.objects.filter(tenant_id=scope.current().tenant_id, at__gte=since)
    counted = rows.values("tier").annotate(recalls=Count("id"), answered=Count("id", filter=Q(returned__gt=0)))
    return [TierCount(row["tier"], row["recalls"], row["answered"]) for row in counted.order_by("tier")]
