"""What two claims are compared by, apart from what a model says of them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation import claims
from memory_platform.consolidation.claims import Claim, Neighbour
from memory_platform.model import NO_SLOT, ClaimRelation, Slot, Status

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)


def claim(**fields) -> Claim:
    return Claim("text", NOW, **fields)


def stored(**fields) -> Neighbour:
    return Neighbour(UUID(int=1), "text", NOW, 0.9, **fields)


def test_the_hash_ignores_case_and_punctuation():
    assert claims.claim_hash("Anna likes tea.") == claims.claim_hash("  anna LIKES   tea!")
    assert claims.claim_hash("She’s here") == claims.claim_hash("she's here")
    assert claims.claim_hash("Anna likes tea") != claims.claim_hash("Anna likes teas")


@given(st.text(max_size=200))
def test_any_text_can_be_compared(text):
    assert claims.normalised(claims.normalised(text)) == claims.normalised(text)
    assert len(claims.claim_hash(text)) == 64
    assert all(number[0].isdigit() for number in claims.numbers(text))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It costs 1,200 euros", {"1200"}),
        ("1,200,000 rows", {"1200000"}),
        ("PostgreSQL 16.2.", {"16.2"}),
        ("at 15:00, on 3 May", {"15:00", "3"}),
        ("a dozen", set()),
    ],
)
def test_numbers_are_those_in_digits(text, numbers):
    assert claims.numbers(text) == numbers


@pytest.mark.parametrize(
    ("first", "second", "differ"),
    [
        ("2 of 5 allergies", "3 of 5 allergies", True),
        ("1,200 euros", "1200 euros", False),
        ("about 16", "16.2, about 16", False),
        ("two allergies", "2 allergies", False),
    ],
)
def test_numbers_differ_where_each_text_writes_one_the_other_lacks(first, second, differ):
    assert claims.state_different_numbers(first, second) is differ
    assert claims.state_different_numbers(second, first) is differ


@pytest.mark.parametrize(
    ("own", "other", "differ"),
    [
        ("pay-1", "pay-10", True),
        ("pay-1", "pay-1", False),
        ("pay-1 pay-2", "pay-2", False),
        ("pay-1", "ops-1", False),
        ("pay-1", "", False),
        ("", "", False),
    ],
)
def test_one_of_a_series_is_not_another_of_it(own, other, differ):
    first, second = Slot(qualifier=own), Slot(qualifier=other)

    assert claims.name_different_things(claim(slot=first), stored(slot=second)) is differ
    assert claims.name_different_things(claim(slot=second), stored(slot=first)) is differ


MARCH = Slot("The March invoice", "pay", "", "march")


@pytest.mark.parametrize(
    ("other", "differ"),
    [
        (Slot("the April invoice", "be", "due", "april"), True),
        (Slot("The invoices for April", "be", "due", "april"), True),
        (Slot("the March invoices", "be", "due", "march"), False),
        (Slot("the invoice", "be", "due"), False),
        (Slot("the March electricity invoice", "be", "due", "march electricity"), False),
        (Slot("the April budget", "be", "due", "april"), False),
        (Slot("the new invoice", "be", "due", "(new)"), False),
        (Slot("", "be", "due", "april"), False),
    ],
)
def test_things_of_one_kind_are_told_apart_by_what_names_them(other, differ):
    assert claims.name_different_things(claim(slot=MARCH), stored(slot=other)) is differ
    assert claims.name_different_things(claim(slot=other), stored(slot=MARCH)) is differ


@pytest.mark.parametrize(
    ("subject", "qualifier", "differ"),
    [
        ("My right knee", "(right)", True),
        ("The right knees", "(right)", True),
        ("The operated knee", "operated", True),
        ("My knee", "", False),
        ("My sore left knee", "(sore) (left)", False),
        ("My right foot", "(right)", False),
    ],
)
def test_things_of_one_kind_may_be_described_as_two(subject, qualifier, differ):
    left, other = Slot("My left knee", "hurt", "", "(left)"), Slot(subject, "hurt", "", qualifier)

    assert claims.describe_different_things(claim(slot=left), stored(slot=other)) is differ
    assert not claims.name_different_things(claim(slot=left), stored(slot=other))


word = st.sampled_from(["march", "april", "staging", "7", "pay-1", "pay-10", "(left)", "(right)"])
qualified = st.builds(
    lambda head, words: Slot(f"the {' '.join(words)} {head}", "be", "due", " ".join(words)),
    st.sampled_from(["invoice", "knee"]),
    st.lists(word, max_size=3, unique=True),
)


@given(qualified, qualified)
def test_what_tells_two_things_apart_does_so_either_way_and_never_a_thing_from_itself(own, other):
    for differ in (claims.name_different_things, claims.describe_different_things):
        assert differ(claim(slot=own), stored(slot=other)) is differ(claim(slot=other), stored(slot=own))
        assert not differ(claim(slot=own), stored(slot=own))
        assert not differ(claim(slot=own), stored(slot=replace(own, qualifier="")))


@pytest.mark.parametrize(
    ("speaker", "subject", "differ"),
    [
        ("Ben", "Ben", True),
        ("Ben", "Ben's boss", True),
        ("anna", "anna", False),
        ("Ben", "The launch", False),
        ("", "", False),
    ],
)
def test_what_two_people_say_of_themselves_is_of_different_people(speaker, subject, differ):
    own = claim(said_by="Anna", slot=Slot(subject="Anna"))

    assert claims.speak_of_different_people(own, stored(said_by=speaker, slot=Slot(subject=subject))) is differ


def test_a_slot_is_shared_whatever_its_value_and_case():
    first = Slot("The launch", "be on", "Friday", "pay-1")

    assert claims.share_a_slot(first, Slot("the launch", "Be on", "Monday", "pay-1"))
    assert not claims.share_a_slot(first, Slot("The launch", "be on", "Friday", "pay-2"))
    assert not claims.share_a_slot(first, Slot("The launch", "be in", "Friday", "pay-1"))
    assert not claims.share_a_slot(NO_SLOT, NO_SLOT)


@pytest.mark.parametrize(
    ("fields", "is_open"),
    [
        ({}, True),
        ({"status": Status.STALE}, True),
        ({"status": Status.ARCHIVED}, False),
        ({"status": Status.SUPERSEDED}, False),
        ({"valid_until": NOW + timedelta(days=1)}, False),
    ],
)
def test_an_item_is_open_while_it_is_believed_and_true(fields, is_open):
    assert stored(**fields).is_open is is_open


def test_a_claim_stands_behind_what_it_answers():
    assert claim(lead_in="Where to?").in_context == "Where to? / text"
    assert stored().in_context == "text"


def record(subject: str, attribute: str, value: str, identifier: str = "4711", source: UUID | None = None) -> Claim:
    slot = Slot(subject, attribute, value, identifier)
    return Claim(slot.spelled, NOW, slot=slot, source_id=source)


SHIPPED = record("order 4711", "status", "shipped", source=UUID(int=1))


@pytest.mark.parametrize(
    ("newer", "relation"),
    [
        (record("order 4711", "status", "delivered"), ClaimRelation(update=1.0, distinct=0.0)),
        (record("orders 4711", "Status", "delivered"), ClaimRelation(update=1.0, distinct=0.0)),
        (record("orders 4711", "status", "Shipped"), ClaimRelation(same=1.0, distinct=0.0)),
        (record("order 4711", "status", "delivered", source=UUID(int=1)), ClaimRelation()),
        (record("order 4711", "carrier", "shipped"), ClaimRelation()),
        (record("order 4712", "status", "delivered", "4712"), ClaimRelation()),
        (Claim("Order 4711 was delivered.", NOW, slot=Slot("Order 4711", "deliver", "", "4711")), None),
        (Claim("order 4711: status delivered", NOW, slot=Slot("", "order 4711", "status delivered")), None),
    ],
)
def test_how_two_records_relate_is_told_by_their_structure(newer, relation):
    assert claims.relation_of_records(newer, SHIPPED.text, SHIPPED.slot, {UUID(int=1)}) == relation
