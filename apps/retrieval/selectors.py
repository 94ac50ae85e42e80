"""Reading what became of recalls."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from apps.core import scope
from apps.retrieval.models import Recall


@dataclass(frozen=True, slots=True)
class TierCount:
    """Recalls that a tier answered, and those with a hit; 0: what to begin with, 1: summaries, 2: a search."""

    tier: int
    recalls: int
    answered: int

    @property
    def percent(self) -> int:
        """The hit rate, rounded."""
        return round(100 * self.answered / self.recalls) if self.recalls else 0


def by_tier(since: datetime) -> list[TierCount]:
    """Recalls since then, by the tier that answered."""
    rows = Recall.objects.filter(tenant_id=scope.current().tenant_id, at__gte=since)
    counted = rows.values("tier").annotate(recalls=Count("id"), answered=Count("id", filter=Q(returned__gt=0)))
    return [TierCount(row["tier"], row["recalls"], row["answered"]) for row in counted.order_by("tier")]
