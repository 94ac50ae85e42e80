from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core import paging
from apps.core.clock import now
from apps.core.scope import tenant_scope
from apps.tenants.models import Agent
from memory_platform.errors import Invalid

ORDER = ("-created_at", "id")


@pytest.fixture
def agents(tenant):
    """Five agents; two share their creation time."""
    start = now()
    with tenant_scope(tenant.id):
        return [
            Agent.objects.create(
                tenant_id=tenant.id, slug=f"agent-{number}", created_at=start - timedelta(minutes=number // 2)
            )
            for number in range(5)
        ]


def _rows(tenant):
    return Agent.objects.filter(tenant_id=tenant.id)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_pages_cover_every_row_once_in_order(tenant, agents, size):
    seen, after = [], None
    with tenant_scope(tenant.id):
        while True:
            cut = paging.paginate(_rows(tenant), order=ORDER, page=paging.page(size, after))
            seen += [row.slug for row in cut.rows]
            after = cut.end_cursor
            if not cut.has_next:
                break

    expected = sorted(agents, key=lambda agent: (-agent.created_at.timestamp(), agent.id))
    assert seen == [agent.slug for agent in expected]


def test_the_last_page_says_so(tenant, agents):
    with tenant_scope(tenant.id):
        cut = paging.paginate(_rows(tenant), order=ORDER, page=paging.page(5))

    assert len(cut.rows) == 5
    assert not cut.has_next


def test_a_row_written_meanwhile_neither_repeats_nor_hides_another(tenant, agents):
    with tenant_scope(tenant.id):
        first = paging.paginate(_rows(tenant), order=ORDER, page=paging.page(2))
        Agent.objects.create(tenant_id=tenant.id, slug="late", created_at=now() + timedelta(hours=1))
        second = paging.paginate(_rows(tenant), order=ORDER, page=paging.page(10, first.end_cursor))

    assert {row.slug for row in first.rows} | {row.slug for row in second.rows} == {agent.slug for agent in agents}


@pytest.mark.parametrize("size", [0, -1, 101])
def test_a_page_holds_one_to_a_hundred_rows(size):
    with pytest.raises(Invalid) as refused:
        paging.page(size)
    assert refused.value.field == "first"


@given(st.text(max_size=80))
def test_any_text_that_is_no_cursor_is_invalid(text):
    with pytest.raises(Invalid) as refused:
        paging.decode(text, order=ORDER)
    assert refused.value.field == "after"


def test_a_cursor_of_another_order_is_invalid():
    cursor = paging.encode([now(), uuid4()], order=ORDER)

    assert len(paging.decode(cursor, order=ORDER)) == 2
    with pytest.raises(Invalid):
        paging.decode(cursor, order=("created_at", "id"))


@pytest.mark.parametrize("values", [["yesterday", str(uuid4())], [str(now()), "no uuid"], [{}, []], [None, None]])
def test_a_cursor_with_forged_values_is_invalid(tenant, values):
    cursor = paging.encode(values, order=ORDER)

    with tenant_scope(tenant.id), pytest.raises(Invalid):
        paging.paginate(_rows(tenant), order=ORDER, page=paging.page(1, cursor))
