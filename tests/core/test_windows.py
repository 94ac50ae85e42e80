"""How near to an asked-for time: inside, outside, unknown."""

import math
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from memory_platform.model import TimeRange
from memory_platform.retrieval.windows import nearness

WEEK = TimeRange(datetime(2026, 5, 4, tzinfo=UTC), datetime(2026, 5, 11, tzinfo=UTC), "last week")


def at(*moments: str) -> np.ndarray:
    return np.array(moments, dtype="datetime64[us]")


def test_inside_counts_whole_and_what_has_no_time_not_at_all():
    inside = at("2026-05-04T00:00", "2026-05-07T12:00", "2026-05-10T23:59", "NaT")

    assert nearness(inside, WEEK).tolist() == [1, 1, 1, 0]


def test_outside_it_fades_by_its_own_width():
    found = nearness(at("2026-04-27", "2026-05-18", "2026-06-01"), WEEK)

    assert found.tolist() == pytest.approx([math.exp(-1), math.exp(-1), math.exp(-3)], rel=1e-6)


def test_a_moment_counts_as_a_day():
    noon = datetime(2026, 5, 4, 12, tzinfo=UTC)

    (found,) = nearness(at("2026-05-05T12:00"), TimeRange(noon, noon + timedelta(hours=1), "noon"))

    assert found == pytest.approx(math.exp(-23 / 24), rel=1e-6)


def test_the_zone_of_the_window_is_minded():
    lisbon = timezone(timedelta(hours=1))
    day = TimeRange(datetime(2026, 5, 4, tzinfo=lisbon), datetime(2026, 5, 5, tzinfo=lisbon), "that day")

    assert nearness(at("2026-05-03T23:30"), day).tolist() == [1]
