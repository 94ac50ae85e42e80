"""What a call cost this tenant: by its own price of the model, else as the list that ships with the platform says."""

import time
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

from apps.budgets.models import Price
from apps.core import scope
from apps.core.clock import now
from memory_platform import costs
from memory_platform.model import ModelUsage

# A price that is added reaches every process within this many seconds.
CACHE_SECONDS = 5.0
MILLION = 1_000_000

_held: dict[UUID, tuple[float, list[Price]]] = {}


def priced(usages: tuple[ModelUsage, ...]) -> tuple[ModelUsage, ...]:
    """The usages, those with a price of the tenant's own at that price. Asks the database only for models that are
    charged for.
    """
    return tuple(_at_own_price(usage) if _is_charged(usage) else usage for usage in usages)


def forget_cached(tenant_id: UUID) -> None:
    _held.pop(tenant_id, None)


def _is_charged(usage: ModelUsage) -> bool:
    runs_here = usage.cost_usd == 0 and costs.is_local(usage.model)
    return usage.are_tokens_known and usage.tokens_in + usage.tokens_out > 0 and not runs_here


def _at_own_price(usage: ModelUsage) -> ModelUsage:
    moment = now()
    price = next((each for each in _prices() if each.model == usage.model and each.valid_from <= moment), None)
    if price is None:
        return usage
    cost: Decimal = usage.tokens_in * price.usd_per_million_in + usage.tokens_out * price.usd_per_million_out
    return replace(usage, cost_usd=float(cost / MILLION))


def _prices() -> list[Price]:
    """The tenant's own prices, the latest first."""
    tenant_id = scope.current().tenant_id
    held = _held.get(tenant_id)
    if held is None or held[0] < time.monotonic():
        rows = list(Price.objects.filter(tenant_id=tenant_id).order_by("-valid_from"))
        held = _held[tenant_id] = (time.monotonic() + CACHE_SECONDS, rows)
    return held[1]
