"""Who and what a clause names, and who "I" is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.extraction import naming
from memory_platform.extraction.clauses import Clause
from memory_platform.extraction.clauses import clauses as clauses_of
from memory_platform.text.parse import Parse
from tests.core.parses import plain
from tests.core.reading import parsed


def told(text: str, speaker: str = "Ines", **fields) -> str:
    return naming.with_speaker(text, Clause(text, 0, **({"language": "en"} | fields)), speaker, Parse(text, "en", ()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Lisbon.", "I (Ines) moved to Lisbon."),
        ("I'm vegan.", "I'm (Ines) vegan."),
        ("Today i’ve moved.", "Today i’ve (Ines) moved."),
        ("My sister and I moved.", "My (Ines's) sister and I moved."),
        ("We moved to Lisbon.", "We moved to Lisbon."),
        ("The I/O is slow.", "The I/O is slow."),
        ("Mya moved in.", "Mya moved in."),
        ("I'm Ines.", "I'm Ines."),
        ("I, ines, moved.", "I, ines, moved."),
        ("I'm Ines's sister.", "I'm (Ines) Ines's sister."),
    ],
)
def test_the_name_of_the_speaker_stands_behind_the_first_i_or_my(text, expected):
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "speaker", "fields"),
    [
        ("I moved to Lisbon.", "", {}),
        ('Anna said "I moved".', "Ines", {}),
        ("Anna a dit « I moved ».", "Ines", {}),
        ("Anna told me that I moved.", "Ines", {"reported_by": "Anna"}),
        ("I Madrid bor jag.", "Ines", {"language": "sv"}),
    ],
    ids=["nobody known", "quoted", "quoted in French", "reported", "another language"],
)
def test_what_is_not_surely_the_speaker_is_left_alone(text, speaker, fields):
    assert told(text, speaker, **fields) == text


clauses = st.lists(st.sampled_from(["I", "I'm", "my", "Anna", "said", "moved", "it,", "(so)"]), max_size=8).map(
    " ".join
)


@given(clauses, st.sampled_from(["", "Ines"]), st.sampled_from(["", "Anna"]), st.sampled_from(["en", "de"]))
def test_without_what_was_put_in_it_is_the_clause_again(text, speaker, reporter, language):
    found = told(text, speaker, reported_by=reporter, language=language)

    assert found.replace(" (Ines's)", "").replace(" (Ines)", "") == text


def names(text: str, *, clause: int = 0, known=()) -> tuple[str, ...]:
    parse = parsed(text)
    return naming.names_of(clauses_of(parse)[clause], parse, known=known)


def test_names_are_what_the_grammar_treats_as_one_and_what_machines_write():
    assert names("Ignore the Marco deal in docs/deal.md.") == ("Marco", "docs/deal.md")


def test_days_numbers_and_words_that_open_a_sentence_are_no_names():
    assert names("Forget about Mondays, we pay 30 EUR in May.") == ()


def test_names_of_other_clauses_stay_with_them():
    text = "Anna left, and Marco stayed."

    assert (names(text), names(text, clause=1)) == (("Anna",), ("Marco",))


def test_a_name_is_named_once():
    assert names("Katrijn met Tom and Tom met Katrijn.") == ("Katrijn", "Tom")


def test_a_speaker_is_known_at_the_start_of_a_sentence():
    assert names("mara moved") == ()
    assert names("mara moved", known=["Mara"]) == ("mara",)


def test_without_grammar_names_are_told_by_the_way_they_are_written():
    text = "Anna wohnt jetzt in Rome."

    assert naming.names_of(Clause(text, 0, "de"), plain(text, "de")) == ("Rome",)


def test_an_address_of_the_web_is_no_name():
    assert naming.names_in_text("It is at https://example.org/a for Anna.") == ("Anna",)
