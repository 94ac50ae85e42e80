"""Telling that a budget is reached: from what is metered, once a period, amount and budget."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine

from apps.budgets import balances, services
from apps.budgets.models import Budget
from apps.core.scope import Reach, Scope, enter
from apps.jobs import services as jobs
from apps.journal.models import Event
from memory_platform.model import ModelUsage

NOW = datetime(2027, 3, 10, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOW, tick=False) as moved:
        yield moved


@pytest.fixture
def whole(tenant) -> Scope:
    return Scope(tenant.id, None, Reach.TENANT)


def limit(whole, *, soft="1", hard="2", agent_id=None):
    amounts = {"soft_usd": soft and Decimal(soft), "hard_usd": hard and Decimal(hard)}
    with enter(whole):
        return services.set_budget(agent_id=agent_id, period=Budget.Period.DAY, **amounts)


def spend(within, usd: float) -> None:
    """As a request or a worker does: held to the budgets, then metered; and whatever it left to do is done."""
    balances.hold(within)
    with enter(within):
        services.meter(operation="recall", usages=(ModelUsage(model="gpt-x", cost_usd=usd),), agent_id=within.agent_id)
    jobs.drain("test", tenant_id=within.tenant_id)


def told(whole) -> list[tuple[object, str]]:
    with enter(whole):
        rows = Event.objects.filter(tenant_id=whole.tenant_id, kind="budget").order_by("at", "id")
        return [(row.subject_id, row.code) for row in rows]


def test_each_amount_is_told_once_as_it_is_reached(whole, clock):
    budget = limit(whole)
    spend(whole, 0.9)
    assert told(whole) == []

    for _ in range(3):
        spend(whole, 0.2)
        clock.shift(60)
    assert told(whole) == [(budget.id, "soft")]

    spend(whole, 0.9)
    spend(whole, 0.0)
    assert told(whole) == [(budget.id, "soft"), (budget.id, "hard")]


def test_the_next_period_is_told_anew(whole, clock):
    budget = limit(whole, hard=None)
    spend(whole, 1.5)
    clock.shift(timedelta(days=1))
    spend(whole, 0.5)
    assert told(whole) == [(budget.id, "soft")]

    spend(whole, 0.6)
    assert told(whole) == [(budget.id, "soft")] * 2


def test_what_an_agent_spends_tells_of_the_tenants_budget(whole, agent):
    budget = limit(whole)
    spend(Scope(whole.tenant_id, agent.id, Reach.OWN), 1.1)

    assert told(whole) == [(budget.id, "soft")]


def test_a_tenant_without_budgets_is_told_of_none(whole):
    spend(whole, 100.0)

    assert told(whole) == []
