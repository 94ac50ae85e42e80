"""Reading who there is and which numbers apply."""

import time
from uuid import UUID

from apps.tenants.models import Category, Policy
from memory_platform.model import CategoryRule, Retention

# A change in the admin reaches every process within this many seconds.
CACHE_SECONDS = 5.0

_policies: dict[UUID, tuple[float, Policy]] = {}
_categories: dict[UUID, tuple[float, tuple[CategoryRule, ...]]] = {}


def policy(tenant_id: UUID) -> Policy:
    """The tenant's numbers, at most CACHE_SECONDS old. Needs an open scope when not cached."""
    held = _policies.get(tenant_id)
    if held is None or held[0] < time.monotonic():
        held = (time.monotonic() + CACHE_SECONDS, Policy.objects.get(tenant_id=tenant_id))
        _policies[tenant_id] = held
    return held[1]


def category_rules(tenant_id: UUID) -> tuple[CategoryRule, ...]:
    """The tenant's categories as stages need them, at most CACHE_SECONDS old, ordered by slug."""
    held = _categories.get(tenant_id)
    if held is None or held[0] < time.monotonic():
        rows = Category.objects.filter(tenant_id=tenant_id).order_by("slug")
        held = (time.monotonic() + CACHE_SECONDS, tuple(_rule(row) for row in rows))
        _categories[tenant_id] = held
    return held[1]


def forget_cached(tenant_id: UUID) -> None:
    """Drop this process's copies after a change, so that the one who made it sees it at once."""
    _policies.pop(tenant_id, None)
    _categories.pop(tenant_id, None)


def _rule(row: Category) -> CategoryRule:
    return CategoryRule(
        slug=row.slug,
        keywords=tuple(row.keywords),
        ttl_days=row.ttl_days,
        decay_lambda=row.decay_lambda,
        retention=Retention(row.retention),
        operational=row.purpose == Category.Purpose.OPERATIONAL,
    )
