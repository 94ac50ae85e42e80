"""How confidence and relevance age."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.lifecycle import decay
from memory_platform.lifecycle.decay import Curve
from memory_platform.model import Retention

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
OPERATIONAL = Curve(Retention.OPERATIONAL)
curves = st.sampled_from([Curve(), OPERATIONAL])
ages = st.floats(0, 3650)


def left(base: float, days: float, curve: Curve | None = None, *, is_protected: bool = False) -> float:
    since = NOW - timedelta(days=days)
    return decay.effective_confidence(base, since=since, now=NOW, curve=curve, is_protected=is_protected)


@pytest.mark.parametrize(("days", "expected"), [(0, 0.9), (1, 0.814354), (10, 0.478874), (90, 0.023176)])
def test_ebbinghaus(days, expected):
    assert left(0.9, days) == pytest.approx(expected, abs=1e-6)
    assert left(0.9, days) == pytest.approx(0.9 * math.exp(-0.1 * days**0.8))


@pytest.mark.parametrize(("days", "expected"), [(0, 0.9), (30, 0.9), (37, 0.8), (44, 0.7), (40.5, 0.75), (365, 0.0)])
def test_operational_memories_lose_a_tenth_a_week_after_their_grace(days, expected):
    assert left(0.9, days, OPERATIONAL) == pytest.approx(expected)


def test_protected_memories_do_not_age():
    assert left(0.9, 3650, is_protected=True) == 0.9


def test_a_time_ahead_of_the_clock_is_now():
    assert left(0.9, -1) == 0.9


@given(st.floats(0, 1), ages, ages, curves)
def test_older_is_never_more_certain(base, first, second, curve):
    older, newer = max(first, second), min(first, second)

    assert left(base, older, curve) <= left(base, newer, curve) + 1e-12


@given(st.floats(0, 1), st.floats(0, 1), ages, curves)
def test_a_stronger_base_is_never_less_certain(first, second, days, curve):
    assert left(min(first, second), days, curve) <= left(max(first, second), days, curve)


@given(st.floats(0, 1), ages, curves)
def test_confidence_stays_between_zero_and_its_base(base, days, curve):
    assert 0 <= left(base, days, curve) <= base


@pytest.mark.parametrize(("effective", "delta", "expected"), [(0.9, 0.05, 0.95), (0.95, 0.1, 1.0), (0.1, -0.2, 0.0)])
def test_reinforcement_is_capped(effective, delta, expected):
    assert decay.reinforce(effective, delta) == pytest.approx(expected)


def test_recency_halves_after_69_days_at_one_percent():
    since = NOW - timedelta(days=math.log(2) / 0.01)

    assert decay.recency(since=since, now=NOW, decay_lambda=0.01) == pytest.approx(0.5)
    assert decay.recency(since=since, now=NOW, decay_lambda=0) == 1


@given(st.floats(0, 5_000), st.floats(0, 5_000), st.floats(0, 0.1))
def test_recency_never_prefers_the_older_nor_lets_age_decide_alone(days, more, decay_lambda):
    newer, older = (
        decay.recency(since=NOW - timedelta(days=past), now=NOW, decay_lambda=decay_lambda)
        for past in (days, days + more)
    )

    assert 0.25 <= older <= newer <= 1


def test_access_bonus():
    assert decay.access_bonus(0) == 0
    assert decay.access_bonus(20) == pytest.approx(0.05 * math.log(2))


@pytest.mark.parametrize(
    ("days", "ttl", "past"), [(89, 90, False), (90, 90, False), (91, 90, True), (9999, None, False)]
)
def test_ttl(days, ttl, past):
    assert decay.is_past_ttl(since=NOW - timedelta(days=days), now=NOW, ttl_days=ttl) is past
