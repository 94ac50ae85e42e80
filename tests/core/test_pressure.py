"""What follows from a budget: the laws of the decision, and what a plan leaves out under it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform import costs
from memory_platform.model import Pressure, Profile
from memory_platform.retrieval import query

AMOUNTS = st.decimals(min_value=0, max_value=1_000_000, places=8)
LIMITS = st.one_of(st.none(), AMOUNTS)
BUDGETS = st.tuples(LIMITS, LIMITS).filter(lambda both: None in both or both[0] <= both[1])
ORDER = tuple(Pressure)


def weight(spent, soft, hard):
    return ORDER.index(costs.pressure(spent, soft=soft, hard=hard))


@pytest.mark.parametrize(
    ("spent", "soft", "hard", "expected"),
    [
        ("0.99", "1", "2", Pressure.OK),
        ("1", "1", "2", Pressure.SOFT),
        ("1.99999999", "1", "2", Pressure.SOFT),
        ("2", "1", "2", Pressure.HARD),
        ("2", "2", "2", Pressure.HARD),
        ("0", None, "0", Pressure.HARD),
        ("9", "1", None, Pressure.SOFT),
        ("9", None, None, Pressure.OK),
    ],
)
def test_an_amount_counts_from_when_it_is_reached(spent, soft, hard, expected):
    amounts = {name: None if held is None else Decimal(held) for name, held in (("soft", soft), ("hard", hard))}

    assert costs.pressure(Decimal(spent), **amounts) is expected


@given(AMOUNTS, AMOUNTS, BUDGETS)
def test_spending_more_never_eases(spent, more, budget):
    assert weight(spent, *budget) <= weight(spent + more, *budget)


@given(AMOUNTS, BUDGETS, AMOUNTS)
def test_raising_a_budget_never_presses(spent, budget, more):
    raised = tuple(None if each is None else each + more for each in budget)

    assert weight(spent, *raised) <= weight(spent, *budget)


@given(AMOUNTS, BUDGETS)
def test_who_is_stopped_has_reached_the_soft_amount_too(spent, budget):
    soft, hard = budget
    if costs.pressure(spent, soft=soft, hard=hard) is Pressure.HARD and soft is not None:
        assert costs.pressure(spent, soft=soft, hard=None) is Pressure.SOFT


@given(st.lists(st.sampled_from(Pressure)))
def test_the_strictest_of_several_budgets_holds(held):
    assert costs.heaviest(held) is max(held, key=ORDER.index, default=Pressure.OK)


@given(AMOUNTS, BUDGETS)
def test_nothing_remains_exactly_where_the_last_amount_is_reached(spent, budget):
    soft, hard = budget
    if soft is None and hard is None:
        return
    left = costs.remaining(spent, soft=soft, hard=hard)

    assert left >= 0
    assert (left == 0) == (spent >= (soft if hard is None else hard))


def test_a_forecast_goes_on_like_the_last_week():
    spent, week = Decimal(3), Decimal(7)

    assert costs.forecast(spent, last_week=week, left=timedelta(days=2)) == Decimal(5)
    assert costs.forecast(spent, last_week=week, left=timedelta(0)) == spent
    assert costs.forecast(spent, last_week=week, left=timedelta(days=-1)) == spent


@pytest.mark.parametrize("pressure", [Pressure.SOFT, Pressure.HARD])
@pytest.mark.parametrize("profile", list(Profile))
def test_under_pressure_no_model_rewrites_and_the_graph_is_not_asked(pressure, profile):
    plan = query.plan("And when is the launch of Orion?", profile=profile, has_history=True, pressure=pressure)

    assert (plan.may_rewrite_by_model, plan.graph_depth) == (False, 0)


@pytest.mark.parametrize("profile", list(Profile))
def test_pressure_takes_nothing_else_from_a_plan(profile):
    free, pressed = (
        query.plan("And when is the launch of Orion?", profile=profile, pressure=pressure)
        for pressure in (Pressure.OK, Pressure.SOFT)
    )

    assert (free.hits, free.profile, free.intent, free.time_range) == (
        pressed.hits,
        pressed.profile,
        pressed.intent,
        pressed.time_range,
    )


BERLIN = ZoneInfo("Europe/Berlin")
ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "America/Sao_Paulo"]
)
MOMENTS = st.integers(1_000_000_000, 4_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


@given(MOMENTS, ZONES.map(ZoneInfo))
def test_periods_hold_their_moment_and_follow_each_other(moment, zone):
    for period in (costs.day_of, costs.month_of):
        since, until = period(moment, zone)
        assert since.timestamp() <= moment.timestamp() < until.timestamp()
        assert period(until, zone)[0] == until
        assert period(until.astimezone(UTC) - timedelta.resolution, zone) == (since, until)


@pytest.mark.parametrize(
    ("moment", "hours"),
    [
        (datetime(2026, 3, 29, 12, tzinfo=UTC), 23),
        (datetime(2026, 10, 25, 12, tzinfo=UTC), 25),
        (datetime(2026, 7, 1, 12, tzinfo=UTC), 24),
    ],
)
def test_a_day_has_the_hours_its_clocks_have(moment, hours):
    since, until = costs.day_of(moment, BERLIN)

    assert (until.timestamp() - since.timestamp()) / 3600 == hours


def test_a_month_ends_at_the_tenants_midnight():
    since, until = costs.month_of(datetime(2026, 1, 31, 23, 30, tzinfo=UTC), BERLIN)

    assert (since.isoformat(), until.isoformat()) == ("2026-02-01T00:00:00+01:00", "2026-03-01T00:00:00+01:00")
