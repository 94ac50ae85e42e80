"""A long text is read in parts: where another speaks, and at paragraphs and sentences where one says much."""

import re

from hypothesis import given
from hypothesis import strategies as st

from memory_platform.model import Role
from memory_platform.text.segments import Segment, segments

SAID = st.lists(
    st.sampled_from(["The ferry leaves at seven.", "We moved to Lisbon in May!", "Note: it rains.", "\n\n", "\n", " "]),
    max_size=40,
)


def test_who_speaks_begins_a_part():
    text = "What came before.\nUser: I moved to Lisbon.\n\nAssistant: Noted.\nhuman: And Ben to Porto."

    assert segments(text) == [
        Segment("What came before."),
        Segment("I moved to Lisbon.", Role.USER),
        Segment("Noted.", Role.ASSISTANT),
        Segment("And Ben to Porto.", Role.USER),
    ]


def test_other_names_are_no_labels():
    assert segments("Note: the ferry leaves at seven.\nMara: I know.") == [
        Segment("Note: the ferry leaves at seven.\nMara: I know.")
    ]


def test_paragraphs_stay_together_while_they_fit():
    text = "One two three.\n\nFour five six.\n\nSeven eight."

    assert [each.text for each in segments(text, longest=32)] == ["One two three.\n\nFour five six.", "Seven eight."]


def test_a_long_paragraph_is_parted_between_sentences():
    assert [each.text for each in segments("One two three. Four five six. Seven eight.", longest=30)] == [
        "One two three. Four five six.",
        "Seven eight.",
    ]


def test_a_text_of_labels_and_white_space_has_no_parts():
    assert segments("User:  \n\n assistant: \n") == []


@given(SAID, st.integers(min_value=26, max_value=120))
def test_nothing_that_was_said_is_left_out_and_no_part_is_too_long(said, longest):
    text = " ".join(said)

    parts = segments(text, longest=longest)

    assert re.sub(r"\s", "", "".join(each.text for each in parts)) == re.sub(r"\s", "", text)
    assert all(len(each.text) <= longest for each in parts)
