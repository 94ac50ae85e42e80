"""Usage grouped: rows of open days and sums of days that are over come to the same figures."""

import dataclasses
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid4

import pytest
from django.db import connection

from apps.budgets import rolling, selectors
from apps.budgets.models import Usage, UsageDay
from apps.budgets.selectors import KEYS, UsageKey, UsageSpan
from apps.core.paging import PageRequest, encode
from apps.core.scope import tenant_scope, unscoped
from apps.core.sql import statement
from apps.jobs.models import Job
from memory_platform.errors import Invalid

FIRST = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
MARCH = UsageSpan(FIRST, datetime(2026, 4, 1, tzinfo=UTC))
EVERYTHING = PageRequest(10_000)


def spend(tenant_id, at, operation="recall", cost="0.002", **fields):
    held = {"model": "gpt-x", "llm_calls": 1, "tokens_in": 10, "tokens_out": 5, "milliseconds": 2.0, **fields}
    price = None if cost is None else Decimal(cost)
    Usage.objects.create(tenant_id=tenant_id, at=at, operation=operation, cost_usd=price, **held)


def groups(span=MARCH, *by, page=EVERYTHING):
    return selectors.usage(span, by, page).rows


def roll_up():
    days = 0
    while rolling.roll_next_day() is not None:
        days += 1
    return days


@pytest.fixture
def month(tenant, in_scope):
    """Two agents, three operations, a session, on the 1st, 2nd and 5th of March."""
    ada, ben, chat = UUID(int=1), UUID(int=2), uuid4()
    spend(tenant.id, FIRST, agent_id=ada, queries=1)
    spend(tenant.id, FIRST + 30 * HOUR, agent_id=ada, session_id=chat, queries=1)
    spend(tenant.id, FIRST + 31 * HOUR, "observe", "0.01", agent_id=ben, session_id=chat, turns=4, memories=5)
    spend(tenant.id, FIRST + 100 * HOUR, "extract", None, agent_id=ben, model="house-model", failed_calls=1)
    return chat


@pytest.mark.usefixtures("month")
def test_without_a_key_there_is_one_group_of_all():
    (total,) = groups()

    assert dataclasses.asdict(total) == {
        "day": None,
        "agent_id": None,
        "operation": None,
        "model": None,
        "session_id": None,
        "rows": 4,
        "unpriced_rows": 1,
        "tokens_in": 40,
        "tokens_out": 20,
        "embedding_calls": 0,
        "llm_calls": 4,
        "failed_calls": 1,
        "recalls": 2,
        "turns": 4,
        "memories": 5,
        "milliseconds": 8.0,
        "known_cost_usd": Decimal("0.014"),
        "known_recall_cost_usd": Decimal("0.004"),
        "unpriced_recall_rows": 0,
    }
    assert (total.calls, total.cost_usd, total.cost_per_recall, total.cost_per_turn) == (
        4,
        None,
        Decimal("0.002"),
        None,
    )


@pytest.mark.usefixtures("month")
def test_an_unknown_price_is_unknown_where_it_counts_and_nowhere_else():
    by_model = {each.model: (each.cost_usd, each.unpriced_rows) for each in groups(MARCH, UsageKey.MODEL)}

    assert by_model == {"gpt-x": (Decimal("0.014"), 0), "house-model": (None, 1)}


@pytest.mark.usefixtures("month")
def test_a_turn_and_a_memory_cost_what_all_was_spent_over_their_number():
    (first_days,) = groups(UsageSpan(FIRST, FIRST + 48 * HOUR))

    assert (first_days.cost_per_turn, first_days.cost_per_memory) == (Decimal("0.0035"), Decimal("0.0028"))
    (none,) = groups(UsageSpan(FIRST, FIRST + HOUR))
    assert (none.cost_per_turn, none.cost_per_memory) == (None, None)


@pytest.mark.usefixtures("month")
@pytest.mark.parametrize("by", [(), (UsageKey.DAY,), (UsageKey.AGENT, UsageKey.SESSION), tuple(UsageKey)])
@pytest.mark.parametrize("hours", [(0, 744), (5, 101), (24, 100), (30, 31), (25, 30), (-5, 25)])
def test_what_is_summed_up_tells_the_same(by, hours):
    span = UsageSpan(*(FIRST + each * HOUR for each in hours))
    before = groups(span, *by)

    assert roll_up() == 3
    assert groups(span, *by) == before


