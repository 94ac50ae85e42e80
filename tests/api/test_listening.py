"""Seats of those who listen: bounded by tenant and in all, and given back whatever becomes of a listener."""

from uuid import uuid4

from apps.api.events.listening import Seats
from memory_platform.errors import RateLimited

ONE, OTHER = uuid4(), uuid4()


def refused(seats: Seats, tenant_id, **limits: int) -> bool:
    try:
        seats.take(tenant_id, **{"most": 2, "most_in_all": 3, **limits})
    except RateLimited as error:
        return error.retry_after == 3.0
    else:
        return False


def test_a_tenant_takes_so_many_and_all_together_so_many():
    seats = Seats()
    taken = [seats.take(tenant, most=2, most_in_all=3) for tenant in (ONE, ONE)]
    assert refused(seats, ONE)

    taken.append(seats.take(OTHER, most=2, most_in_all=3))
    assert refused(seats, OTHER)
    assert not refused(seats, OTHER, most_in_all=4)
    assert len(taken) == 3


def test_a_seat_is_given_back_once_by_who_leaves_or_never_came():
    seats = Seats()
    with seats.take(ONE, most=1, most_in_all=1) as seat:
        assert refused(seats, ONE, most=1)
    del seat
    never_used = seats.take(ONE, most=1, most_in_all=1)
    assert refused(seats, ONE, most=1)
    del never_used

    assert not refused(seats, ONE, most=1)


def test_a_server_may_serve_no_listeners():
    assert refused(Seats(), ONE, most_in_all=0)
