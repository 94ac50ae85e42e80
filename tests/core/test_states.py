"""What slots say of two claims that a judge takes for unrelated."""

from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation.states import give_other_values, with_states
from memory_platform.model import ClaimRelation, RelationThresholds, Slot, Standing

THRESHOLDS = RelationThresholds(merge=0.96, close=0.985, doubt=0.87, conflict=0.87)
UNSEEN = ClaimRelation(update=0.05, distinct=0.95)
SOLE, CHANGED = Standing.SOLE, Standing.CHANGED
LISBON = Slot("I", "live in", "in Lisbon", standing=SOLE)
OSLO = Slot("I", "live in", "in Oslo", standing=CHANGED)


def replaces(older: Slot, newer: Slot, relation: ClaimRelation = UNSEEN, *, is_one_speaker: bool = True) -> float:
    return with_states(relation, older, newer, THRESHOLDS, is_one_speaker=is_one_speaker).replaces


def test_another_value_puts_the_older_in_doubt_and_what_says_it_is_new_takes_its_place():
    assert replaces(LISBON, replace(OSLO, standing=SOLE)) == THRESHOLDS.doubt
    assert replaces(LISBON, OSLO) == THRESHOLDS.close


def test_nobody_takes_back_what_somebody_else_said():
    assert replaces(LISBON, OSLO, is_one_speaker=False) == THRESHOLDS.doubt


def test_what_has_no_standing_is_left_to_the_judge():
    assert replaces(replace(LISBON, standing=Standing.UNKNOWN), OSLO) == UNSEEN.replaces
    assert replaces(LISBON, replace(OSLO, standing=Standing.UNKNOWN)) == UNSEEN.replaces


def test_a_judge_that_finds_them_to_agree_is_believed():
    assert replaces(LISBON, OSLO, ClaimRelation(same=0.4, refines=0.2, update=0.1, distinct=0.3)) == 0.1


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (Slot("Our store", "be", "Loki"), Slot("The store", "be", "Elasticsearch")),
        (Slot("I", "live in", "in Lisbon"), Slot("I", "move to", "to Oslo")),
        (Slot("I", "work at", "at Siemens"), Slot("i", "work for", "for Bosch")),
        (Slot("The database", "be", "Postgres 15"), Slot("The database", "be", "Postgres 16")),
        (Slot("The launch", "be on", "on 3 May"), Slot("The launch", "be on", "on 12 May")),
    ],
)
def test_plainly_other_values_of_one_state(older, newer):
    assert give_other_values(replace(older, standing=SOLE), replace(newer, standing=SOLE))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (Slot("My store", "be", "Loki"), Slot("Anna's store", "be", "Elasticsearch")),
        (Slot("Our store", "be", "Loki", "staging"), Slot("Our store", "be", "Elasticsearch", "prod")),
        (Slot("I", "live in", "in Lisbon"), Slot("I", "work at", "at Siemens")),
        (Slot("I", "live in", "in Oslo"), Slot("I", "live in", "in Oslo, Norway")),
        (Slot("The database", "be", "Postgres"), Slot("The database", "be", "PostgreSQL 16")),
        (Slot("The limit", "be", "100"), Slot("The limit", "be", "100 requests a minute")),
    ],
)
def test_other_things_and_values_that_may_be_the_same(older, newer):
    assert not give_other_values(replace(older, standing=SOLE), replace(newer, standing=SOLE))


shares = st.lists(st.floats(0.01, 1), min_size=6, max_size=6).map(
    lambda found: ClaimRelation(*(one / sum(found) for one in found))
)


@given(relation=shares, standing=st.sampled_from(Standing))
def test_probabilities_still_sum_up_to_one_and_a_change_is_never_less_likely(relation, standing):
    found = with_states(relation, LISBON, replace(OSLO, standing=standing), THRESHOLDS, is_one_speaker=True)

    assert sum(astuple(found)) == pytest.approx(1)
    assert found.replaces >= relation.replaces
