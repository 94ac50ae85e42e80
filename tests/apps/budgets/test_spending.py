"""What was spent in vain is metered once, whatever failed after it; a spent budget lets no call through."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine

from apps.budgets import services
from apps.budgets.models import Budget, Usage
from apps.core import spending as permission
from apps.core.scope import Reach, Scope, enter
from memory_platform.adapters.openai_embedder import OpenAiEmbedder
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.errors import BudgetSpent, Invalid, ProviderRefused
from memory_platform.model import ModelUsage
from tests import fake_openai

NOON = datetime(2027, 3, 10, 12, tzinfo=UTC)
PAID = ModelUsage("house-llm", tokens_in=100, llm_calls=1, cost_usd=0.25)


@pytest.fixture
def within(tenant):
    return Scope(tenant.id, None, Reach.TENANT)


@pytest.fixture
def spend(within, agent):
    """Ask for an agent: `spend(*usages, error)` spends them, and then fails with the error."""

    def asking(*usages, error):
        with services.spending(operation="extract", within=within, agent_id=agent.id) as asked:
            asked.usages.extend(usages)
            raise error

    return asking


def metered(within):
    with enter(within):
        return sorted(Usage.objects.filter(tenant_id=within.tenant_id).values_list("model", "failed_calls"))


def test_what_was_spent_before_a_failure_is_metered_with_what_the_failure_cost(spend, within):
    refused = ProviderRefused("no")
    refused.usage = ModelUsage("house-llm", llm_calls=2, failed_calls=2, are_tokens_known=False, cost_usd=None)

    with pytest.raises(ProviderRefused) as raised:
        spend(PAID, error=refused)

    assert metered(within) == [("house-llm", 0), ("house-llm", 2)]
    assert raised.value.usage is None


def test_a_failure_that_is_no_models_does_not_swallow_what_was_spent(spend, within):
    with pytest.raises(Invalid):
        spend(PAID, error=Invalid("no"))

    assert metered(within) == [("house-llm", 0)]


def test_what_spent_nothing_meters_nothing(spend, within):
    with pytest.raises(Invalid):
        spend(error=Invalid("no"))

    assert metered(within) == []


def test_a_block_that_ends_well_meters_for_itself(within):
    with services.spending(operation="extract", within=within) as asked:
        asked.usages.append(PAID)

    assert metered(within) == []


def test_over_the_hard_amount_no_server_is_asked_until_the_period_ends(within):
    with enter(within):
        services.set_budget(agent_id=None, period=Budget.Period.DAY, soft_usd=None, hard_usd=Decimal(0))
    with fake_openai.running() as server, time_machine.travel(NOON, tick=False):
        embedder = OpenAiEmbedder(Endpoint(server.base_url, "k", "m", permit=permission.permit))
        with (
            pytest.raises(BudgetSpent) as refused,
            services.spending(operation="index.embed", within=within),
        ):
            embedder.embed(["tea"])
        embedder.embed(["tea"])

    assert refused.value.retry_after == timedelta(hours=12).total_seconds()
    # Outside of the block nobody is held to a budget.
    assert len(server.received) == 1
    assert metered(within) == []


def test_an_agent_of_its_own_budget_stops_alone(within, agent):
    with enter(within):
        services.set_budget(agent_id=agent.id, period=Budget.Period.MONTH, soft_usd=None, hard_usd=Decimal(0))

    with services.spending(operation="extract", within=within, agent_id=agent.id), pytest.raises(BudgetSpent):
        permission.permit()
    with services.spending(operation="extract", within=within):
        permission.permit()
