"""What was spent against a budget, read cheaply: from days summed up and rows, in the tenant's own days and months."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.budgets import balances, rolling, selectors, services
from apps.budgets.models import Budget, Usage, UsageDay
from apps.core.paging import PageRequest
from apps.core.scope import Reach, Scope, enter, tenant_scope
from apps.jobs.models import Job
from apps.jobs.services import enqueue
from apps.journal.models import Entry
from apps.tenants import selectors as tenant_selectors
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Invalid, NotFound
from memory_platform.model import ModelUsage, Pressure

NOW = datetime(2027, 3, 10, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY, MONTH = Budget.Period.DAY, Budget.Period.MONTH


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOW, tick=False) as moved:
        yield moved


def spend(tenant_id, at, cost="1", agent_id=None):
    price = None if cost is None else Decimal(cost)
    Usage.objects.create(
        tenant_id=tenant_id, at=at, operation="recall", model="gpt-x", agent_id=agent_id, cost_usd=price
    )


def limit(period=DAY, agent_id=None, soft=None, hard="10"):
    amounts = {"soft_usd": soft and Decimal(soft), "hard_usd": hard and Decimal(hard)}
    return services.set_budget(agent_id=agent_id, period=period, **amounts)


def in_zone(tenant, name):
    tenants.change(Policy.objects.get(tenant_id=tenant.id), {"time_zone": name})


def spent(within):
    return {each.period: each.spent_usd for each in balances.current(within)}


def test_a_period_counts_what_it_holds_whether_summed_up_or_not(tenant, in_scope):
    for at in (
        datetime(2027, 2, 28, 23, 59, 59, tzinfo=UTC),
        datetime(2027, 3, 1, tzinfo=UTC),
        NOW - timedelta(days=3),
        NOW.replace(hour=0),
        NOW - HOUR,
    ):
        spend(tenant.id, at)
    for period in (DAY, MONTH):
        limit(period)

    before = spent(in_scope)
    days = 0
    while rolling.roll_next_day() is not None:
        days += 1
    balances.forget(tenant.id)

    assert before == spent(in_scope) == {DAY: 2, MONTH: 4}
    assert days == 3


def test_a_clock_set_back_leaves_no_day_out(tenant, in_scope, clock):
    for period in (DAY, MONTH):
        limit(period)
    for days in (-2, 0, 3, 4):
        clock.move_to(NOW + timedelta(days=days))
        meter("1")
    roll_up_as_asked(tenant)
    assert UsageDay.objects.filter(tenant_id=tenant.id).count() == 3

    clock.move_to(NOW + HOUR)
    meter("10")
    roll_up_as_asked(tenant)
    assert spent(in_scope) == {DAY: 11, MONTH: 14}
    week = selectors.UsageSpan(NOW - timedelta(days=7), NOW + 2 * HOUR)
    assert sum(each.known_cost_usd for each in selectors.usage(week, (), PageRequest(1)).rows) == 12

    clock.move_to(NOW + timedelta(days=1))
    meter("100")
    roll_up_as_asked(tenant)
    assert spent(in_scope) == {DAY: 100, MONTH: 114}
    assert UsageDay.objects.filter(tenant_id=tenant.id, cost_usd=11, day=NOW.date()).exists()


def roll_up_as_asked(tenant):
    """Do what metering has asked for."""
    asked, _ = Job.objects.filter(tenant_id=tenant.id, name=rolling.ROLL_UP).delete()
    assert asked == 1
    while rolling.roll_next_day() is not None:
        pass
    balances.forget(tenant.id)


def meter(cost):
    services.meter(
        operation="recall", usages=(ModelUsage(model="gpt-x", llm_calls=1, cost_usd=float(cost), milliseconds=1),)
    )


def test_days_and_months_are_the_tenants_own(tenant, in_scope):
    in_zone(tenant, "America/Los_Angeles")
    for at in (datetime(2027, 3, 1, 7, 59, tzinfo=UTC), datetime(2027, 3, 1, 8, tzinfo=UTC), NOW.replace(hour=8)):
        spend(tenant.id, at)
    spend(tenant.id, NOW.replace(hour=7, minute=59))
    for period in (DAY, MONTH):
        limit(period)
    while rolling.roll_next_day() is not None:
        pass
    balances.forget(tenant.id)

    assert spent(in_scope) == {DAY: 1, MONTH: 3}


@pytest.mark.usefixtures("in_scope")
@pytest.mark.parametrize("name", ["Atlantis", "", "../etc/passwd", "America"])
def test_a_time_zone_that_is_none_is_refused(tenant, name):
    with pytest.raises(Invalid) as refused:
        in_zone(tenant, name)

    assert refused.value.field == "time_zone"


def test_a_budget_binds_its_agent_and_one_of_all_binds_everyone(tenant, agent, in_scope):
    other = tenants.create_agent(slug="other")
    spend(tenant.id, NOW, "2", agent.id)
    spend(tenant.id, NOW, "5", other.id)
    spend(tenant.id, NOW, "1")
    limit(soft="20", hard=None)
    limit(agent_id=agent.id, soft="2", hard="3")
    limit(agent_id=other.id, hard="5")

    assert {each.agent_id: each.spent_usd for each in balances.current(in_scope)} == {
        None: 8,
        agent.id: 2,
        other.id: 5,
    }
    assert [balances.hold(in_scope, each).pressure for each in (None, agent.id, other.id)] == list(Pressure)
    assert balances.hold(in_scope, other.id).until == datetime(2027, 3, 11, tzinfo=UTC)


def test_an_agents_scope_is_held_to_what_the_whole_tenant_spent(tenant, agent):
    with tenant_scope(tenant.id):
        limit(soft="3", hard=None)
        spend(tenant.id, NOW, "3")
        mine = limit(agent_id=agent.id, hard="1")

    hold = balances.hold(Scope(tenant.id, agent.id, Reach.OWN))

    assert hold.pressure is Pressure.SOFT
    with tenant_scope(tenant.id, agent_id=agent.id):
        assert not Budget.objects.exists()
        with pytest.raises(NotFound):
            services.delete_budget(mine.id)


def test_an_unknown_price_is_counted_and_adds_nothing(tenant, in_scope):
    spend(tenant.id, NOW, None)
    spend(tenant.id, NOW, "1")
    spend(tenant.id, NOW, "0")
    limit()

    (held,) = balances.current(in_scope)

    assert (held.spent_usd, held.unpriced_rows) == (1, 1)


def test_another_tenants_spending_and_budgets_are_not_seen(make_tenant):
    one, other = make_tenant(), make_tenant()
    with tenant_scope(one.id):
        limit()
        spend(one.id, NOW, "7")
    with tenant_scope(other.id) as within:
        assert balances.current(within) == ()
        limit()
        assert spent(within) == {DAY: 0}


def test_what_this_process_spends_counts_once_it_is_committed(tenant, agent):
    within = Scope(tenant.id, None, Reach.TENANT)
    with enter(within):
        limit()
    assert spent(within) == {DAY: 0}
    asked = ModelUsage("gpt-x", tokens_in=1, llm_calls=1, cost_usd=2.5)
    with enter(within):
        services.meter(operation="extract", usages=(asked,), agent_id=agent.id)
        assert spent(within) == {DAY: 0}

    assert spent(within) == {DAY: Decimal("2.5")}


def test_the_next_period_begins_with_nothing_though_nobody_looked(tenant, clock):
    within = Scope(tenant.id, None, Reach.TENANT)
    with enter(within):
        limit(hard="1")
        spend(tenant.id, NOW)
    assert balances.hold(within).stops

    clock.move_to(datetime(2027, 3, 11, tzinfo=UTC))

    assert not balances.hold(within).stops


def statements(within):
    with CaptureQueriesContext(connection) as captured:
        balances.hold(within)
    return [row["sql"] for row in captured.captured_queries]


def reread(within):
    """What asking costs when the policy has to be loaded anyway."""
    tenant_selectors.forget_cached(within.tenant_id)
    return statements(within)


def test_without_a_budget_nothing_is_read_and_with_one_a_statement_a_load_of_the_policy(tenant):
    within = Scope(tenant.id, None, Reach.TENANT)
    without = reread(within)
    assert statements(within) == []

    with enter(within):
        limit()
    held = reread(within)

    assert statements(within) == []
    assert len(held) == len(without) + 1
    assert sum("budget_standings" in each for each in held) == 1
    assert not any("budget" in each.replace("has_budgets", "") for each in without)


def test_what_costs_something_is_found_by_its_own_index(tenant, in_scope):
    limit(MONTH)
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO budgets_usage (tenant_id, id, at, operation, model, tokens_in, tokens_out, embedding_calls,
                 llm_calls, failed_calls, queries, turns, memories, milliseconds, cost_usd)
               SELECT %s, gen_random_uuid(), %s - n * interval '1 second', 'recall', 'm', 0, 0, 1, 0, 0, 1, 0, 0, 0,
                 CASE WHEN n %% 100 = 0 THEN 0.5 ELSE 0 END FROM generate_series(1, 5000) n""",
            [tenant.id, NOW],
        )
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            """EXPLAIN SELECT sum(cost_usd) FROM budgets_usage WHERE tenant_id = %s AND at >= %s AND at < %s
               AND (cost_usd > 0 OR cost_usd IS NULL)""",
            [tenant.id, NOW - timedelta(days=9), NOW],
        )
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert spent(in_scope) == {MONTH: 25}
    assert "agent_id_cost_usd_idx" in plan


