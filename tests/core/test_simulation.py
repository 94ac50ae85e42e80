"""What other numbers would have made of an answer."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.retrieval.simulation import PastHit, Reweighing, rescored, retell

A, B, C = (UUID(int=number) for number in (1, 2, 3))


def hit(unit: UUID, score: float, probability: float | None = 0.5, category: str = "", **factors: float) -> PastHit:
    return PastHit(unit, score, probability, factors, category)


def test_a_floor_above_the_best_empties_the_answer() -> None:
    told = retell([hit(A, 0.4, 0.4), hit(B, 0.3, 0.3)], Reweighing(floor=0.5))

    assert (told.lost, told.order) == ((A, B), ())


def test_a_floor_below_the_best_takes_what_is_less_than_half_of_it() -> None:
    told = retell([hit(A, 0.9, 0.9), hit(B, 0.3, 0.3), hit(C, 0.24, 0.24)], Reweighing(floor=0.5))

    assert (told.lost, told.order, told.is_reordered) == ((C,), (A, B), False)


def test_what_was_kept_without_a_probability_stays() -> None:
    told = retell([hit(A, 0.9, None), hit(B, 0.3, 0.3)], Reweighing(floor=0.5))

    assert (told.lost, told.order) == ((B,), (A,))


def test_a_weight_counts_where_it_applied() -> None:
    stale, fresh = hit(A, 0.5, stale=0.5), hit(B, 0.4, stale=1.0)
    told = retell([stale, fresh], Reweighing(stale=0.25))

    assert rescored(stale, Reweighing(stale=0.25)) == pytest.approx(0.25)
    assert rescored(fresh, Reweighing(stale=0.25)) == pytest.approx(0.4)
    assert (told.order, told.is_reordered) == ((B, A), True)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Reweighing(domain=0.35), 0.5),
        (Reweighing(sentiment=2.1), 2.0),
        (Reweighing(priority_clamp=0.1), 1.1 / 1.3),
        (Reweighing(priority_clamp=0.5), 1.0),
        (Reweighing(decay={"work": 2.0}), 0.5),
        (Reweighing(decay={"work": 10.0}), 0.5),
        (Reweighing(decay={"health": 2.0}), 1.0),
    ],
)
def test_each_factor_is_put_to_what_it_would_be(change: Reweighing, expected: float) -> None:
    was = hit(A, 1.0, category="work", domain=0.7, sentiment=1.05, priority=1.3, decay=0.5)

    assert rescored(was, change) == pytest.approx(expected)


scores = st.floats(0.01, 1.0)
hits = st.lists(
    st.builds(
        lambda unit, score, probability, stale: hit(unit, score, probability, stale=stale),
        st.uuids(),
        scores,
        st.none() | scores,
        st.sampled_from([0.5, 1.0]),
    ),
    max_size=12,
    unique_by=lambda each: each.unit_id,
)


@given(hits, scores, scores)
def test_nothing_is_lost_and_kept_at_once_and_a_higher_floor_takes_no_less(found, low, high) -> None:
    low, high = sorted((low, high))
    lower, higher = (retell(found, Reweighing(floor=floor)) for floor in (low, high))

    for told in (lower, higher):
        assert sorted([*told.lost, *told.order]) == sorted(each.unit_id for each in found)
    assert set(lower.lost) <= set(higher.lost)


@given(hits)
def test_the_same_numbers_change_nothing(found) -> None:
    told = retell(found, Reweighing(stale=0.5))

    assert (told.lost, told.is_reordered) == ((), False)
