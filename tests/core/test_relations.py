"""What sentences state of the entities in them: exact triples, and what states nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_platform.knowledge import naming
from memory_platform.knowledge.graph import EntityType, RelationKind
from memory_platform.knowledge.naming import OtherName
from memory_platform.knowledge.relations.annotated_sentence import USER, AnnotatedSentence, annotate
from memory_platform.knowledge.relations.predicates import is_single
from memory_platform.knowledge.relations.roles import RoleClaim, role_name
from memory_platform.knowledge.relations.roles import roles as read_roles
from memory_platform.knowledge.relations.statements import statements
from memory_platform.knowledge.relations.triples import LONGEST_PREDICATE
from memory_platform.knowledge.relations.type_hints import kinds, type_hints
from tests.core.reading import parsed
from tests.core.timing import grows_in_proportion

WORDS = [
    *["Anna", "Brightwave", "works", "at", "my", "boss", "is", "not", "who", "the", "and", "or", "of", "'s", "I"],
    *'.,()":',
]


def triples(text: str, *known: str, speaker: str | None = USER) -> list[tuple[str, str, str]]:
    parse = parsed(text)
    said = statements(annotate(parse, naming.names(parse, known=known), speaker=speaker))
    return [(one.subject, ("not " if one.negated else "") + one.predicate, one.object) for one in said]


def sentences(text: str) -> tuple[AnnotatedSentence, ...]:
    parse = parsed(text)
    return annotate(parse, naming.names(parse))


def roles(text: str) -> tuple[RoleClaim, ...]:
    return read_roles(sentences(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna Berg works at Brightwave.", ("Anna Berg", "works_at", "Brightwave")),
        ("Anna Berg no longer works at Brightwave.", ("Anna Berg", "not works_at", "Brightwave")),
        ("Anna Berg doesn't work for Brightwave.", ("Anna Berg", "not works_at", "Brightwave")),
        ("Anna stopped working at Brightwave.", ("Anna", "not works_at", "Brightwave")),
        ("Anna worked at Brightwave.", ("Anna", "worked_at", "Brightwave")),
        ("Anna Berg lives in Lisbon.", ("Anna Berg", "lives_in", "Lisbon")),
        ("Anna Berg moved to Lisbon last year.", ("Anna Berg", "lives_in", "Lisbon")),
        ("Camila's moved to Porto.", ("Camila", "lives_in", "Porto")),
        ("The service Orion depends on Redis.", ("Orion", "depends_on", "Redis")),
        ("Carl Voss founded Brightwave.", ("Carl Voss", "founded", "Brightwave")),
        ("Carl Voss negotiated the contract.", ("Carl Voss", "negotiated", "contract")),
        ("Brightwave was acquired by Acme Inc.", ("Acme Inc", "acquired", "Brightwave")),
        ("Maintenance is now run by one Henrik Aalto.", ("Henrik Aalto", "run", "Maintenance")),
        ("The brother of Anna Berg lives in Lisbon.", ("brother of Anna Berg", "lives_in", "Lisbon")),
        ("All the accounts moved to Monzo Business.", ("accounts", "moved_to", "Monzo Business")),
        ("The new vendor is Adyen.", ("new vendor", "is", "Adyen")),
        ("Tunde's an angel.", ("Tunde", "is", "angel")),
        ("Katrijn Maes, the head of logistics, resigned.", ("Katrijn Maes", "is", "head of logistics")),
        ("sister: Emiko", ("sister", "is", "Emiko")),
        ("I live in Hamburg.", (USER, "lives_in", "Hamburg")),
        ("We signed with Hetzner.", (USER, "signed_with", "Hetzner")),
        ("Tri-Rivers School District has hired me.", ("Tri-Rivers School District", "hired", USER)),
    ],
)  # fmt: skip
def test_a_plain_sentence_yields_its_statement(text, expected):
    assert expected in triples(text)


def test_i_is_the_speaker_where_one_is_known_and_nobody_where_no_facts_are_kept():
    assert triples("I work at Brightwave.", speaker="Caroline") == [("Caroline", "works_at", "Brightwave")]
    assert triples("I work at Brightwave.", speaker=None) == []


def test_objects_joined_by_and_a_second_verb_and_a_relative_clause_belong_to_their_subject():
    assert triples("Anna Berg uses PostgreSQL, Redis and Kafka.") == [
        ("Anna Berg", "uses", "PostgreSQL"),
        ("Anna Berg", "uses", "Redis"),
        ("Anna Berg", "uses", "Kafka"),
    ]
    assert triples("Anna Berg works at Brightwave and lives in Munich.") == [
        ("Anna Berg", "works_at", "Brightwave"),
        ("Anna Berg", "lives_in", "Munich"),
    ]
    assert ("Ben", "works_at", "Brightwave") in triples("I know Ben, who works at Brightwave.")


def test_leaving_ends_what_was():
    assert triples("Anna Berg left Brightwave.") == [
        ("Anna Berg", "left", "Brightwave"),
        ("Anna Berg", "not works_at", "Brightwave"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Does Anna Berg work at Brightwave?",
        "Anna Berg might work at Brightwave.",
        "Anna Berg will join Brightwave.",
        "Anna Berg is going to join Brightwave.",
        "Anna Berg is moving to Lisbon.",
        "Solongo flies to Ulaanbaatar on 10 February.",
        "Anna Berg wants to move to Lisbon.",
        "If Anna Berg works at Brightwave, call her.",
        "Maybe Anna Berg works at Brightwave.",
        "Ben said that Anna Berg works at Brightwave.",
        "According to Ben, Anna Berg works at Brightwave.",
        "Ben: I work at Brightwave.",
        "I think Anna Berg works at Brightwave.",
        "Somebody told the mate that Kofi signs off in Horta.",
        'The note says "Anna Berg left Brightwave".',
        "Anna Berg or Ben works at Brightwave.",
        "He works at Brightwave.",
        "If legal ever lets us, I'd love to drop Stripe for Adyen",
    ],
)
def test_what_is_asked_wished_planned_told_or_said_of_somebody_else_is_no_statement(text):
    assert triples(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I talked to my boss Anna today.", RoleClaim(USER, "boss", "Anna")),
        ("Anna is my boss.", RoleClaim(USER, "boss", "Anna")),
        ("My new boss is Anna Berg.", RoleClaim(USER, "boss", "Anna Berg")),
        ("My accountant Bogna sits here.", RoleClaim(USER, "accountant", "Bogna")),
        ("Lena is Caroline's sister.", RoleClaim("Caroline", "sister", "Lena")),
        ("The user's dog is called Rex.", RoleClaim(USER, "dog", "Rex")),
    ],
)
def test_a_role_names_its_owner_and_who_has_it(text, expected):
    assert roles(text) == (expected,)


@pytest.mark.parametrize("text", ["My former boss Anna called.", "My boss was Anna.", "Is Anna your boss?"])
def test_a_role_of_the_past_is_none(text):
    assert roles(text) == ()


def test_a_role_is_called_after_its_owner():
    assert role_name(RoleClaim(USER, "boss", "Anna")) == "my boss"
    assert role_name(RoleClaim("Caroline", "sister", "Lena")) == "Caroline's sister"
    assert [one.kind for one in statements(sentences("My boss is Anna Berg."))] == [RelationKind.ENTITY]


def test_two_names_may_be_said_to_be_one():
    parse = parsed("Anna Berg, aka Annie, works at Brightwave.")

    assert naming.other_names(parse, naming.names(parse)) == (OtherName("Anna Berg", "Annie"),)


def test_predicates_and_the_noun_beside_a_name_tell_what_it_is():
    text = sentences("Anna Berg works at Quillon on the Heron project.")

    assert set(type_hints(statements(text))) == {
        ("Anna Berg", EntityType.PERSON),
        ("Quillon", EntityType.ORGANIZATION),
    }
    assert kinds(text) == (("Heron", "project"),)


def test_predicates_of_which_there_is_one_at_a_time():
    assert [is_single(one) for one in ("works_at", "lives_in", "boss", "likes", "uses", "sister")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=16))
def test_every_end_that_is_a_name_stands_in_the_text(words):
    text = " ".join(words)

    for subject, predicate, thing in triples(text):
        assert subject == USER or subject in text
        assert thing == USER or thing in text
        assert 0 < len(predicate) <= LONGEST_PREDICATE + len("not ")


@pytest.mark.parametrize("words", ["Anna and ", "Anna's boss ", "if Ben works at Porto ", "of the Orion "])
def test_reading_takes_time_in_proportion_to_the_text(words):
    once, twice = (parsed((words * (400 // len(words)) + ". ") * (size // 400)) for size in (8_000, 16_000))

    assert grows_in_proportion(lambda parse: statements(annotate(parse, naming.names(parse))), once, twice)