def test_setting_a_budget_again_replaces_its_amounts(tenant, in_scope):
    first, again = limit(hard="10"), limit(soft="1", hard="2")

    assert first.id == again.id
    (row,) = Budget.objects.filter(tenant_id=tenant.id)
    assert (row.soft_usd, row.hard_usd) == (1, 2)
    entries = Entry.objects.filter(operation="budget.set", subject_id=row.id)
    assert sorted(each.data["hard_usd"] for each in entries) == ["10", "2"]


@pytest.mark.usefixtures("in_scope")
@pytest.mark.parametrize(
    ("soft", "hard", "field"), [("2", "1", None), (None, None, None), ("-1", "1", "soft_usd"), (None, "-1", "hard_usd")]
)
def test_amounts_that_are_no_budget_are_refused(tenant, soft, hard, field):
    with pytest.raises(Invalid) as refused:
        limit(soft=soft, hard=hard)

    assert refused.value.field == field
    assert not Budget.objects.filter(tenant_id=tenant.id).exists()


def test_the_last_budget_lifted_leaves_nothing_to_look_up(tenant, in_scope):
    first, second = limit(DAY), limit(MONTH)
    services.delete_budget(first.id)
    assert tenant_selectors.policy(tenant.id).has_budgets
    services.delete_budget(second.id)

    assert not tenant_selectors.policy(tenant.id).has_budgets
    with pytest.raises(NotFound):
        services.delete_budget(second.id)


