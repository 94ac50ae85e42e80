"""Which state a clause speaks of."""

from datetime import UTC, datetime
from functools import cache
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.consolidation import claims
from memory_platform.consolidation.claims import Claim, Neighbour, share_a_slot
from memory_platform.extraction.clauses import Clause, clauses
from memory_platform.extraction.slots import identifiers, slot_of
from memory_platform.model import Slot, Standing
from tests.core.parses import parses, plain

SAID = datetime(2026, 4, 1, tzinfo=UTC)


@cache
def reader() -> SpacyReader:
    return SpacyReader()


def slots(text: str, speaker: str = "") -> list[Slot]:
    [parse] = reader().read([text])
    return [slot_of(clause, parse, speaker=speaker) for clause in clauses(parse)]


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("The new vendor is Adyen.", Slot("The new vendor", "be", "Adyen", "(new)")),
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
    ("text", "qualifier"),
    [
        ("The March invoice is paid.", "march"),
        ("The invoice for March is paid.", "march"),
        ("April's Datadog bill was 4,120 dollars.", "april datadog"),
        ("The staging database runs Postgres 14.", "staging"),
        ("In staging, the timeout is 30 seconds.", "staging"),
        ("The timeout of the staging cluster is 5 seconds.", "staging cluster"),
        ("The 2.x line gets security fixes only.", "2.x"),
        ("The 2024 pentest found three issues.", "2024"),
        ("Pump 7 is broken.", "7"),
        ("The bakery in Cork opens at 7.", "cork"),
        ("My left knee was operated on in 2019.", "(left)"),
        ("The left fan on node 12 is failing.", "node 12 (left)"),
        ("Six people signed up for the course.", ""),
        ("Lena's landlord is Mr Bauer.", ""),
        ("On Monday the office is closed.", ""),
        ("According to Goran, the logo is navy.", ""),
        ("According to the dealer, the battery is new.", ""),
        ("Uncle Ray keeps bees.", ""),
        ("I paid the March invoice.", ""),
    ],
)
def test_what_modifies_a_subject_tells_it_from_others_of_its_kind(text, qualifier):
    [slot] = slots(text)

    assert slot.qualifier == qualifier


APART = [
    ("The March invoice is due on Friday.", "The April invoice is due on Monday."),
    ("The invoice for March is open.", "The April invoice is paid."),
    ("My left knee was operated on.", "My right knee was operated on."),
    ("In staging, the timeout is 30 seconds.", "The production timeout is 60 seconds."),
    ("The staging database runs Postgres 14.", "The production database runs Postgres 15."),
    ("The 2.x line gets security fixes only.", "The 3.x line gets new features."),
    ("The bakery in Cork opens at 7.", "The bakery in Cobh opens at 8."),
]
TOGETHER = [
    ("The March invoice is due on Friday.", "The invoice for March is paid."),
    ("The staging database runs Postgres 14.", "The staging database was upgraded to Postgres 15."),
    ("The invoice is open.", "The April invoice is paid."),
    ("Six people signed up.", "Eight people signed up."),
    ("Lena's landlord is Mr Bauer.", "The new landlord is Mr Vogt."),
    ("The launch is on Friday.", "The launch is in May."),
]


@pytest.mark.parametrize(("pair", "differ"), [*((one, True) for one in APART), *((one, False) for one in TOGETHER)])
def test_two_statements_speak_of_two_things_where_their_subjects_are_qualified_otherwise(pair, differ):
    [older], [newer] = map(slots, pair)
    claim, stored = Claim(pair[1], SAID, slot=newer), Neighbour(UUID(int=1), pair[0], SAID, 0.9, slot=older)

    assert claims.describe_different_things(claim, stored) is differ
    assert claims.name_different_things(claim, stored) is (differ and "(" not in older.qualifier)


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
        assert all(word.strip("()") in said.casefold() for word in slot.qualifier.split())


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("Our artifact store is Loki.", Standing.SOLE),
        ("Our artifact store is Elasticsearch now.", Standing.CHANGED),
        ("The launch is on 3 May.", Standing.SOLE),
        ("Jorge's extension is 3017.", Standing.SOLE),
        ("My boss is Anna.", Standing.SOLE),
        ("I live in Lisbon.", Standing.SOLE),
        ("Just so you know, I live in Oslo now.", Standing.CHANGED),
        ("I work for Bosch these days.", Standing.CHANGED),
        ("I've moved to Oslo for the new job.", Standing.CHANGED),
        ("The office is based in Oslo.", Standing.SOLE),
    ],
)
def test_what_has_one_value_at_a_time_is_told_by_the_grammar(text, standing):
    assert slots(text)[0].standing is standing


@pytest.mark.parametrize(
    "text",
    [
        "I lived in Rome.",
        "I'm moving to Oslo.",
        "I moved to Kubernetes.",
        "I live in a small flat.",
        "He lives in Oslo.",
        "Our stores are Loki and Tempo.",
        "Our artifact store is Loki for logs.",
        "On Mondays our artifact store is Loki.",
        "Our artifact store might be Loki.",
        "If we win, our artifact store is Loki.",
        "Ben said our artifact store is Loki.",
        "Our artifact store isn't Loki.",
        "My sister is Anna.",
        "My cholesterol was 5.2 in July.",
        "A guard sits in the lobby of Tower One.",
        "Ming reviews the Kotlin code.",
        "My role is dull.",
        "My number is also 3017.",
    ],
)
def test_what_may_be_one_of_several_or_is_not_so_now_has_no_standing(text):
    assert {slot.standing for slot in slots(text)} == {Standing.UNKNOWN}
