"""What a month cost, as payers see it and take it away."""

import csv
from datetime import UTC, date, datetime
from decimal import Decimal
from io import StringIO

import pytest
import time_machine

from apps.api.billing.contract import UsageGroup
from apps.budgets.models import Usage
from apps.console import spending
from apps.core.scope import tenant_scope

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.fixture
def usage(tenant, agent):
    """Row by row: the operation, its model, when, and its cost."""

    def write(operation, day, usd, *, model="gpt-5-mini", turns=0):
        with tenant_scope(tenant.id):
            Usage.objects.create(
                tenant_id=tenant.id,
                agent_id=agent.id,
                at=datetime(2026, *day, 9, tzinfo=UTC),
                operation=operation,
                model=model,
                llm_calls=1,
                turns=turns,
                cost_usd=None if usd is None else Decimal(usd),
            )

    return write


@pytest.fixture
def payer(person_of, tenant):
    """Logged in on the day of the test."""
    with time_machine.travel(NOON, tick=False):
        yield person_of(tenant, "billing")


def test_a_month_is_summed_up_beside_the_one_before(payer, usage):
    usage("observe", (3, 2), "0.30", turns=3)
    usage("recall", (3, 9), "0.10")
    usage("observe", (2, 3), "0.20", turns=1)
    usage("observe", (2, 25), "5.00", turns=1)

    page = payer.get("/console/cost/").context

    assert (page["spent"].cost_usd, page["spent"].turns) == (pytest.approx(0.4), 3)
    assert page["spent"].per_turn == pytest.approx(0.4 / 3)
    assert (page["trend"].before_usd, page["trend"].percent) == (pytest.approx(0.2), 100)
    assert [part.name for part in page["parts"]] == ["observe", "recall"]
    assert page["chart"]["parts"][0]["usd"][1] == pytest.approx(0.3)
    assert page["forecast"] > 0.4


def test_a_price_that_is_unknown_is_said_and_never_nothing(payer, usage):
    usage("observe", (3, 2), None, turns=3, model="made-up")

    page = payer.get("/console/cost/", {"by": "model"})

    assert page.context["spent"].per_turn is None
    assert b"1 rows of usage have no known price" in page.content


def test_a_month_that_is_over_has_no_forecast(payer, usage):
    usage("observe", (2, 3), "0.20", turns=1)

    page = payer.get("/console/cost/", {"month": "2026-02", "by": "agent"})

    assert page.context["forecast"] is None
    assert [part.name for part in page.context["parts"]] == ["assistant"]
    assert b"month=2026-03" in page.content


@pytest.mark.parametrize(
    "query",
    [
        {"month": "2026-13"},
        {"month": "March"},
        {"month": "0001-01"},
        {"month": "9999-12"},
        {"by": "session"},
        {"by": "x"},
    ],
)
def test_what_is_no_month_or_split_is_refused_in_words(payer, query):
    page = payer.get("/console/cost/", query)

    assert page.status_code in {400, 422}
    assert b"That did not work" in page.content


def test_a_month_is_taken_away_as_a_file(payer, usage):
    usage("observe", (3, 2), "0.30", turns=3)
    usage("observe", (2, 3), "9.00", turns=1)

    file = payer.get("/console/cost/export.csv", {"month": "2026-03"})

    (row,) = csv.DictReader(StringIO(file.content.decode()))
    assert file["Content-Disposition"] == 'attachment; filename="usage-2026-03.csv"'
    assert (row["day"], row["agent_id"], row["operation"], row["model"]) == (
        "2026-03-02",
        "assistant",
        "observe",
        "gpt-5-mini",
    )
    assert float(row["known_cost_usd"]) == pytest.approx(0.3)


def test_payers_see_no_memories(payer):
    assert payer.get("/console/", follow=True).redirect_chain[-1][0] == "/console/cost/"
    assert payer.get("/console/journal/").status_code == 403


def group(day, operation, usd, turns=0):
    held = dict.fromkeys(UsageGroup.model_fields)
    numbers = dict.fromkeys(
        ("calls", "failed_calls", "embedding_calls", "llm_calls", "tokens_in", "tokens_out", "milliseconds"), 0
    )
    done = {"recalls": 0, "turns": turns, "memories": 0, "rows": 1, "unpriced_rows": 0, "known_cost_usd": usd}
    return UsageGroup(**{**held, **numbers, **done, "day": day, "operation": operation})


def test_a_chart_tells_the_dearest_apart_and_sums_up_the_rest():
    day = date(2026, 3, 1)
    usage = [group(day, f"operation-{number}", 10.0 - number) for number in range(9)]

    drawn = spending.chart(usage, "operation", [day])

    assert [part["name"] for part in drawn["parts"]][-1] == "the rest"
    assert len(drawn["parts"]) == spending.MOST_PARTS + 1
    assert drawn["parts"][-1]["usd"] == [pytest.approx(4 + 3 + 2)]
