"""What the relevance head sees of a candidate."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.retrieval import relevance
from memory_platform.retrieval.cues import SPEAKER_SHIFT, Cue
from tests.core.candidates import THRESHOLDS, floats, integers, world


def features(units, *, contextual=None, lexical=None, form=None):
    nothing = np.zeros(len(units.document))
    given_ = [nothing if column is None else floats(column) for column in (contextual, lexical, form)]
    found = relevance.features(units, contextual=given_[0], lexical=given_[1], form=given_[2], thresholds=THRESHOLDS)
    return [dict(zip(relevance.FEATURES, row, strict=True)) for row in found.tolist()]


def test_a_cosine_counts_in_the_embedders_standard_deviations():
    _, units, _ = world([[(9, {}), (9, {})]], [1], 10, cosines=[0.1, 0.38])

    assert [row["cosine"] for row in features(units)] == pytest.approx([0.0, 2.0])


def test_a_unit_without_a_vector_is_weighed_by_its_words():
    _, units, _ = world([[(9, {}), (9, {})]], [1], 10, cosines=[math.nan, 0.38])
    first, second = features(units, lexical=[0.7, 0.7])

    assert (first["cosine"], first["has_no_vector"], first["lexical_without_vector"]) == (0.0, 1.0, 0.7)
    assert (second["has_no_vector"], second["lexical_without_vector"]) == (0.0, 0.0)


def test_what_the_arms_found_is_handed_on():
    _, units, _ = world([[(9, {})]], [1], 10)
    [row] = features(units, contextual=[0.4], form=[0.2])

    assert (row["contextual"], row["form"]) == (0.4, 0.2)


def test_items_are_told_from_turns():
    _, units, _ = world([[(-9, {})], [(9, {})]], [1], 10)

    assert [row["is_item"] for row in features(units)] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("cue", "expected"),
    [
        (Cue.OWN, {"of_user"}),
        (Cue.ASSISTANT, {"of_assistant"}),
        (Cue.MACHINE, {"of_machine"}),
        (Cue.ASKS, {"is_mere_question"}),
        (0, set()),
        (511 << SPEAKER_SHIFT, set()),
    ],
)
def test_who_says_it_is_read_off_the_cues(cue, expected):
    _, units, _ = world([[(9, {})]], [1], 10)
    [row] = features(replace(units, cues=integers([cue])))

    assert {name for name in ("of_user", "of_assistant", "of_machine", "is_mere_question") if row[name]} == expected


def test_a_long_message_that_ends_with_a_question_says_more_than_it_asks():
    _, units, _ = world([[(15, {}), (16, {})]], [1], 10)

    assert relevance.is_mere_question(replace(units, cues=integers([Cue.ASKS, Cue.ASKS]))).tolist() == [True, False]
    assert relevance.is_mere_question(units).tolist() == [False, False]


@given(st.lists(st.floats(-30, 30), min_size=2))
def test_probability_lies_between_0_and_1_and_grows_with_the_odds(odds):
    found = relevance.probability(floats(sorted(odds)))

    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) >= 0).all()


@pytest.mark.parametrize("name", [relevance.ENGLISH, relevance.FOREIGN, relevance.FIRST])
def test_the_weights_at_hand_belong_to_the_features(name):
    head = relevance.head(name)

    assert head.names == relevance.FEATURES
    assert head.weights.shape == (len(relevance.FEATURES),)


def test_each_unit_is_weighed_by_the_weights_of_the_model_that_read_it():
    _, units, _ = world([[(9, {}), (9, {}), (9, {})]], [1], 10)
    rows = np.linspace(-1, 2, 30).reshape(3, 10)
    parts, odds = relevance.odds(rows, replace(units, foreign=np.array([False, True, False])))

    for row, name in enumerate([relevance.ENGLISH, relevance.FOREIGN, relevance.ENGLISH]):
        head = relevance.head(name)
        assert odds[row] == head.odds(rows)[row]
        assert parts[row].tolist() == head.parts(rows)[row].tolist()


@given(st.lists(st.lists(st.floats(-3, 3), min_size=10, max_size=10), min_size=1), st.data())
def test_what_is_foreign_changes_nothing_for_english_units(given_, data):
    rows = floats(given_)
    foreign = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    _, units, _ = world([[(9, {})] * len(rows)], [1], 10)
    alone, beside = relevance.odds(rows, units), relevance.odds(rows, replace(units, foreign=foreign))

    assert beside[1][~foreign].tolist() == alone[1][~foreign].tolist() == relevance.head().odds(rows)[~foreign].tolist()
    assert beside[0][~foreign].tolist() == alone[0][~foreign].tolist()


def test_which_is_the_best_is_told_by_weights_of_its_own_of_what_the_encoder_read():
    _, units, _ = world([[(9, {}), (9, {})]], [1], 10)
    rows = np.linspace(-1, 2, 20).reshape(2, 10)
    alone = relevance.first_odds(rows, units)
    beside = relevance.first_odds(rows, replace(units, foreign=np.array([False, True])))

    assert alone.tolist() == relevance.head(relevance.FIRST).odds(rows).tolist()
    assert beside[0] == alone[0]
    assert math.isnan(beside[1])


@given(st.lists(st.floats(-3, 3), min_size=10, max_size=10))
def test_the_parts_of_the_odds_add_up(row):
    head, rows = relevance.head(), floats([row])

    assert head.parts(rows).sum() + head.bias == pytest.approx(head.odds(rows)[0])
