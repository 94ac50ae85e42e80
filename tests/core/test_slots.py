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


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("The launch is on 3 May.", Slot("The launch", "be on", "3 May")),
        ("The launch takes place on 3 May.", Slot("The launch", "be on", "3 May")),
        ("The launch is scheduled for 3 May.", Slot("The launch", "be on", "3 May")),
        ("The launch is due on 3 May.", Slot("The launch", "be on", "3 May")),
        ("The launch is in May.", Slot("The launch", "be on", "May")),
        ("The launch is planned for Q3.", Slot("The launch", "be on", "Q3")),
        ("Our deadline is 3 May.", Slot("Our deadline", "be on", "3 May")),
        ("We scheduled the launch for 3 May.", Slot("the launch", "be on", "3 May")),
        ("The release of 4.2 is on 12 May.", Slot("The release of 4.2", "be on", "12 May", "4.2")),
    ],
)
def test_when_a_thing_takes_place_is_one_state_whichever_verb_tells_it(text, slot):
    [found] = slots(text)

    assert (found, found.standing) == (slot, Standing.SOLE)


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("We moved the launch to 29 June.", Slot("the launch", "be on", "29 June")),
        ("We've moved the launch to 29 June.", Slot("the launch", "be on", "29 June")),
        ("The launch was moved to 29 June.", Slot("The launch", "be on", "29 June")),
        ("The launch has been moved to 29 June.", Slot("The launch", "be on", "29 June")),
        ("The launch slipped to 29 June.", Slot("The launch", "be on", "29 June")),
        ("The launch is postponed until October.", Slot("The launch", "be on", "October")),
        ("We moved the launch from 3 May to 29 June.", Slot("the launch", "be on", "29 June")),
        ("The demo got pushed to Friday.", Slot("The demo", "be on", "Friday")),
        ("They postponed the offsite until October.", Slot("the offsite", "be on", "October")),
        ("We brought the demo forward to Friday.", Slot("the demo", "be on", "Friday")),
        ("The demo was rescheduled for Friday at 3.", Slot("The demo", "be on", "Friday")),
        ("The launch was moved to 29 June, as the hall is closed.", Slot("The launch", "be on", "29 June")),
        ("The launch was moved to 29 June because of the audit.", Slot("The launch", "be on", "29 June")),
        ("We just moved the launch to Q3.", Slot("the launch", "be on", "Q3")),
        ("The launch of PAY-1 was moved to 6 July.", Slot("The launch of PAY-1", "be on", "6 July", "pay-1")),
        ("We moved the launch of PAY-10 to 6 July.", Slot("the launch of PAY-10", "be on", "6 July", "pay-10")),
        ("The launch in Oslo was moved to 6 July.", Slot("The launch in Oslo", "be on", "6 July", "oslo")),
        ("The AGM was moved to 6 March.", Slot("The AGM", "be on", "6 March")),
        ("The launch is on 29 June now.", Slot("The launch", "be on", "29 June")),
    ],
)
def test_what_is_moved_has_another_date_than_before(text, slot):
    [found] = slots(text)

    assert (found, found.standing) == (slot, Standing.CHANGED)


def test_the_speaker_stands_for_whose_date_is_moved():
    [slot] = slots("I moved my dentist appointment to Thursday.", "Ines")

    assert slot == Slot("Ines's dentist appointment", "be on", "Thursday", "dentist")


@pytest.mark.parametrize(
    "text",
    [
        "Let's move the launch to June.",
        "We want to move the launch.",
        "We might move the launch to June.",
        "We will move the launch to June.",
        "We are moving the launch to June.",
        "Ben is moving the launch to June.",
        "Ben was moving the launch to June.",
        "The launch is slipping to June.",
        "The launch is being moved to June.",
        "The launch had been moved to June.",
        "Did you move the launch to June?",
        "If it rains, the launch is moved to Friday.",
        "We did not move the launch to June.",
        "Ben said the launch was moved to 29 June.",
        'The mail says "The launch was moved to 29 June."',
        "We moved the servers to Frankfurt.",
        "We pushed the fix to main on Friday.",
        "We moved the launch on Friday.",
        "We delayed the launch by two weeks.",
        "We postponed the launch for two weeks.",
        "The demo was moved to 3pm.",
        "The demo was moved to the week of 5 June.",
        "We moved the launches to 29 June.",
        "We moved a launch to 29 June.",
        "We moved it to 29 June.",
        "We moved the launch and the demo to 29 June.",
        "We moved the launch to 29 June or 6 July.",
        "We moved the launch to 29 June for the customers in Rome.",
        "We moved the launch in Oslo to 29 June.",
        "This once, the retro was moved to Friday.",
        "The launch will be on 3 May.",
        "The launch was on 3 May.",
        "The launch was scheduled for 3 May.",
    ],
)
def test_what_is_not_surely_moved_to_one_date_has_no_standing(text):
    assert {slot.standing for slot in slots(text)} == {Standing.UNKNOWN}


@pytest.mark.parametrize("text", ["My boss is April.", "My extension is 2017."])
def test_a_name_or_a_number_is_no_date(text):
    [slot] = slots(text)

    assert slot.attribute == "be"


def test_who_moves_to_a_place_has_no_date():
    assert slots("We moved to Oslo.") == [Slot("We", "move to", "to Oslo")]


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("We stopped using Jenkins.", Slot("We", "use", "Jenkins")),
        ("We've stopped using Jenkins because it was slow.", Slot("We", "use", "Jenkins")),
        ("Dana stopped taking metformin last month.", Slot("Dana", "take", "metformin")),
        ("I no longer work at Nordwind.", Slot("I", "work at", "at Nordwind")),
        ("I don't work at Nordwind anymore.", Slot("I", "work at", "at Nordwind")),
        ("We don't use Jira any longer.", Slot("We", "use", "Jira")),
        ("The staging server no longer exists.", Slot("The staging server", "exist", "", "staging")),
        ("The staging server doesn't exist anymore.", Slot("The staging server", "exist", "", "staging")),
        ("I left Nordwind.", Slot("I", "leave", "Nordwind")),
    ],
)
def test_a_clause_says_that_a_state_is_over(text, over):
    [slot] = slots(text)

    assert (slot, slot.standing) == (over, Standing.ENDED)


@pytest.mark.parametrize(
    "text",
    [
        "We use Jenkins.",
        "We don't use Jenkins.",
        "We stopped using Jenkins for the mobile builds.",
        "I stopped drinking coffee after 3 pm.",
        "I never stopped using Jenkins.",
        "We might stop using Jenkins.",
        "We'll stop using Jenkins in May.",
        "Stop using Jenkins.",
        "We can no longer use Jira.",
        "If we no longer use Jira, tell me.",
        "My sister says we no longer use Jira.",
        "I don't want more.",
    ],
)
def test_nothing_is_over_that_goes_on_in_part_or_is_not_told_as_it_is(text):
    assert all(slot.standing is not Standing.ENDED for slot in slots(text))
