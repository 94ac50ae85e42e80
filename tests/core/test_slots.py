"""Which state a clause speaks of."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.consolidation.claims import share_a_slot
from memory_platform.extraction.clauses import Clause, clauses
from memory_platform.extraction.slots import identifiers, slot_of
from memory_platform.model import Slot
from tests.core.parses import parses, plain


@cache
def reader() -> SpacyReader:
    return SpacyReader()


def slots(text: str, speaker: str = "") -> list[Slot]:
    [parse] = reader().read([text])
    return [slot_of(clause, parse, speaker=speaker) for clause in clauses(parse)]


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("The new vendor is Adyen.", Slot("The new vendor", "be", "Adyen")),
        ("Marco negotiated the contract.", Slot("Marco", "negotiate", "the contract")),
        ("We moved to Rome.", Slot("We", "move to", "to Rome")),
        ("PAY-10 is blocked.", Slot("PAY-10", "block", "", "pay-10")),
        ("Never push to main directly.", Slot("", "push", "to main directly")),
        ("Good morning!", Slot()),
    ],
)
def test_a_slot_is_read_off_the_grammar(text, slot):
    assert slots(text) == [slot]


def test_every_clause_has_a_slot_of_its_own():
    assert slots("PAY-1 is done and PAY-10 is blocked.") == [
        Slot("PAY-1", "do", "", "pay-1"),
        Slot("PAY-10", "block", "", "pay-10"),
    ]


def test_tickets_of_one_series_are_distinct_slots():
    [first], [second], [again] = slots("PAY-1 is blocked."), slots("PAY-10 is blocked."), slots("PAY-1 is blocked.")

    assert not share_a_slot(first, second)
    assert share_a_slot(first, again)


@pytest.mark.parametrize(
    ("text", "subject"),
    [("I'm vegan.", "Ines"), ("My boss is Anna.", "Ines's boss"), ("Myra is here.", "Myra"), ("We moved.", "We")],
)
def test_the_speaker_stands_for_i_and_my(text, subject):
    [slot] = slots(text, "Ines")

    assert slot.subject == subject


def test_an_entry_is_a_slot_already():
    text = "node name: db-1"

    assert slot_of(Clause(text, 0, ""), plain(text)) == Slot("", "node name", "db-1", "db-1")


def test_without_grammar_only_identifiers_are_known():
    text = "PAY-1 ist blockiert"

    assert slot_of(Clause(text, 0, "de"), plain(text)) == Slot(qualifier="pay-1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PAY-1 and pay-10", ("pay-1", "pay-10")),
        ("ticket #42, ISO-8601-2", ("#42", "iso-8601-2")),
        ("call 555-1234", ("555-1234",)),
        ("v2.1 of the app", ("v2.1",)),
        ("10 % off in 2024", ()),
        ("3.14", ()),
    ],
)
def test_identifiers_name_one_of_a_series(text, expected):
    assert identifiers(text) == expected


@given(parses(), st.sampled_from(["", "Ines"]))
def test_whatever_the_grammar_a_slot_is_in_the_words_of_its_sentence(parse, speaker):
    for clause in clauses(parse):
        slot = slot_of(clause, parse, speaker=speaker)
        said = " ".join(parse.text.split())
        assert all(len(part) <= 200 for part in (slot.subject, slot.attribute, slot.value, slot.qualifier))
        assert slot.value in said
        assert slot.subject in said or slot.subject.startswith(speaker)
