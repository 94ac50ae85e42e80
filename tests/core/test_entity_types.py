"""What sort of thing a name is, from how it is written and from the words around it."""

import pytest

from memory_platform.knowledge.entities import find
from memory_platform.knowledge.entity_types import UNKNOWN, TypeGuess, type_of
from memory_platform.knowledge.graph import EntityType


def guessed(name: str, text: str) -> TypeGuess:
    (found,) = [one for one in find(text) if one.name == name]
    return type_of(found, text)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Anna", "She met Anna at noon.", EntityType.PERSON),
        ("Xaverl", "I asked about it when I talked to Xaverl again.", EntityType.PERSON),
        ("Quillon", "The report by Mrs Quillon is late.", EntityType.PERSON),
        ("anna@example.org", "Write to anna@example.org today.", EntityType.PERSON),
        ("@berg", "Ask @berg about it.", EntityType.PERSON),
        ("Brightwave", "He works at Brightwave in sales.", EntityType.ORGANIZATION),
        ("Acme Inc", "The contract with Acme Inc ends.", EntityType.ORGANIZATION),
        ("Lisbon", "The team met in Lisbon.", EntityType.PLACE),
        ("Grunbach", "The office in Grunbach opens.", EntityType.PLACE),
        ("Zellheim", "She moved to Zellheim last year.", EntityType.PLACE),
        ("PostgreSQL", "We store it in PostgreSQL.", EntityType.TOOL),
        ("Frobnicator", "The service uses Frobnicator for it.", EntityType.TOOL),
        ("https://example.org/a", "See https://example.org/a for it.", EntityType.TOOL),
        ("Project Atlas", "Everything about Project Atlas is late.", EntityType.PROJECT),
        ("Heron", "The Heron project starts in May.", EntityType.PROJECT),
        ("PAY-112", "The ticket PAY-112 is open.", EntityType.PROJECT),
        ("ADR-7", "It is in ADR-7 as agreed.", EntityType.CONCEPT),
        ("#gardening", "More of #gardening soon.", EntityType.CONCEPT),
    ],
)
def test_a_name_gets_the_type_its_form_or_its_words_suggest(name, text, expected):
    assert guessed(name, text).type is expected


def test_a_name_nothing_speaks_for_is_an_unknown_concept():
    assert guessed("Zorblax", "They said Zorblax twice.") == TypeGuess(EntityType.CONCEPT, UNKNOWN)


def test_a_format_is_no_place_because_things_are_in_it():
    assert guessed("JSON", "It answers in JSON only.").type is EntityType.CONCEPT


def test_a_speaker_is_a_person_for_certain():
    (found,) = find("Jira said so.", known=["Jira"])

    assert type_of(found, "Jira said so.", is_speaker=True) == TypeGuess(EntityType.PERSON, 1.0)
