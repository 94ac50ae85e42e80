"""What sentences state of the entities in them, and what they say caused what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.knowledge.entities import find
from memory_platform.knowledge.graph import RelationKind
from memory_platform.knowledge.relations import USER, Role, causes, is_single, points_back, role_name, roles, statements


def triples(text: str, *known: str, speaker: str | None = None) -> list[tuple[str, str, str]]:
    said = statements(text, find(text, known=known), speaker=speaker)
    return [(one.subject, ("not " if one.negated else "") + one.predicate, one.object) for one in said]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna Berg works at Brightwave.", ("Anna Berg", "works_at", "Brightwave")),
        ("Anna Berg works as a data engineer for Brightwave.", ("Anna Berg", "works_at", "Brightwave")),
        ("Anna Berg no longer works at Brightwave.", ("Anna Berg", "not works_at", "Brightwave")),
        ("Anna Berg left Brightwave in May.", ("Anna Berg", "not works_at", "Brightwave")),
        ("Anna Berg doesn't work for Brightwave.", ("Anna Berg", "not works_at", "Brightwave")),
        ("Anna Berg lives in Lisbon.", ("Anna Berg", "lives_in", "Lisbon")),
        ("Brightwave is based in Porto.", ("Brightwave", "based_in", "Porto")),
        ("Anna Berg moved to Lisbon last year.", ("Anna Berg", "lives_in", "Lisbon")),
        ("Anna Berg is originally from Norway.", ("Anna Berg", "from", "Norway")),
        ("The service Orion depends on Redis.", ("Orion", "depends_on", "Redis")),
        ("Brightwave is located in Munich.", ("Brightwave", "located_in", "Munich")),
        ("Carl Voss founded Brightwave.", ("Carl Voss", "founded", "Brightwave")),
        ("Carl Voss manages Project Atlas.", ("Carl Voss", "manages", "Project Atlas")),
        ("Carl Voss likes green tea.", ("Carl Voss", "likes", "green tea")),
        ("Carl Voss owns a red bicycle.", ("Carl Voss", "owns", "red bicycle")),
        ("Orion belongs to Brightwave.", ("Orion", "belongs_to", "Brightwave")),
        ("Carl Voss is the head of engineering.", ("Carl Voss", "role", "head of engineering")),
        ("The user lives in Hamburg.", (USER, "lives_in", "Hamburg")),
        ("I work at Brightwave.", (USER, "works_at", "Brightwave")),
    ],
)  # fmt: skip
def test_a_plain_sentence_yields_its_statement(text, expected):
    assert triples(text, "Orion", "Brightwave") == [expected]


def test_i_is_the_speaker_where_one_is_known():
    assert triples("I work at Brightwave.", speaker="Caroline") == [("Caroline", "works_at", "Brightwave")]


def test_a_list_of_objects_and_a_second_verb_belong_to_the_same_subject():
    assert triples("Anna Berg uses PostgreSQL, Redis and Kafka.") == [
        ("Anna Berg", "uses", "PostgreSQL"),
        ("Anna Berg", "uses", "Redis"),
        ("Anna Berg", "uses", "Kafka"),
    ]
    assert triples("Anna Berg works at Brightwave and lives in Munich.") == [
        ("Anna Berg", "works_at", "Brightwave"),
        ("Anna Berg", "lives_in", "Munich"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Does Anna Berg work at Brightwave?",
        "Anna Berg might work at Brightwave.",
        "Anna Berg wants to move to Lisbon.",
        "If Anna Berg works at Brightwave, call her.",
        "The brother of Anna Berg lives in Lisbon.",
        "Anna Berg went to the Lisbon conference.",
        "Anna Berg loves how it looks.",
        "Anna Berg saw so much energy and love everywhere.",
        "Anna Berg bought on 21 October 2023 a bike.",
    ],
)
def test_what_is_asked_wished_or_said_of_somebody_else_is_no_statement(text):
    assert triples(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I talked to my boss Anna today.", Role(USER, "boss", "Anna")),
        ("Anna is my boss.", Role(USER, "boss", "Anna")),
        ("My new boss is Anna Berg.", Role(USER, "boss", "Anna Berg")),
        ("Caroline's sister Lena came.", Role("Caroline", "sister", "Lena")),
        ("Lena is Caroline's sister.", Role("Caroline", "sister", "Lena")),
        ("The user's dog is called Rex.", Role(USER, "dog", "Rex")),
    ],
)
def test_a_role_names_its_owner_and_who_has_it(text, expected):
    assert roles(text) == (expected,)


def test_a_role_is_called_after_its_owner():
    assert role_name(Role(USER, "boss", "Anna")) == "my boss"
    assert role_name(Role("Caroline", "sister", "Lena")) == "Caroline's sister"
    assert [one.kind for one in statements("My boss is Anna Berg.", find("My boss is Anna Berg."))] == [
        RelationKind.ENTITY
    ]


def test_predicates_of_which_there_is_one_at_a_time():
    assert [is_single(one) for one in ("works_at", "lives_in", "role", "boss", "likes", "uses", "sister")] == [
        True, True, True, True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("The deploy failed because the disk was full.", "the disk was full", "The deploy failed"),
        ("Because the disk was full, the deploy failed.", "the disk was full", "the deploy failed"),
        ("The outage was due to an expired certificate.", "an expired certificate", "The outage was"),
        ("The expired certificate led to an outage.", "The expired certificate", "an outage"),
        ("The disk was full, so we rolled back the release.", "The disk was full", "we rolled back the release"),
        ("The disk was full; therefore the job stopped.", "The disk was full", "the job stopped"),
        ("We added an index so that the search is fast.", "We added an index", "the search is fast"),
    ],
)
def test_a_stated_cause_is_split_from_its_effect(text, cause, effect):
    (found,) = causes(text)

    assert (found.cause, found.effect) == (cause, effect)


@pytest.mark.parametrize(
    "text",
    [
        "Was it because of the disk?",
        "I am so happy about it.",
        "So far, so good.",
        "Since we last spoke, some big things have happened.",
    ],
)
def test_what_only_looks_like_a_cause_is_none(text):
    assert causes(text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Therefore we rolled back.", ("therefore", True)),
        ("That's why we rolled back.", ("that's why", True)),
        ("That's because the disk was full.", ("that's because", False)),
        ("So we rolled back.", ("so", True)),
        ("So far nothing happened.", None),
        ("We rolled back.", None),
    ],
)
def test_a_message_may_take_up_the_one_before(text, expected):
    assert points_back(text) == expected


@given(st.text(max_size=200))
def test_any_text_can_be_read(text):
    statements(text, find(text))
    roles(text)
    causes(text)
    points_back(text)
