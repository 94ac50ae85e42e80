from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation.doubt import agreed, is_doubtful
from memory_platform.model import Relation, RelationThresholds

THRESHOLDS = RelationThresholds(merge=0.9, close=0.9, doubt=0.5, conflict=0.5)
EVEN = Relation(*[1 / 6] * 6)


def distribution(shares: list[float]) -> Relation:
    return Relation(*(share / sum(shares) for share in shares))


relations = st.lists(st.floats(0.01, 1), min_size=6, max_size=6).map(distribution)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (Relation(update=0.6, distinct=0.4), True),
        (Relation(update=0.3, conflict=0.3, distinct=0.4), True),
        (Relation(same=0.7, distinct=0.3), True),
        (Relation(update=0.5, correction=0.45, distinct=0.05), False),
        (Relation(same=0.95, distinct=0.05), False),
        (Relation(refines=0.6, distinct=0.4), False),
        (Relation(), False),
    ],
)
def test_doubtful_is_what_would_matter_if_it_were_surer(relation, expected):
    assert is_doubtful(relation, THRESHOLDS) is expected


def test_two_who_lean_the_same_way_are_surer_than_one():
    assert agreed(Relation(update=0.6, distinct=0.4), Relation(update=0.75, distinct=0.25)).update == pytest.approx(
        9 / 11
    )


def test_opinions_that_exclude_each_other_leave_nothing_to_act_on():
    assert agreed(Relation(update=1.0, distinct=0.0), Relation(same=1.0, distinct=0.0)) == Relation()


@given(relations, relations)
def test_opinions_sum_up_to_one_whatever_their_order(first, second):
    both = astuple(agreed(first, second))

    assert sum(both) == pytest.approx(1)
    assert both == pytest.approx(astuple(agreed(second, first)))


@given(relations)
def test_an_opinion_of_equal_shares_changes_nothing(relation):
    assert astuple(agreed(relation, EVEN)) == pytest.approx(astuple(relation))
