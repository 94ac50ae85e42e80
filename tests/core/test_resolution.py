"""Which names are one: the cases people write, and the laws keys and similarity obey."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.knowledge.entity_types import UNKNOWN, TypeGuess
from memory_platform.knowledge.graph import AliasKind, EntityType
from memory_platform.knowledge.resolution import (
    Directory,
    KnownName,
    Match,
    Name,
    best_name,
    is_typo,
    keys_in,
    name_key,
    resolve,
    similarity,
)

PERSON = TypeGuess(EntityType.PERSON, 0.8)
PROJECT = TypeGuess(EntityType.PROJECT, 0.8)
PLACE = TypeGuess(EntityType.PLACE, 0.85)
NOBODY_KNOWS = TypeGuess(EntityType.CONCEPT, UNKNOWN)


def name(text: str, guess: TypeGuess = PERSON) -> Name:
    return Name(text, name_key(text), guess)


def known(number: int, text: str, guess: TypeGuess = PERSON) -> KnownName:
    return KnownName(UUID(int=number), text, name_key(text), guess)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("The Beatles", "beatles"),
        ("  Anna   Berg ", "anna berg"),
        ("Anna’s", "anna"),
        ("“PostgreSQL”,", "postgresql"),
        ("https://Example.org/", "https://example.org"),
        ("ＡＢＣ", "abc"),
        ("...", ""),
    ],
)
def test_the_key_drops_what_does_not_tell_names_apart(text, key):
    assert name_key(text) == key


@pytest.mark.parametrize("longest", [2, 3])
def test_a_text_names_whatever_its_words_may_be_the_key_of(longest):
    found = keys_in('The "Quillfeather car" is St. Olof\'s.', longest)

    assert {"quillfeather car", "st. olof", "olof"} <= found
    assert max(len(key.split()) for key in found) == longest


@given(st.text(max_size=260))
def test_the_key_of_a_key_is_the_key(text):
    assert name_key(name_key(text)) == name_key(text)


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_symmetric_and_within_bounds(first, second):
    assert similarity(first, second) == similarity(second, first)
    assert 0 <= similarity(first, second) <= 1
    assert is_typo(first, second) == is_typo(second, first)


@given(st.text("abcxyz -", max_size=12), st.integers(0, 99), st.integers(0, 99))
def test_names_with_different_numbers_are_never_one(stem, ours, theirs):
    if ours == theirs:
        return

    asked = name(f"Xenia{stem} {ours}", NOBODY_KNOWS)
    assert resolve(asked, [known(1, f"Xenia{stem} {theirs}", NOBODY_KNOWS)]) is None


def test_an_exact_key_wins_over_every_rule():
    match = resolve(name("anna"), [known(1, "Anna Berg"), known(2, "Anna", PLACE)])

    assert match == Match(UUID(int=2), AliasKind.ALIAS)


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("Carloine", "Caroline"),
        ("Kuberntes", "Kubernetes"),
        ("Melannie Fischer", "Melanie Fischer"),
        ("Raspbery Ridge", "Raspberry Ridge"),
    ],
)
def test_a_slip_of_the_keyboard_is_the_same_name(asked, other):
    assert resolve(name(asked), [known(1, other), known(2, "Somebody Else")]) == Match(UUID(int=1), AliasKind.ALIAS)


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("Jonas", "Jones"),
        ("Daniela", "Daniel"),
        ("Marina", "Martina"),
        ("Anna", "Anne"),
        ("Release 4", "Release 5"),
        ("Staging Berlin", "Staging Merlin"),
    ],
)
def test_other_names_that_look_alike_stay_apart(asked, other):
    assert resolve(name(asked), [known(1, other)]) is None


def test_another_type_is_another_thing_unless_one_is_unknown():
    assert resolve(name("Kuberntes", PERSON), [known(1, "Kubernetes", PROJECT)]) is None
    assert resolve(name("Kuberntes", NOBODY_KNOWS), [known(1, "Kubernetes", PROJECT)]) is not None


def test_initials_stand_for_the_one_person_they_fit():
    people = [known(1, "Anna Berg"), known(2, "Carl Berg")]

    assert resolve(name("A. Berg"), people) == Match(UUID(int=1), AliasKind.INITIALS)
    assert resolve(name("AB", NOBODY_KNOWS), people) == Match(UUID(int=1), AliasKind.INITIALS)
    assert resolve(name("AB", NOBODY_KNOWS), [*people, known(3, "Aaron Boyd")]) is None


def test_a_first_name_stands_for_the_one_full_name_it_begins():
    assert resolve(name("Anna"), [known(1, "Anna Berg")]) == Match(UUID(int=1), AliasKind.ALIAS)
    assert resolve(name("Anna Berg"), [known(1, "Anna")]) == Match(UUID(int=1), AliasKind.ALIAS)
    assert resolve(name("Anna"), [known(1, "Anna Berg"), known(2, "Anna Schmidt")]) is None
    assert resolve(name("Project"), [known(1, "Project Atlas", PROJECT)]) is None


def test_what_machines_write_is_only_ever_equal():
    asked = Name("/etc/nginx.conf", "/etc/nginx.conf", TypeGuess(EntityType.TOOL, 0.9), is_written=True)

    assert resolve(asked, [KnownName(UUID(int=1), "/etc/nginxx.conf", "/etc/nginxx.conf", asked.guess, True)]) is None


def test_an_entity_is_shown_under_its_fullest_name():
    assert best_name([("Anna", 40), ("Anna Berg", 1), ("Ana Berg", 1)]) == "Anna Berg"
    assert best_name([("Kubernetes", 3), ("Kuberntes", 1)]) == "Kubernetes"
    assert best_name([("Mel", 40), ("Melanie", 3)]) == "Melanie"


def test_a_directory_answers_as_comparing_with_everybody_does():
    people = [known(1, "Anna Berg"), known(2, "Carl Berg"), known(3, "Melanie"), known(4, "Kubernetes", PROJECT)]
    directory = Directory(people)

    for asked in (
        name("Anna"), name("A. Berg"), name("AB", NOBODY_KNOWS), name("Melannie"), name("Kuberntes", PROJECT),
        name("Melanie Fischer"), name("Berg"), name("Nobody"), name("carl berg"),
    ):  # fmt: skip
        assert directory.resolve(asked) == resolve(asked, people)


def test_a_second_full_name_makes_the_first_name_alone_ambiguous():
    directory = Directory([known(1, "Anna Berg"), known(1, "Anna")])
    other = known(2, "Anna Schmidt")

    assert directory.resolve(name("Anna Schmidt")) is None
    assert directory.ambiguous_first_name(other) == known(1, "Anna")

    directory.add(other)
    directory.add(known(3, "Anna"))

    assert directory.ambiguous_first_name(other) is None
    assert directory.resolve(name("Anna Weber")) is None


def test_a_nickname_stands_for_the_speaker_whose_name_it_begins():
    speaker = TypeGuess(EntityType.PERSON, 1.0)
    melanie = known(1, "Melanie", speaker)

    assert resolve(name("Mel", NOBODY_KNOWS), [melanie]) == Match(UUID(int=1), AliasKind.ALIAS)
    assert resolve(name("Melanie", speaker), [known(1, "Mel", NOBODY_KNOWS)]) == Match(UUID(int=1), AliasKind.ALIAS)
    assert resolve(name("Mel", NOBODY_KNOWS), [known(1, "Melanie")]) is None
    assert resolve(name("Mel", NOBODY_KNOWS), [melanie, known(2, "Melissa", speaker)]) is None
    assert resolve(name("Dan", NOBODY_KNOWS), [known(1, "Daniel", speaker)]) is None
    assert resolve(name("Mel", speaker), [melanie]) is None


def test_a_directory_finds_nicknames_too():
    speaker = TypeGuess(EntityType.PERSON, 1.0)

    assert Directory([known(1, "Melanie", speaker)]).resolve(name("Mel", NOBODY_KNOWS)) is not None
    assert Directory([known(1, "Mel", NOBODY_KNOWS)]).resolve(name("Melanie", speaker)) is not None


def test_a_name_said_twice_is_no_full_name():
    assert resolve(name("Anna of Anna"), [known(1, "Anna")]) is None


def test_the_user_has_no_full_name():
    user = known(1, "The user", TypeGuess(EntityType.PERSON, 1.0))

    assert resolve(name("User Feedback", NOBODY_KNOWS), [user]) is None
    assert resolve(name("Use", NOBODY_KNOWS), [user]) is None
