"""What a unit says of the question's words: its own and those of the turns around it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.retrieval import contextual
from memory_platform.retrieval.contextual import Postings
from tests.core.candidates import integers, scored, world, worlds


def by_the_book(query, units, postings):
    """RECALL.md's X, term by term and pair by pair."""
    idf = [math.log(1 + (query.documents - df + 0.5) / (df + 0.5)) for df in query.document_frequency.tolist()]
    found = list(zip(*(getattr(postings, name).tolist() for name in postings.__slots__), strict=True))
    result = []
    for document, session, ordinal, center in zip(
        units.document.tolist(), units.session.tolist(), units.ordinal.tolist(), units.center.tolist(), strict=True
    ):
        best = [0.0] * len(idf)
        for other, term, tf, length, its_session, its_ordinal, its_center in found:
            weight = 2.2 * tf / (tf + 1.2 * max(length, 25) / 25)
            distance = abs(center - its_center)
            if other == document:
                lent = weight
            elif its_session != session or session == contextual.NO_SESSION:
                lent = 0.0
            elif 0 < ordinal - its_ordinal <= 8:
                lent = max(0.8**distance * weight, 0.1 * weight)
            elif 0 < its_ordinal - ordinal <= 6:
                lent = max(0.6**distance * weight, 0.1 * weight)
            else:
                lent = 0.1 * weight
            best[term] = max(best[term], lent)
        result.append(sum(i * b for i, b in zip(idf, best, strict=True)) / (sum(idf) or 1.0))
    return result


@given(worlds, st.lists(st.integers(0, 40), min_size=4, max_size=4), st.randoms(use_true_random=False))
def test_contextual_score_is_the_formula_for_any_candidates_in_any_order(sessions, frequencies, random):
    documents = list(range(sum(map(len, sessions))))
    candidates = random.sample(documents, random.randint(1, len(documents)))
    arguments = world(sessions, frequencies, 50, candidates=candidates)

    assert scored(arguments).contextual.tolist() == pytest.approx(by_the_book(*arguments))


@given(worlds, st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_postings(sessions, random):
    query, units, postings = world(sessions, [1, 2, 3, 4], 50)
    order = integers(random.sample(range(len(postings.document)), len(postings.document)))
    shuffled = Postings(*(getattr(postings, name)[order] for name in postings.__slots__))

    assert np.array_equal(scored((query, units, postings)).score, scored((query, units, shuffled)).score)


def test_centers_are_half_widths_apart_and_continue_a_session():
    assert contextual.centers(integers([10, 50, 25])).tolist() == [0.5, 2.0, 3.5]
    assert contextual.next_center(2.0, 50, 25) == 3.5


def test_lexical_score_of_one_term():
    scores = scored(world([[(50, {0: 2}), (10, {})]], [1], 10))

    idf = math.log(1 + 9.5 / 1.5)
    assert scores.lexical.tolist() == pytest.approx([idf * 4.4 / (2 + 2.4), 0.0])
    assert scores.contextual.tolist() == pytest.approx([1.0, 0.8**1.5])


def test_an_unknown_term_stays_in_the_divisor():
    alone = scored(world([[(20, {0: 1})]], [1], 10)).contextual[0]
    diluted = scored(world([[(20, {0: 1})]], [1, 0], 10)).contextual[0]

    idf_known, idf_unknown = math.log(1 + 9.5 / 1.5), math.log(1 + 10.5 / 0.5)
    assert diluted == pytest.approx(alone * idf_known / (idf_known + idf_unknown))


def test_items_neither_lend_nor_borrow():
    scores = scored(world([[(-10, {0: 1})], [(-10, {})], [(20, {}), (20, {})]], [1], 10))

    assert scores.contextual.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_neighbours_are_found_among_the_candidates_of_the_same_session():
    _, units, _ = world([[(9, {}), (9, {}), (9, {})], [(9, {}), (9, {})], [(-9, {})]], [1], 10, candidates=[2, 1, 3, 5])

    assert contextual.beside_each(units, -1).tolist() == [1, -1, -1, -1]
    assert contextual.beside_each(units, 1).tolist() == [-1, 0, -1, -1]
