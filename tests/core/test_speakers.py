"""Sentences of a dialogue, with names for I, we and you, and verbs that agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.extraction.speakers import name_speakers, speaks_of_anyone, third_person


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("I went to a group", "Caroline went to a group"),
        ("I don't paint and I love it", "Caroline doesn't paint and Caroline loves it"),
        ("I'm keen on counseling", "Caroline is keen on counseling"),
        ("I've been there", "Caroline has been there"),
        ("I'd better go", "Caroline had better go"),
        ("I'd love to", "Caroline would love to"),
        ("I always carry my violin", "Caroline always carries Caroline's violin"),
        ("Anna and I love tea", "Anna and Caroline love tea"),
        ("My kids love me", "Caroline's kids love Caroline"),
        ("We are going camping", "Caroline and others are going camping"),
        ("I'm proud of you", "Caroline is proud of Melanie"),
        ("You inspire me", "Melanie inspires Caroline"),
        ("I think you're right", "Caroline thinks Melanie is right"),
        ("It makes you feel calm", "It makes people feel calm"),
        ('He said "I love you"', 'He said "I love you"'),
        ("The API uses PostgreSQL", "The API uses PostgreSQL"),
    ],
)
def test_pronouns_become_names(said, named):
    assert name_speakers(said, speaker="Caroline", addressee="Melanie") == named


@pytest.mark.parametrize(
    ("verb", "form"),
    [("go", "goes"), ("study", "studies"), ("play", "plays"), ("watch", "watches"), ("need", "needs"), ("went", "went"),
     ("loved", "loved"), ("can", "can"), ("am", "is"), ("haven't", "hasn't")],
)  # fmt: skip
def test_the_verb_after_one_name(verb, form):
    assert third_person(verb) == form


WORDS = st.sampled_from(
    ["I", "I'm", "my", "me", "we", "you", "your", "love", "and", "was", "Anna", ",", "when", "don't", "."]
)


@given(st.lists(WORDS, max_size=10).map(" ".join))
def test_no_first_or_second_person_is_left(said):
    assert not speaks_of_anyone(name_speakers(said, speaker="Caroline", addressee="Melanie"))
