"""What calls cost: by the tenant's own price first, and unknown where nobody knows."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from apps.budgets.models import Price, Usage
from apps.budgets.prices import priced
from apps.budgets.services import Done, add_price, meter
from apps.core.clock import now
from apps.core.scope import tenant_scope
from memory_platform.errors import Invalid
from memory_platform.model import ModelUsage

ASKED = ModelUsage(model="house-model", tokens_in=2_000, tokens_out=500, llm_calls=1, cost_usd=None)


def price(model="house-model", *, into="3", out="15", since=timedelta(days=-1)):
    return Price(
        model=model, usd_per_million_in=Decimal(into), usd_per_million_out=Decimal(out), valid_from=now() + since
    )


def costs(*usages):
    return [usage.cost_usd for usage in priced(usages)]


@pytest.mark.usefixtures("in_scope")
def test_a_model_behind_a_proxy_is_unknown_until_the_tenant_says_its_price():
    assert costs(ASKED) == [None]

    add_price(price())

    assert costs(ASKED) == [pytest.approx(2_000 * 3e-6 + 500 * 15e-6)]


@pytest.mark.usefixtures("in_scope")
def test_a_servers_model_is_charged_for_though_it_is_named_like_one_that_runs_here():
    add_price(price("rules-of-thumb", into="1", out="0"))

    assert costs(replace(ASKED, model="rules-of-thumb")) == [pytest.approx(0.002)]


@pytest.mark.usefixtures("in_scope")
def test_the_tenants_own_price_goes_before_the_list():
    listed = ModelUsage(model="gpt-4o-mini", tokens_in=1_000_000, llm_calls=1, cost_usd=0.15)
    add_price(price("gpt-4o-mini", into="0.1"))

    assert costs(listed) == [pytest.approx(0.1)]


@pytest.mark.usefixtures("in_scope")
def test_the_latest_price_that_began_holds():
    for into, days in (("1", -30), ("2", -1), ("9", 1)):
        add_price(price(into=into, out="0", since=timedelta(days=days)))

    assert costs(ASKED) == [pytest.approx(0.004)]


@pytest.mark.usefixtures("in_scope")
def test_a_price_prices_nothing_whose_tokens_are_unknown_nor_what_runs_here():
    add_price(price())
    add_price(price("wordllama-256"))
    unanswered = ModelUsage(model="house-model", tokens_in=9, failed_calls=1, are_tokens_known=False, cost_usd=None)
    local = ModelUsage(model="wordllama-256", tokens_in=1_000_000)

    assert costs(unanswered, local) == [None, 0.0]


def test_a_price_is_one_tenants_alone(make_tenant):
    one, other = make_tenant(), make_tenant()
    with tenant_scope(one.id):
        add_price(price())
        assert costs(ASKED) != [None]
    with tenant_scope(other.id):
        assert costs(ASKED) == [None]


def test_rows_are_metered_with_what_the_call_cost(tenant, in_scope):
    add_price(price())
    meter(operation="extract", usages=(ASKED,), done=Done(turns=2))

    row = Usage.objects.get(tenant_id=tenant.id)
    assert (row.cost_usd, row.turns) == (Decimal("0.0135"), 2)


@pytest.mark.usefixtures("in_scope")
@pytest.mark.parametrize(
    ("made", "field"),
    [(lambda: price(""), "model"), (lambda: price(into="-1"), "usd_per_million_in")],
)
def test_a_bad_price_is_refused(made, field):
    with pytest.raises(Invalid) as refused:
        add_price(made())

    assert refused.value.field == field


@pytest.mark.usefixtures("in_scope")
def test_two_prices_from_the_same_moment_are_refused():
    first = add_price(price())
    again = price()
    again.valid_from = first.valid_from

    with pytest.raises(Invalid):
        add_price(again)
