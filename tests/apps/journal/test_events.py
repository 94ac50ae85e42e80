"""Positions of events: given to what is committed, ascending, to each once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.db import connection, transaction

from apps.core import clock
from apps.core.scope import tenant_scope
from apps.journal import selectors, services
from apps.journal.models import Event
from apps.journal.services import NewEvent
from memory_platform.model import EventKind


@pytest.fixture
def happen(tenant, agent):
    def tell(times=1, **fields):
        with tenant_scope(tenant.id):
            services.tell([told(agent.id, **fields) for _ in range(times)])

    return tell


def told(agent_id, **fields) -> NewEvent:
    return NewEvent(EventKind.STORED, "memory", uuid4(), agent_id, None, **fields)


def place(tenant) -> int:
    with tenant_scope(tenant.id):
        return services.place_events()


def positions(tenant) -> list[int | None]:
    with tenant_scope(tenant.id):
        return list(Event.objects.filter(tenant_id=tenant.id).order_by("at", "id").values_list("position", flat=True))


def test_positions_ascend_from_one_and_stay(tenant, happen):
    assert place(tenant) == 0
    happen(3)
    assert (place(tenant), place(tenant)) == (3, 3)
    happen(2)

    assert place(tenant) == 5
    assert positions(tenant) == [1, 2, 3, 4, 5]


def test_those_who_place_at_once_give_each_event_one_position(tenant, happen):
    happen(200)

    def place_in_a_thread(_: int) -> int:
        try:
            return place(tenant)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(place_in_a_thread, range(8))) == {200}
    assert positions(tenant) == list(range(1, 201))


def test_a_position_is_not_given_again_when_everything_is_pruned(tenant, happen):
    happen(2)
    place(tenant)
    with tenant_scope(tenant.id):
        assert services.prune_events(7) == 0
        Event.objects.filter(tenant_id=tenant.id).delete()
    happen()

    assert place(tenant) == 3
    assert positions(tenant) == [3]


def test_what_is_older_than_its_retention_is_pruned_told_or_not(tenant, happen):
    with time_machine.travel(clock.now() - timedelta(days=8)):
        happen(2)
    happen()
    with tenant_scope(tenant.id):
        assert services.prune_events(7) == 2

    assert place(tenant) == 3


@pytest.mark.parametrize("is_placed", [True, False])
def test_up_to_where_events_are_gone_is_known_whether_anybody_had_looked_or_not(tenant, happen, is_placed):
    with time_machine.travel(clock.now() - timedelta(days=8)):
        happen(2)
        if is_placed:
            place(tenant)
    happen()
    with tenant_scope(tenant.id):
        assert selectors.pruned_events() == 0
        services.prune_events(7)
        assert selectors.pruned_events() == 2
    assert place(tenant) == 3
    assert positions(tenant) == [3]


def test_the_same_event_is_told_once(tenant, agent):
    again = told(agent.id)
    with tenant_scope(tenant.id):
        services.tell([again])
        services.tell([again])

    assert place(tenant) == 1


def test_a_page_ends_where_it_is_told_to(tenant, agent, happen):
    happen(5)
    latest = place(tenant)
    with tenant_scope(tenant.id, agent_id=agent.id):
        found = [each.position for each in selectors.events(after=1, upto=latest - 1, first=2)]

    assert found == [2, 3]


def test_what_is_rolled_back_was_never_told(tenant, agent):
    with tenant_scope(tenant.id):
        services.tell([told(agent.id)])
        transaction.set_rollback(True)

    assert place(tenant) == 0
