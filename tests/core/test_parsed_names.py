"""The names a parse holds, at the start of a sentence or inside it."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_platform.knowledge import naming
from tests.core.reading import parsed


def found(text: str, *known: str) -> list[str]:
    return [one.name for one in naming.names(parsed(text), known=known)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Katrijn helps out on weekends.", ["Katrijn"]),
        ("So Nkechi is on parental leave, her stuff goes to Bjarne.", ["Nkechi", "Bjarne"]),
        ("We moved it to Hetzner in Falkenstein.", ["Hetzner", "Falkenstein"]),
        ("We met Anna Berg and Ben in Porto.", ["Anna Berg", "Ben", "Porto"]),
        ("It runs on PostgreSQL 17 now.", ["PostgreSQL 17"]),
        ("I talked to Mrs Fukuda.", ["Fukuda"]),
        ("Her successor is a guy called Lars-Petter.", ["Lars-Petter"]),
        ("Mail d.lis@example.org about PAY-112.", ["d.lis@example.org", "PAY-112"]),
    ],
)
def test_names_are_found_as_written(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Deploys happen on Monday in May.",
        "Never push to main directly.",
        "Only rent went up by 25 MB.",
        "Green is fine.",
    ],
)
def test_capitals_of_ordinary_words_days_and_units_are_no_names(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thanks, Tom.", []),
        ("Hi Mo, I now work at Siemens.", ["Siemens"]),
        ("Sure Maya, I use Notion.", ["Notion"]),
        ("Hey Mel, I moved to Boston.", ["Boston"]),
        ("Ouch, that hurt.", []),
        ("Definitely Kafka.", ["Kafka"]),
        ("Phew, we moved to Porto.", ["Porto"]),
        ("Tom, I think.", ["Tom"]),
    ],
)
def test_greetings_assent_and_who_is_only_spoken_to_are_no_names(text, expected):
    assert found(text) == expected


def test_who_takes_part_in_the_talk_is_a_name_when_spoken_to():
    assert found("Thanks, Tom.", "Tom") == ["Tom"]


def test_who_takes_part_in_the_talk_is_a_name_in_any_case():
    assert found("ask mara about it", "Mara") == ["mara"]


def test_every_occurrence_is_told_with_its_place():
    text = "Joanna left. Then Joanna came back."

    assert [text[one.start : one.end] for one in naming.names(parsed(text))] == ["Joanna", "Joanna"]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Anna", "Berg", "and", "of", "met", "Porto", "(", '"', "17", "@x", "'s", "."]), max_size=14
    )
)
def test_names_stand_in_the_text_in_order_and_apart(words):
    text = " ".join(words)
    names = naming.names(parsed(text))

    assert all(text[one.start : one.end] == one.name for one in names)
    assert all(one.end <= other.start for one, other in pairwise(names))
