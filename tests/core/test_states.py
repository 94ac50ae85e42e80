"""What slots say of two claims that a judge takes for unrelated."""

from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation.states import StatedValue, give_other_values, may_end, with_states
from memory_platform.model import ClaimRelation, RelationThresholds, Slot, Standing

THRESHOLDS = RelationThresholds(merge=0.96, close=0.985, doubt=0.87, conflict=0.87)
UNSEEN = ClaimRelation(update=0.05, distinct=0.95)
SAID = datetime(2026, 4, 1, tzinfo=UTC)
SOLE, CHANGED = Standing.SOLE, Standing.CHANGED
LISBON = Slot("I", "live in", "in Lisbon", standing=SOLE)
OSLO = Slot("I", "live in", "in Oslo", standing=CHANGED)


def stated(slot: Slot, *, standing: Standing | None = None, after_days: int = 0, by: str = "") -> StatedValue:
    made = slot if standing is None else replace(slot, standing=standing)
    return StatedValue(made, SAID + timedelta(days=after_days), by)


def replaces(older: Slot, newer: Slot, relation: ClaimRelation = UNSEEN, *, after_days: int = 0, by: str = "") -> float:
    told = stated(newer, after_days=after_days, by=by)
    return with_states(relation, stated(older), told, THRESHOLDS).replaces


def test_another_value_puts_the_older_in_doubt_and_what_says_it_is_new_takes_its_place():
    assert replaces(LISBON, replace(OSLO, standing=SOLE)) == THRESHOLDS.doubt
    assert replaces(LISBON, OSLO) == THRESHOLDS.close


def test_nobody_takes_back_what_somebody_else_said():
    assert replaces(LISBON, OSLO, by="Ines") == THRESHOLDS.doubt


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
    assert give_other_values(stated(older, standing=SOLE), stated(newer, standing=SOLE))


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
    assert not give_other_values(stated(older, standing=SOLE), stated(newer, standing=SOLE))


def on(date: str, standing: Standing = SOLE) -> Slot:
    return Slot("The launch", "be on", date, standing=standing)


@pytest.mark.parametrize(
    ("older", "newer"),
    [("3 May", "29 June"), ("Friday", "29 June"), ("May", "3 June"), ("3 May", "Friday 10 July"), ("Q2", "Q3")],
)
def test_a_date_that_was_moved_takes_the_place_of_one_that_has_no_day_in_common(older, newer):
    assert replaces(on(older), on(newer, CHANGED), after_days=1) == THRESHOLDS.close


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("June", "29 June"),
        ("Friday", "3 April"),
        ("Q2", "June"),
        ("next week", "Wednesday 8 April"),
        ("3 May", "Main Street"),
    ],
)
def test_dates_that_may_be_the_same_are_left_to_the_judge(older, newer):
    assert replaces(on(older), on(newer, CHANGED)) == UNSEEN.replaces


def test_a_judge_that_takes_two_dates_in_numbers_for_the_same_is_not_believed():
    same = ClaimRelation(same=0.7, distinct=0.3)

    assert replaces(on("29 June"), on("6 July", CHANGED), same) == THRESHOLDS.close
    assert replaces(on("next Friday"), on("6 July", CHANGED), same) == 0


def test_a_date_that_lay_behind_is_only_put_in_doubt():
    assert replaces(on("3 May"), on("29 June", CHANGED), after_days=32) == THRESHOLDS.close
    assert replaces(on("3 May"), on("29 June", CHANGED), after_days=33) == THRESHOLDS.doubt


shares = st.lists(st.floats(0.01, 1), min_size=6, max_size=6).map(
    lambda found: ClaimRelation(*(one / sum(found) for one in found))
)


@given(relation=shares, standing=st.sampled_from(Standing))
def test_probabilities_still_sum_up_to_one_and_a_change_is_never_less_likely(relation, standing):
    found = with_states(relation, stated(LISBON), stated(OSLO, standing=standing), THRESHOLDS)

    assert sum(astuple(found)) == pytest.approx(1)
    assert found.replaces >= relation.replaces


USES, ENDED = Slot("We", "use", "Jenkins for CI"), Standing.ENDED
OVER = Slot("We", "use", "Jenkins", standing=ENDED)
SEES_AN_END = ClaimRelation(same=0.2, update=0.5, distinct=0.3)


def test_what_says_that_a_state_is_over_closes_it_where_the_judge_sees_an_end():
    assert replaces(USES, OVER, SEES_AN_END) == THRESHOLDS.close
    assert replaces(USES, OVER, SEES_AN_END, by="Ines") == THRESHOLDS.doubt
    assert replaces(USES, OVER) == UNSEEN.replaces


def test_who_no_longer_has_one_of_two_things_may_have_the_other():
    both, one = Slot("I", "have", "a dog and a cat"), Slot("I", "have", "a dog", standing=ENDED)

    assert replaces(both, one, SEES_AN_END) == THRESHOLDS.doubt
    assert replaces(both, replace(one, value="a dog and a cat"), SEES_AN_END) == THRESHOLDS.close


def test_a_second_thing_of_the_same_kind_is_only_doubted():
    gone = Slot("I", "have", "a dog", standing=ENDED)

    assert replaces(Slot("I", "have", "another dog"), gone, SEES_AN_END) == THRESHOLDS.doubt
    assert replaces(Slot("I", "have", "a dog named Rex"), gone, SEES_AN_END) == THRESHOLDS.close


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (Slot("I", "work at", "at Nordwind"), Slot("I", "work at", "at Nordwind")),
        (Slot("I", "work for", "for Nordwind"), Slot("I", "leave", "Nordwind")),
        (Slot("The store", "run on", "on Loki"), Slot("Our store", "use", "Loki")),
        (Slot("Rex", "limp", ""), Slot("Rex", "limp", "")),
        (Slot("We", "use", "Jenkins", "staging"), Slot("We", "use", "Jenkins")),
    ],
)
def test_states_that_an_end_is_of(older, newer):
    assert may_end(stated(older), stated(newer, standing=ENDED))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (Slot("I", "work at", "at Nordwind"), Slot("I", "work at", "at Siemens")),
        (Slot("Ines", "work at", "at Nordwind"), Slot("I", "work at", "at Nordwind")),
        (Slot("I", "work at", "at Nordwind"), Slot("I", "live in", "in Nordwind")),
        (Slot("We", "use", "Jenkins"), Slot("We", "use", "Jenkins", "staging")),
        (Slot("I", "have", "a dog"), Slot("I", "have", "a dog named Rex")),
        (Slot("I", "sing", "songs"), Slot("I", "sing", "")),
    ],
)
def test_states_that_an_end_leaves_alone(older, newer):
    assert not may_end(stated(older), stated(newer, standing=ENDED))


def test_what_was_denied_or_over_before_does_not_end():
    told = stated(OVER)

    assert not may_end(replace(stated(USES), is_negated=True), told)
    assert not may_end(told, told)
    assert not may_end(stated(USES), stated(USES))
