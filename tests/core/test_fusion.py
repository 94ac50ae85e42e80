"""One score a candidate from what the arms found, and which scores are an answer."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.retrieval import fusion, relevance
from memory_platform.retrieval.fusion import Formula, FusionForm
from tests.core.candidates import floats, scored, world, worlds

CONTEXTUAL = Formula(FusionForm.CONTEXTUAL)


@given(worlds, st.data())
def test_the_learned_score_is_the_probability_of_the_head(sessions, data):
    count = sum(map(len, sessions))
    cosines = data.draw(st.lists(st.floats(-1, 1) | st.just(math.nan), min_size=count, max_size=count))
    scores = scored(world(sessions, [1, 2, 3, 4], 50, cosines=cosines))

    odds = relevance.head().odds(scores.features)
    assert scores.score.tolist() == scores.probability.tolist() == relevance.probability(odds).tolist()
    assert np.isfinite(scores.score).all()


def test_the_arms_share_of_the_odds_is_told():
    scores = scored(world([[(20, {0: 1})]], [1], 10, cosines=[0.3]))
    head = relevance.head()
    [parts] = head.parts(scores.features)
    named = dict(zip(head.names, parts, strict=True))

    assert scores.vector[0] == pytest.approx(named["cosine"] + named["has_no_vector"])
    assert scores.keyword[0] == pytest.approx(named["contextual"] + named["lexical_without_vector"] + named["form"])


@pytest.mark.parametrize(
    ("statement", "expected"),
    [(False, [(0.4 + 0.25 * 0.8) / 1.25, 0.8]), (True, [0.4, 0.8])],
)
def test_semantic_score_looks_ahead_for_questions_only(statement, expected):
    scores = scored(world([[(20, {}), (20, {})]], [1], 10, cosines=[0.4, 0.8]), statement=statement)

    assert scores.semantic.tolist() == pytest.approx(expected)


def test_by_the_formula_a_unit_without_a_vector_counts_as_the_median_of_the_others():
    arguments = world([[(-9, {})] for _ in range(4)], [1], 10, cosines=[0.2, math.nan, 0.6, 0.5])

    assert scored(arguments, formula=CONTEXTUAL).semantic.tolist() == [0.2, 0.5, 0.6, 0.5]


def test_by_the_formula_keywords_alone_decide_without_any_vector():
    scores = scored(world([[(-9, {0: 1})], [(-9, {})]], [1], 10, cosines=[math.nan, math.nan]), formula=CONTEXTUAL)

    assert scores.vector.tolist() == [0.0, 0.0]
    assert scores.score.tolist() == [1.0, 0.0]


def test_without_any_vector_the_words_decide_what_is_likelier():
    cosines = [math.nan, math.nan]
    found, other = scored(world([[(-9, {0: 1})], [(-9, {})]], [1], 10, cosines=cosines)).probability

    assert found > other


@pytest.mark.parametrize(
    ("statement", "best", "gate"),
    [
        (False, 0.15, 0.0),
        (False, 0.325, 0.5),
        (False, 0.9, 1.0),
        (True, 0.35, 0.0),
        (True, 0.55, 0.5),
        (True, 0.8, 1.0),
    ],
)
def test_gate_opens_with_the_best_contextual_score(statement, best, gate):
    assert fusion._gate(floats([0.0, best]), statement=statement) == pytest.approx(gate)


def test_the_formula_is_gated_keywords_plus_weighted_cosine():
    scores = scored(world([[(20, {0: 1})], [(20, {})]], [1, 0], 10, cosines=[0.3, 0.5]), formula=CONTEXTUAL)

    assert 0 < scores.gate < 1
    assert scores.score.tolist() == pytest.approx(
        [scores.gate * scores.contextual[0] + 0.5 * 0.3, scores.gate * scores.contextual[1] + 0.5 * 0.5]
    )


def test_no_candidates_and_no_terms_give_empty_and_zero_scores():
    assert scored(world([[(20, {0: 1})]], [1], 10, candidates=[])).score.tolist() == []
    assert fusion.relevant(floats([]), floor=0.5).tolist() == []

    without_terms = scored(world([[(20, {})]], [], 10, cosines=[0.5]), formula=CONTEXTUAL)
    assert without_terms.score.tolist() == pytest.approx([0.5 * 0.07 / 0.14])


def test_reciprocal_rank_counts_places_and_silent_arms_do_not_vote():
    formula = Formula(FusionForm.RECIPROCAL_RANK, rrf_k=60, rrf_keyword_weight=1, rrf_vector_weight=0.5)
    scores = scored(
        world([[(-9, {0: 1})], [(-30, {0: 1})], [(-9, {})]], [1], 10, cosines=[0.1, 0.9, 0.5]), formula=formula
    )

    assert scores.keyword.tolist() == pytest.approx([1 / 61, 1 / 62, 0])
    assert scores.vector.tolist() == pytest.approx([0.5 / 63, 0.5 / 61, 0.5 / 62])


def test_dual_score_halves_proximity_and_cosine():
    arguments = world([[(-9, {0: 1})]], [1], 10, cosines=[0.4])

    near = scored(arguments, formula=Formula(FusionForm.DUAL), proximity=floats([0.6]))
    without_graph = scored(arguments, formula=Formula(FusionForm.DUAL))

    assert near.score.tolist() == pytest.approx([0.5])
    assert without_graph.score.tolist() == pytest.approx([0.7])


@pytest.mark.parametrize(("form", "expected"), [(FusionForm.KEYWORD, [1.0, 0.0]), (FusionForm.VECTOR, [0.1, 0.2])])
def test_one_arm_alone(form, expected):
    scores = scored(world([[(-9, {0: 1})], [(-9, {})]], [1], 10, cosines=[0.2, 0.4]), formula=Formula(form))

    assert scores.score.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("form", FusionForm)
def test_whatever_the_form_the_floor_tests_the_learned_probability(form):
    arguments = world([[(9, {0: 1}), (9, {})]], [1], 10, cosines=[0.2, 0.4])

    assert scored(arguments, formula=Formula(form)).probability.tolist() == scored(arguments).probability.tolist()


def test_graph_and_time_add_by_their_weights_and_nothing_by_default():
    arguments = world([[(-9, {0: 1})]], [1], 10, cosines=[0.4])
    beside = {"proximity": floats([0.6]), "window": floats([1.0])}
    weights = {"graph_weight": 0.5, "time_weight": 0.25}

    plain = scored(arguments, formula=CONTEXTUAL)
    weighed = scored(arguments, formula=Formula(FusionForm.CONTEXTUAL, **weights), **beside)

    assert scored(arguments, formula=CONTEXTUAL, **beside).score[0] == plain.score[0]
    assert (weighed.graph[0], weighed.time[0]) == pytest.approx((0.3, 0.25))
    assert weighed.score[0] == pytest.approx(plain.score[0] + 0.55)


def test_in_the_learned_form_graph_and_time_add_to_the_odds_and_not_to_what_the_floor_tests():
    arguments = world([[(-9, {0: 1})]], [1], 10, cosines=[0.4])
    formula = Formula(graph_weight=0.5, time_weight=0.25)

    plain, weighed = (
        scored(arguments),
        scored(arguments, formula=formula, proximity=floats([0.6]), window=floats([1.0])),
    )
    odds = math.log(plain.score[0] / (1 - plain.score[0]))

    assert weighed.score[0] == pytest.approx(1 / (1 + math.exp(-(odds + 0.55))))
    assert weighed.probability.tolist() == plain.probability.tolist()


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        ([0.49, 0.2], [False, False]),
        ([0.5, 0.26, 0.24], [True, True, False]),
        ([], []),
    ],
)
def test_below_the_floor_nothing_is_relevant_and_beside_a_good_hit_half_of_it_is(probability, expected):
    assert fusion.relevant(floats(probability), floor=0.5).tolist() == expected


def test_a_hit_is_a_twentieth_as_likely_as_the_best_at_least():
    assert fusion.relevant(floats([0.9, 0.046, 0.044]), floor=0.02).tolist() == [True, True, False]


probabilities = st.lists(st.floats(0, 1), max_size=8).map(floats)


@given(probabilities, st.floats(0, 1), st.floats(0, 1))
def test_a_higher_floor_never_lets_more_through(probability, first, second):
    low, high = sorted((first, second))

    assert not (fusion.relevant(probability, floor=high) & ~fusion.relevant(probability, floor=low)).any()


@given(probabilities, st.floats(0, 1))
def test_what_is_likelier_than_a_hit_is_a_hit(probability, floor):
    passes = fusion.relevant(probability, floor=floor)

    assert not passes.any() or passes[probability >= probability[passes].min()].all()


def two_hop(proximity):
    """Three terms: the first unit holds two of them, the others the third."""
    sessions = [[(-9, {0: 1, 1: 1})], [(-9, {2: 1})], [(-9, {2: 1})], [(-9, {0: 1})]]
    return scored(world(sessions, [1, 1, 1], 100), proximity=None if proximity is None else floats(proximity))


FIRST = np.array([True, False, False, False])


def test_what_is_near_in_the_graph_and_holds_a_missing_word_completes_the_answer():
    assert fusion.bridging(two_hop([0.5, 0.05, 0.02, 0.9]), FIRST).tolist() == [False, True, False, False]


def test_nothing_completes_an_answer_that_is_none():
    assert not fusion.bridging(two_hop([0.5, 0.05, 0.02, 0.9]), np.zeros(4, dtype=np.bool_)).any()
    assert not fusion.bridging(two_hop(None), FIRST).any()


def test_at_most_three_complete_an_answer_the_nearest_first():
    sessions = [[(-9, {0: 1})], *([(-9, {1: 1})] for _ in range(5))]
    scores = scored(world(sessions, [1, 1], 100), proximity=floats([1, 0.1, 0.5, 0.4, 0.2, 0.3]))

    assert np.flatnonzero(fusion.bridging(scores, np.array([True, *[False] * 5]))).tolist() == [2, 3, 5]
