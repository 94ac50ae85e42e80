from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation.doubt import agreed, is_doubtful
from memory_platform.model import ClaimRelation, RelationThresholds

THRESHOLDS = RelationThresholds(merge=0.9, close=0.9, doubt=0.5, conflict=0.5)
EVEN = ClaimRelation(*[1 / 6] * 6)


def distribution(shares: list[float]) -> ClaimRelation:
    return ClaimRelation(*(share / sum(shares) for share in shares))


relations = st.lists(st.floats(0.01, 1), min_size=6, max_size=6).map(distribution)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (ClaimRelation(update=0.6, distinct=0.4), True),
        (ClaimRelation(update=0.3, conflict=0.3, distinct=0.4), True),
        (ClaimRelation(same=0.7, distinct=0.3), True),
        (ClaimRelation(update=0.5, correction=0.45, distinct=0.05), False),
        (ClaimRelation(same=0.95, distinct=0.05), False),
        (ClaimRelation(refines=0.6, distinct=0.4), False),
        (ClaimRelation(), False),
    ],
)
def test_doubtful_is_what_would_matter_if_it_were_surer(relation, expected):
    assert is_doubtful(relation, THRESHOLDS) is expected


def test_two_who_lean_the_same_way_are_surer_than_one():
    assert agreed(
        ClaimRelation(update=0.6, distinct=0.4), ClaimRelation(update=0.75, distinct=0.25)
    ).update == pytest.approx(9 / 11)


def test_opinions_that_exclude_each_other_leave_nothing_to_act_on():
    assert agreed(ClaimRelation(update=1.0, distinct=0.0), ClaimRelation(same=1.0, distinct=0.0)) == ClaimRelation()


@given(relations, relations)
def test_opinions_sum_up_to_one_whatever_their_order(first, second):
    both = astuple(agreed(first, second))

    assert sum(both) == pytest.approx(1)
    assert both == pytest.approx(astuple(agreed(second, first)))


@given(relations)
def test_an_opinion_of_equal_shares_changes_nothing(relation):
    assert astuple(agreed(relation, EVEN)) == pytest.approx(astuple(relation))
