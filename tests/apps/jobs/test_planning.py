"""When a schedule runs next, where clocks are changed in spring and autumn too."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.jobs.planning import SPREAD, next_run, spread
from memory_platform.errors import Invalid

BERLIN = "Europe/Berlin"
YEAR = datetime(2026, 1, 1, tzinfo=UTC)
# Its hash puts it at the start of the hour.
EARLY = next(each for each in map(UUID, map("{:032x}".format, range(100_000))) if not spread(each))


def runs(cron: str, *, after: str, count: int, time_zone: str = BERLIN, tenant_id: UUID = EARLY) -> list[str]:
    at, found = datetime.fromisoformat(after).replace(tzinfo=UTC), []
    for _ in range(count):
        at = next_run(cron, time_zone, tenant_id, after=at)
        found.append(f"{at:%m-%dT%H:%M}")
    return found


def test_a_time_is_meant_in_the_tenants_zone():
    assert runs("0 2 * * *", after="2026-07-01", count=2) == ["07-02T00:00", "07-03T00:00"]
    assert runs("0 2 * * *", after="2026-01-01", count=1, time_zone="America/New_York") == ["01-01T07:00"]
    assert runs("0 1 * * 0", after="2026-07-01", count=2, time_zone="UTC") == ["07-05T01:00", "07-12T01:00"]
    assert runs("0 3 1 * *", after="2026-07-01", count=2, time_zone="UTC") == ["07-01T03:00", "08-01T03:00"]


def test_an_hour_that_summer_time_skips_is_made_up_for_at_its_end():
    """On 29 March 2026 two o'clock is three o'clock, 01:00 in UTC."""
    assert runs("30 2 * * *", after="2026-03-28T12:00", count=3) == ["03-29T01:00", "03-30T00:30", "03-31T00:30"]


def test_in_an_hour_that_comes_twice_a_night_runs_once():
    """On 25 October 2026 the hour from two to three comes at 00:00 and at 01:00 in UTC."""
    assert runs("30 2 * * *", after="2026-10-24T12:00", count=3) == ["10-25T00:30", "10-26T01:30", "10-27T01:30"]


@pytest.mark.parametrize("after", ["2026-10-25T00:30", "2026-10-25T00:45", "2026-10-25T01:05", "2026-10-25T01:35"])
def test_from_within_the_second_hour_the_next_night_is_found(after):
    assert runs("30 2 * * *", after=after, count=1) == ["10-26T01:30"]


@given(
    cron=st.sampled_from(["0 2 * * *", "30 2 * * *", "*/30 * * * *", "0 1 * * 0", "0 3 1 * *", "15 * * * *"]),
    time_zone=st.sampled_from([BERLIN, "UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]),
    after=st.integers(0, 2 * 365 * 24 * 60).map(lambda minutes: YEAR + timedelta(minutes=minutes)),
    tenant_id=st.uuids(),
)
def test_the_next_run_lies_ahead_and_nothing_between_was_left_out(cron, time_zone, after, tenant_id):
    due = next_run(cron, time_zone, tenant_id, after=after)

    assert after < due <= after + timedelta(days=33)
    between = after + (due - after) / 2
    assert next_run(cron, time_zone, tenant_id, after=between) == due


def test_two_thousand_tenants_are_spread_over_the_hour():
    offsets = [spread(uuid4()) for _ in range(2_000)]

    assert timedelta(0) <= min(offsets)
    assert max(offsets) < SPREAD
    busiest = Counter(int(offset.total_seconds()) // 60 for offset in offsets).most_common(1)[0][1]
    assert busiest < 80  # 33 a minute on average


def test_the_minutes_of_a_tenant_are_always_the_same():
    tenant_id = UUID("0190a000-0000-7000-8000-000000000001")

    first = next_run("0 2 * * *", "UTC", tenant_id, after=datetime(2026, 1, 1, tzinfo=UTC))
    assert first - datetime(2026, 1, 1, 2, tzinfo=UTC) == spread(tenant_id)
    assert next_run("0 2 * * *", "UTC", tenant_id, after=first) - first == timedelta(days=1)


@pytest.mark.parametrize("cron", ["", "nightly", "61 2 * * *", "0 2 * *", "0 0 30 2 *", "0 0 2 * * *"])
def test_what_is_no_cron_expression_is_refused(cron):
    with pytest.raises(Invalid) as refused:
        next_run(cron, "UTC", EARLY, after=datetime(2026, 1, 1, tzinfo=UTC))

    assert refused.value.field == "cron"


@pytest.mark.parametrize("time_zone", ["", "Mars/Olympus", "../etc/passwd", "Europe"])
def test_what_is_no_time_zone_is_refused(time_zone):
    with pytest.raises(Invalid) as refused:
        next_run("0 2 * * *", time_zone, EARLY, after=datetime(2026, 1, 1, tzinfo=UTC))

    assert refused.value.field == "timeZone"
