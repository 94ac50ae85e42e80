"""What the form of a turn adds to its words."""

from dataclasses import replace

import pytest

from memory_platform.retrieval import contextual, turn_form
from memory_platform.retrieval.cues import SPEAKER_SHIFT, Cue, speaker_key
from memory_platform.retrieval.fusion import Formula, FusionForm
from memory_platform.retrieval.query import NOTHING_SOUGHT, AnswerForm
from memory_platform.retrieval.relevance import FEATURES
from tests.core.candidates import integers, scored, world


def talk(*units, cues, lengths=None):
    """One session of units {term: tf}, each with its cues, of 9 kept terms unless told."""
    lengths = [9] * len(units) if lengths is None else lengths
    query, found, postings = world([list(zip(lengths, units, strict=True))], [1, 1], 100)
    return query, replace(found, cues=integers(cues)), postings


def form(arguments, sought=NOTHING_SOUGHT):
    query, units, _ = arguments
    scores = scored(arguments, sought=sought)
    total = contextual.inverse_document_frequency(query).sum()
    return turn_form.form(units, units.cues, scores.contextual, scores.lexical / total, sought).tolist()


def test_a_turn_that_answers_a_question_is_given_three_tenths_of_its_words():
    arguments = talk({0: 1}, {}, {}, cues=[Cue.ASKS, 0, 0])

    assert form(arguments) == pytest.approx([0.0, 0.3 * scored(arguments).contextual[0], 0.0])


def test_a_question_that_only_borrows_the_words_asks_something_else():
    assert form(talk({0: 1}, {}, {}, cues=[0, Cue.ASKS, 0])) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("cues", "lengths"),
    [([0, 0], [9, 9]), ([Cue.ASKS, Cue.ASKS], [9, 9]), ([Cue.ASKS, 0], [9, 61]), ([Cue.ASKS, 0], [61, 9])],
    ids=["no question", "a question back", "a long answer", "a long question"],
)
def test_only_a_brief_turn_answers_and_only_a_brief_question(cues, lengths):
    assert form(talk({0: 1}, {}, cues=cues, lengths=lengths)) == [0.0, 0.0]


def test_a_turn_whose_words_are_taken_up_gets_a_share_of_the_next_one():
    weight = contextual.weights(integers([1]), integers([9]))[0]

    # two query terms of one idf, one of them found
    assert form(talk({}, {0: 1}, cues=[0, 0])) == pytest.approx([0.15 * weight / 2, 0.0])


@pytest.mark.parametrize(
    ("sought", "expected"),
    [(AnswerForm(names=True), [0.15, 0.0]), (AnswerForm(own=True), [0.0, 0.1]), (NOTHING_SOUGHT, [0.0, 0.0])],
)
def test_what_is_sought_counts_where_it_is(sought, expected):
    assert form(talk({}, {}, cues=[Cue.NAMES, Cue.OWN]), sought) == pytest.approx(expected)


def test_a_turn_that_says_when_is_given_a_little():
    assert form(talk({}, {}, cues=[Cue.TIMES, 0])) == pytest.approx([0.02, 0.0])


@pytest.mark.parametrize(
    ("named", "several", "expected"),
    [
        (["Anna"], True, [0.08, 0.0]),
        (["Anna"], False, [0.0, 0.0]),
        (["Anna", "Ben"], True, [0.0, 0.0]),
        ([], True, [0, 0]),
    ],
)
def test_the_only_speaker_named_says_most_of_several_answers(named, several, expected):
    sought = AnswerForm(several=several, speakers=frozenset(map(speaker_key, named)))
    said = [speaker_key("Anna") << SPEAKER_SHIFT, speaker_key("Ben") << SPEAKER_SHIFT]

    assert form(talk({}, {}, cues=said), sought) == pytest.approx(expected)


def test_a_session_ends_where_another_begins():
    query, units, postings = world([[(9, {}), (9, {0: 1})], [(9, {}), (9, {})]], [1], 100)

    assert form((query, replace(units, cues=integers([0, Cue.ASKS, 0, 0])), postings))[2] == 0.0


def test_form_is_for_questions_and_for_the_forms_that_use_it():
    arguments = talk({0: 1}, {}, cues=[Cue.ASKS, 0])
    place = FEATURES.index("form")
    by_keyword = scored(arguments, formula=Formula(FusionForm.KEYWORD))

    assert scored(arguments).features[1, place] > 0
    assert scored(arguments, statement=True).features[:, place].tolist() == [0.0, 0.0]
    assert by_keyword.score.tolist() == by_keyword.contextual.tolist()
