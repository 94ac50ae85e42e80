"""What use teaches about an item: an offset of its priority that fades, outside its history and its confidence."""

from collections.abc import Mapping
from uuid import UUID

from apps.core import clock, scope
from apps.memory.models import Item, ItemUse
from apps.tenants import selectors as tenants
from memory_platform.lifecycle import feedback


def learn(effects: Mapping[UUID, float]) -> dict[UUID, float]:
    """Move the offsets of readable items; returns by how much each did, which its bound may cut short.

    Needs an open scope. The caller makes sure that no use is told twice.
    """
    tenant_id, now = scope.current().tenant_id, clock.now()
    policy = tenants.policy(tenant_id)
    moved: dict[UUID, float] = {}
    rows = _locked(effects)
    for use in rows:
        left = feedback.left_of(use.learnt, since=use.learnt_at, now=now, half_life_days=policy.feedback_half_life_days)
        use.learnt = feedback.moved(left, effects[use.item_id], bound=policy.priority_clamp)
        use.learnt_at = now
        moved[use.item_id] = use.learnt - left
    ItemUse.objects.bulk_update(rows, ["learnt", "learnt_at"])
    return moved


def _locked(effects: Mapping[UUID, float]) -> list[ItemUse]:
    """The items' rows, made where there are none, in the one order in which everybody locks them."""
    tenant_id, ids = scope.current().tenant_id, sorted(effects)
    known = Item.objects.filter(tenant_id=tenant_id, id__in=ids).order_by("id").values_list("id", flat=True)
    ItemUse.objects.bulk_create(
        [ItemUse(tenant_id=tenant_id, item_id=each, learnt=0.0) for each in known], ignore_conflicts=True
    )
    return list(ItemUse.objects.select_for_update().filter(tenant_id=tenant_id, item_id__in=ids).order_by("item_id"))
