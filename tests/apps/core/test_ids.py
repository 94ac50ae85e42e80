"""Ids sort in the order they were made, also those of one millisecond."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from apps.core import ids
from apps.core.ids import earliest_id, new_id


def test_they_are_version_7_of_rfc_9562():
    made = new_id()

    assert (made.version, made.variant) == (7, "specified in RFC 4122")


def test_those_of_one_millisecond_ascend(monkeypatch):
    monkeypatch.setattr(ids.time, "time_ns", lambda: 1_700_000_000_000_000_000)

    made = [new_id() for _ in range(10_000)]

    assert made == sorted(set(made))
    assert {one.int >> 80 for one in made} == {1_700_000_000_000}


def test_threads_make_no_id_twice():
    with ThreadPoolExecutor(8) as threads:
        made = [one for many in threads.map(lambda _: [new_id() for _ in range(2_000)], range(8)) for one in many]

    assert len(set(made)) == len(made)


def test_a_clock_that_is_set_back_is_followed(monkeypatch):
    """What is older than a moment is asked by id: an id must say the clock's time."""
    now = 1_700_000_000_000_000_000
    monkeypatch.setattr(ids.time, "time_ns", lambda: now)
    new_id()
    now -= 1_000_000_000

    assert (
        earliest_id(datetime.fromtimestamp(now / 1e9, UTC))
        <= new_id()
        < earliest_id(datetime.fromtimestamp(now / 1e9 + 1, UTC))
    )