@pytest.mark.usefixtures("in_scope")
def test_an_agent_of_another_tenant_has_no_budget_here(make_tenant, tenant):
    with pytest.raises(Invalid) as refused:
        limit(agent_id=UUID(int=7))

    assert refused.value.field == "agent"
    assert not Budget.objects.filter(tenant_id=tenant.id).exists()


def test_what_a_spent_budget_keeps_waiting_goes_on_when_it_is_changed(tenant, in_scope):
    waiting, other = (enqueue(rolling.ROLL_UP, {}, run_after=NOW + timedelta(days=400)) for _ in range(2))
    Job.objects.filter(id=waiting).update(error="retry:BudgetSpent")

    limit()

    assert Job.objects.get(id=waiting).run_after < Job.objects.get(id=other).run_after


def test_a_forecast_is_by_the_last_seven_days_of_those_it_binds(tenant, agent, in_scope):
    spend(tenant.id, NOW - timedelta(days=2), "7", agent.id)
    spend(tenant.id, NOW - timedelta(days=6), "14")
    spend(tenant.id, NOW - timedelta(days=8), "100")
    limit(MONTH)
    limit(MONTH, agent_id=agent.id)
    left = Decimal("21.5")

    everyone, alone = selectors.budgets()

    assert (everyone.spent_usd, everyone.forecast_usd) == (121, 121 + 3 * left)
    assert (alone.agent_id, alone.spent_usd, alone.forecast_usd) == (agent.id, 7, 7 + left)
