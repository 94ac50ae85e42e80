import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.model import Sentiment, Status
from memory_platform.retrieval.ranking import Asking, Aspects, Modifiers, Multipliers, modifiers

NOW = datetime(2026, 1, 31, tzinfo=UTC)


def ago(days):
    return NOW - timedelta(days=days)


def test_a_fresh_active_memory_of_no_category_is_not_modified():
    assert modifiers(Aspects(NOW), Asking(NOW, domain="work")) == Modifiers()


def test_decay_counts_from_the_last_confirmation():
    made = modifiers(Aspects(ago(300), last_confirmed_at=ago(30)), Asking(NOW))

    assert made.product == pytest.approx(math.exp(-0.3))


def test_decay_counts_from_the_record_when_the_confirmation_is_older():
    made = modifiers(Aspects(ago(10), last_confirmed_at=ago(30), decay_lambda=0.1), Asking(NOW))

    assert made.decay == pytest.approx(math.exp(-1))


def test_nothing_decays_when_the_query_names_a_time():
    assert modifiers(Aspects(ago(300)), Asking(NOW, ages=False)).decay == 1.0


def test_every_factor_multiplies():
    aspects = Aspects(NOW, category="hobbies", status=Status.STALE, sentiment=Sentiment.EXCITED, retrieval_priority=0.9)

    made = modifiers(aspects, Asking(NOW, domain="work", sentiment=Sentiment.EXCITED))

    assert made == Modifiers(stale=0.5, domain=0.7, sentiment=1.05, priority=1.3)
    assert made.product == pytest.approx(0.5 * 0.7 * 1.05 * 1.3)


def test_neutral_feelings_do_not_match():
    assert modifiers(Aspects(NOW), Asking(NOW, sentiment=Sentiment.NEUTRAL)).sentiment == 1.0


def test_the_tenants_numbers_apply():
    made = modifiers(
        Aspects(NOW, status=Status.STALE, retrieval_priority=-1), Asking(NOW), multipliers=Multipliers(0.2, 1, 1, 0.1)
    )

    assert made == Modifiers(stale=0.2, priority=0.9)


@given(st.floats(-5, 5), st.floats(0, 4000), st.sampled_from(Status))
def test_modifiers_never_raise_a_score_past_the_clamp_nor_below_zero(priority, days, status):
    made = modifiers(Aspects(ago(days), status=status, retrieval_priority=priority), Asking(NOW))

    assert 0 <= made.product <= 1.3
