from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.model import Strength, TrustTag
from memory_platform.retrieval.trust import TrustEvidence, current_first, side_by_side, surer_first, tags

NOW = datetime(2026, 1, 31, tzinfo=UTC)
SOUND = TrustEvidence(confidence=0.9, strength=Strength.EXPLICIT, sources=1, confirmed_at=NOW, ttl_days=90)


def test_a_sound_memory_has_no_tags():
    assert tags(SOUND, now=NOW) == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"confidence": 0.29}, (TrustTag.UNCERTAIN,)),
        ({"confidence": 0.3}, ()),
        ({"confirmed_at": NOW - timedelta(days=91)}, (TrustTag.STALE,)),
        ({"confirmed_at": NOW - timedelta(days=90)}, ()),
        ({"confirmed_at": NOW - timedelta(days=9_999), "ttl_days": None}, ()),
        ({"is_contradicted": True}, (TrustTag.CONFLICT,)),
        ({"strength": Strength.IMPLIED}, (TrustTag.UNCONFIRMED,)),
        ({"strength": Strength.IMPLIED, "sources": 2}, ()),
        ({"strength": Strength.INFERRED}, (TrustTag.UNCONFIRMED, TrustTag.INFERRED)),
        ({"strength": Strength.INFERRED, "sources": 2}, (TrustTag.INFERRED,)),
        ({"is_superseded": True}, (TrustTag.SUPERSEDED,)),
        ({"is_doubted": True}, (TrustTag.PROBABLY_SUPERSEDED,)),
        ({"is_superseded": True, "is_doubted": True}, (TrustTag.SUPERSEDED,)),
    ],
)
def test_tags_say_what_is_doubtful(change, expected):
    assert tags(replace(SOUND, **change), now=NOW) == expected


def test_the_tenant_says_what_is_uncertain():
    assert tags(SOUND, now=NOW, uncertain_below=0.95) == (TrustTag.UNCERTAIN,)


def test_the_surer_side_of_a_contradiction_takes_the_better_place():
    ordered = surer_first(
        ["weak", "x", "sure", "y"], contradicts={"sure": ["weak"]}, confidence={"weak": 0.4, "sure": 0.8}
    )

    assert ordered == ["sure", "x", "weak", "y"]


def test_equal_sides_and_strangers_keep_their_places():
    assert surer_first("abc", contradicts={"a": ["b"]}, confidence={"a": 0.5, "b": 0.5, "c": 0.9}) == ["a", "b", "c"]


@given(
    st.lists(st.integers(0, 9), unique=True),
    st.dictionaries(st.integers(0, 9), st.sets(st.integers(0, 9))),
    st.dictionaries(st.integers(0, 9), st.floats(0, 1)),
)
def test_ordering_contradictions_loses_nothing(ranked, contradicts, confidence):
    assert sorted(surer_first(ranked, contradicts=contradicts, confidence=confidence)) == sorted(ranked)


def test_both_sides_of_a_contradiction_stand_together():
    ordered = side_by_side(["sure", "x", "weak", "y", "doubt"], contradicts={"weak": ["sure"], "sure": ["doubt"]})

    assert ordered == ["sure", "weak", "doubt", "x", "y"]


@given(st.lists(st.integers(0, 9), unique=True), st.dictionaries(st.integers(0, 9), st.sets(st.integers(0, 9))))
def test_standing_together_loses_nothing(ranked, contradicts):
    assert sorted(side_by_side(ranked, contradicts=contradicts)) == sorted(ranked)


@pytest.mark.parametrize(
    ("ranked", "replaced_by", "expected"),
    [
        ("xoyn", {"o": "n"}, "xnoy"),
        ("nxo", {"o": "n"}, "nxo"),
        ("abc", {"a": "b", "b": "c"}, "cba"),
        ("acb", {"a": "b", "b": "c"}, "cba"),
        ("oxab", {"o": "ab"}, "abox"),
        ("ox", {"o": "n"}, "ox"),
        ("ab", {"a": "b", "b": "a"}, "ba"),
        ("aa", {}, "a"),
    ],
    ids=["new", "already", "chain", "chain any order", "two", "not ranked", "each other", "once"],
)
def test_the_current_one_comes_first_and_takes_the_place_of_the_outdated(ranked, replaced_by, expected):
    assert "".join(current_first(ranked, replaced_by=replaced_by)) == expected


replacements = st.dictionaries(st.integers(1, 9), st.sets(st.integers(0, 8), max_size=3)).map(
    lambda found: {old: {new for new in by if new < old} for old, by in found.items()}
)


@given(st.lists(st.integers(0, 9), unique=True), replacements)
def test_nothing_comes_before_what_replaced_it(ranked, replaced_by):
    ordered = current_first(ranked, replaced_by=replaced_by)

    assert sorted(ordered) == sorted(ranked)
    assert all(
        ordered.index(new) < ordered.index(old)
        for old, by in replaced_by.items()
        for new in by
        if {old, new} <= set(ranked)
    )
