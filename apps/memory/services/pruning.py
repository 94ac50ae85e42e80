"""What the tenant no longer wants to keep."""

from datetime import timedelta
from typing import Final

from django.db.models import Exists, OuterRef

from apps.core import clock, scope
from apps.memory.models import ItemLink, Rejection
from apps.tenants import selectors as tenants

PRUNED_AT_ONCE: Final = 1_000


def prune_rejections() -> int:
    """Delete rejections past their retention, at most PRUNED_AT_ONCE; returns how many. Needs an open scope.

    Those that contradict an item stay as long as that question is open.
    """
    tenant_id = scope.current().tenant_id
    days = tenants.policy(tenant_id).rejection_retention_days
    old = Rejection.objects.filter(tenant_id=tenant_id, created_at__lt=clock.now() - timedelta(days=days))
    asked = ItemLink.objects.filter(tenant_id=tenant_id, from_rejection_id=OuterRef("id"), closed_at=None)
    ids = list(old.filter(~Exists(asked)).order_by("created_at").values_list("id", flat=True)[:PRUNED_AT_ONCE])
    if ids:
        Rejection.objects.filter(tenant_id=tenant_id, id__in=ids).delete()
    return len(ids)