@pytest.mark.usefixtures("month")
def test_a_day_is_summed_up_once_and_its_rows_are_read_no_more(tenant):
    assert (roll_up(), roll_up()) == (3, 0)
    assert list(UsageDay.objects.filter(tenant_id=tenant.id).order_by("day").values_list("day", "rows")) == [
        (date(2026, 3, 1), 1),
        (date(2026, 3, 2), 1),
        (date(2026, 3, 2), 1),
        (date(2026, 3, 5), 1),
    ]
    Usage.objects.filter(tenant_id=tenant.id).delete()

    assert [each.rows for each in groups()] == [4]


def test_today_is_not_summed_up_and_still_told(tenant, in_scope):
    moment = datetime.now(UTC)
    spend(tenant.id, moment)

    assert roll_up() == 0
    assert [each.rows for each in groups(UsageSpan(moment, moment + HOUR))] == [1]


def test_days_are_of_utc_whatever_the_zone_of_the_span(month):
    tokyo = [
        moment.astimezone(datetime.fromisoformat("2026-01-01T00:00+09:00").tzinfo)
        for moment in dataclasses.astuple(MARCH)
    ]

    assert [each.day.day for each in groups(UsageSpan(*tokyo), UsageKey.DAY)] == [1, 2, 5]


@pytest.mark.usefixtures("month")
def test_pages_neither_skip_nor_repeat():
    by, seen, after = tuple(UsageKey), [], None
    while True:
        cut = selectors.usage(MARCH, by, PageRequest(1, after))
        seen += cut.rows
        if not cut.has_next:
            break
        after = cut.end_cursor

    assert tuple(seen) == groups(MARCH, *by)
    assert len(seen) == 4


@pytest.mark.usefixtures("in_scope")
@pytest.mark.parametrize(
    "cursor",
    ["nonsense", encode(("today", "", "", "", ""), order=KEYS), encode(("", "ada", "", "", ""), order=KEYS)],
)
def test_a_cursor_of_another_list_is_refused(cursor):
    with pytest.raises(Invalid, match="not a cursor"):
        selectors.usage(MARCH, (), PageRequest(1, cursor))


@pytest.mark.usefixtures("month")
def test_a_cursor_with_a_character_that_no_text_holds_is_read_without_it():
    cursor = encode(("", "", "recall\x00", "", ""), order=KEYS)

    assert selectors.usage(MARCH, (UsageKey.OPERATION,), PageRequest(1, cursor)).rows == ()


def test_the_first_operation_after_a_day_asks_for_its_sum(tenant, run_jobs):
    from apps.budgets.services import Done, meter  # noqa: PLC0415  Django must be set up first

    with tenant_scope(tenant.id):
        spend(tenant.id, FIRST)
        meter(operation="recall", done=Done(queries=1))
        meter(operation="recall", done=Done(queries=1))
        assert Job.objects.filter(tenant_id=tenant.id, name=rolling.ROLL_UP).count() == 1
    run_jobs()

    with tenant_scope(tenant.id):
        assert UsageDay.objects.get(tenant_id=tenant.id).day == FIRST.date()


def test_a_new_tenant_has_nothing_to_sum_up(tenant, in_scope):
    rolling.request()

    assert not Job.objects.filter(tenant_id=tenant.id).exists()


def test_usage_ahead_of_now_asks_for_a_sum_too(tenant, in_scope):
    """A clock that ran ahead may have summed up this day."""
    spend(tenant.id, datetime.now(UTC) + timedelta(days=1))
    rolling.request()

    assert Job.objects.filter(tenant_id=tenant.id, name=rolling.ROLL_UP).exists()


MANY = """
INSERT INTO budgets_usage (tenant_id, id, at, operation, model, tokens_in, tokens_out, embedding_calls, llm_calls,
    failed_calls, queries, turns, memories, milliseconds, cost_usd)
SELECT %(tenant)s, gen_random_uuid(), %(first)s + n * interval '2 minutes', 'recall', 'gpt-x', 10, 5, 0, 1, 0, 1,
    0, 0, 2, 0.001
FROM generate_series(0, 20000) n
"""


def test_a_span_is_found_by_the_indexes(tenant):
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute(MANY, {"tenant": tenant.id, "first": FIRST})
        roll_up()
    with unscoped("migrate data"), connection.cursor() as cursor:
        cursor.execute("ANALYZE budgets_usage")
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        asked = selectors.parameters(UsageSpan(FIRST + HOUR, FIRST + 50 * HOUR), (UsageKey.DAY,), PageRequest())
        cursor.execute("EXPLAIN " + statement("budgets", "grouped"), asked)
        plan = "\n".join(line for (line,) in cursor.fetchall())

    # An index of a partition is named after its columns.
    assert plan.count("_tenant_id_at_idx") >= 2
    assert "Seq Scan on budgets_usage_p" not in plan
