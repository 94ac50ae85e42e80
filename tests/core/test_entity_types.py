"""What sort of thing a name is: from how it is written, the reader's label, and what the text says of it."""

import pytest

from memory_platform.knowledge.entities import EntityForm, FoundName, written
from memory_platform.knowledge.entity_types import IS_GUESS, UNKNOWN, TypeGuess, type_of
from memory_platform.knowledge.graph import EntityType


def name(text: str, label: str = "") -> FoundName:
    return FoundName(text, EntityForm.NAME, 0, label)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna", EntityType.PERSON),
        ("Acme Inc", EntityType.ORGANIZATION),
        ("Lisbon", EntityType.PLACE),
        ("PostgreSQL", EntityType.TOOL),
        ("Project Atlas", EntityType.PROJECT),
    ],
)
def test_a_name_may_say_itself_what_it_is(text, expected):
    assert type_of(name(text)).type is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("anna@example.org", EntityType.PERSON),
        ("@berg", EntityType.PERSON),
        ("https://example.org/a", EntityType.TOOL),
        ("PAY-112", EntityType.PROJECT),
        ("ADR-7", EntityType.CONCEPT),
        ("#gardening", EntityType.CONCEPT),
    ],
)
def test_what_machines_write_says_by_its_form(text, expected):
    (found,) = written(f"See {text} for it.")

    assert type_of(found).type is expected


def test_what_the_text_says_counts_more_than_the_readers_label():
    assert type_of(name("Nkechi", "PLACE"), hints={EntityType.PERSON}) == TypeGuess(EntityType.PERSON, 0.7)
    assert type_of(name("Heron", "ORG"), nouns=["project"]) == TypeGuess(EntityType.PROJECT, 0.7)


def test_a_label_of_one_word_is_no_reason_to_keep_names_apart():
    assert type_of(name("Zorblax", "PLACE")).type is EntityType.PLACE
    assert type_of(name("Zorblax", "PLACE")).confidence < IS_GUESS < type_of(name("Port Zorblax", "ORG")).confidence


def test_a_name_nothing_speaks_for_is_an_unknown_concept():
    assert type_of(name("Zorblax")) == TypeGuess(EntityType.CONCEPT, UNKNOWN)


def test_a_speaker_is_a_person_for_certain():
    assert type_of(name("Jira"), is_speaker=True) == TypeGuess(EntityType.PERSON, 1.0)
