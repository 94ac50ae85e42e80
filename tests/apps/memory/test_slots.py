"""State lives in slots: an update closes every open item of its slot in the audience, and nothing beside it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory_platform.model import Mood, Slot, Standing
from tests.apps.memory.conftest import CORRECTION, PROBABLE_UPDATE, START, UPDATE, fact
from tests.cast import ADAM

OSLO, OSLO_AGAIN, BERGEN = "Anna lives in Oslo.", "Oslo is where Anna lives.", "Anna lives in Bergen."
CALLED = "Anna lives in Oslo with her two cats."


def lives(text: str, value: str = "in Oslo"):
    return fact(text, slot=Slot("Anna", "live", value))


def test_an_update_closes_near_duplicates_that_it_probably_replaces(world):
    world.judged(UPDATE, OSLO, BERGEN)
    world.judged(PROBABLE_UPDATE, CALLED, BERGEN)
    world.learn("a", lives(OSLO))
    world.learn("b", lives(CALLED, "with her two cats"), session="tuesday")
    world.learn("c", fact(BERGEN), day=2, session="wednesday")

    assert world.searchable() == {BERGEN}
    assert {item.valid_until for item in world.items(status="superseded")} == {START + timedelta(days=2)}


def test_an_update_closes_what_says_the_same_of_the_slot_whatever_was_judged_of_it(world):
    world.judged(UPDATE, OSLO, BERGEN)
    world.learn("a", lives(OSLO))
    world.learn("b", lives(OSLO_AGAIN), session="tuesday")
    world.learn("c", fact(BERGEN), day=2, session="wednesday")

    assert OSLO_AGAIN not in world.texts(status="active")
    assert world.item(OSLO_AGAIN).status_reason == "updated"


def test_what_is_probably_replaced_and_of_another_slot_is_only_doubted(world):
    world.judged(UPDATE, OSLO, BERGEN)
    world.judged(PROBABLE_UPDATE, "Anna works in Oslo.", BERGEN)
    world.learn("a", lives(OSLO), fact("Anna works in Oslo.", slot=Slot("Anna", "work", "in Oslo")))
    world.learn("b", fact(BERGEN), day=2)

    assert world.item(OSLO).status == "superseded"
    assert world.item("Anna works in Oslo.").doubted_by == (world.item(BERGEN).id,)


def test_one_of_a_series_replaces_nothing_of_another(world):
    first, tenth = "PAY-1 is in review.", "PAY-10 is in review."
    world.judged(UPDATE, first, tenth)
    world.learn("a", fact(first, slot=Slot("PAY-1", "be", "in review", "pay-1")))
    world.learn("b", fact(tenth, slot=Slot("PAY-10", "be", "in review", "pay-10")), day=2)

    assert world.searchable() == {first, tenth}
    assert world.item(first).open_links == ()


def test_what_two_people_say_of_themselves_is_not_compared(world):
    ann, ben = "I work at Siemens now.", "I work at Bosch now."
    world.judged(UPDATE, ann, ben)
    world.learn("a", fact(ann, said_by="Ann", slot=Slot("Ann", "work", "at Siemens")), session="both")
    world.learn("b", fact(ben, said_by="Ben", slot=Slot("Ben", "work", "at Bosch")), session="both", day=2)

    assert world.searchable() == {ann, ben}


def test_an_end_without_a_new_value_closes_too(world):
    works, left = "Anna works at Siemens.", "Anna no longer works at Siemens."
    world.judged(UPDATE, works, left)
    world.learn("a", fact(works, slot=Slot("Anna", "work", "at Siemens")))
    world.learn("b", fact(left, slot=Slot("Anna", "work", "at Siemens"), is_negated=True), day=2)

    assert (world.item(works).status, world.item(works).valid_until) == ("superseded", START + timedelta(days=2))
    assert (world.item(left).status, world.item(left).is_negated) == ("active", True)
    assert world.searchable() == {left}


def test_an_end_that_the_grammar_tells_closes_what_a_judge_only_doubts(world):
    uses, stopped = "We use Jenkins for CI.", "We stopped using Jenkins."
    world.judged(PROBABLE_UPDATE, uses, stopped)
    world.learn("a", fact(uses, slot=Slot("We", "use", "Jenkins for CI")))
    over = Slot("We", "use", "Jenkins", standing=Standing.ENDED)
    world.learn("b", fact(stopped, slot=over, is_negated=True), day=2)

    assert world.item(uses).status == "superseded"
    assert world.searchable() == {stopped}


def test_a_correction_in_the_same_session_replaces_what_never_held(world):
    wrong, right = "The demo is on Monday.", "The demo is on Tuesday, sorry."
    world.judged(CORRECTION, wrong, right)
    world.learn("a", fact(wrong), session="chat")
    world.learn("b", fact(right), session="chat", day=0.01)

    corrected = world.item(wrong)
    assert (corrected.status, corrected.status_reason) == ("superseded", "corrected")
    assert corrected.retracted_at is not None
    assert world.searchable() == {right}


def test_an_update_closes_every_member_of_its_slot_however_far_from_the_claim(world):
    world.judged(UPDATE, OSLO, BERGEN)
    far = [f"Note {number} of the registry office: {'x' * number} resident, Oslo." for number in range(3)]
    world.learn("a", lives(OSLO))
    for number, text in enumerate(far):
        world.learn(f"far {number}", lives(text, "In  Oslo!"), session=f"s{number}")
    world.learn("c", fact(BERGEN), day=2, session="wednesday")

    assert world.searchable() == {BERGEN}
    assert {item.valid_until for item in world.items(text__in=far)} == {START + timedelta(days=2)}
    assert {item.status_reason for item in world.items(text__in=far)} == {"updated"}


def test_a_second_thing_of_the_same_kind_is_never_closed(world):
    dog, gone = "Anna has a dog.", "Anna no longer has a dog."
    others = {
        "Anna also has a cat.": "a cat",
        "Anna has the other dog.": "the other dog",
        "Anna has another dog, too.": "another dog",
    }
    world.judged(UPDATE, dog, gone)
    for other in others:
        world.judged(PROBABLE_UPDATE, other, gone)
    world.learn("a", fact(dog, slot=Slot("Anna", "have", "a dog")))
    for number, (text, value) in enumerate(others.items()):
        world.learn(f"{number}", fact(text, slot=Slot("Anna", "have", value)), session=f"s{number}")
    world.learn("b", fact(gone, slot=Slot("Anna", "have", "a dog"), is_negated=True), day=2, session="wednesday")

    assert world.searchable() == {*others, gone}


@pytest.mark.parametrize(
    "member",
    [
        {"slot": Slot("Anna", "live", "in Oslo"), "mood": Mood.HYPOTHETICAL},
        {"slot": Slot("Anna", "live", "in Oslo"), "is_negated": True},
        {"slot": Slot("Anna", "live", "in Oslo"), "reported_by": "Ben"},
        {"slot": Slot("Ben", "live", "in Oslo")},
        {"slot": Slot("Anna", "work", "in Oslo")},
        {"slot": Slot("Anna", "live", "in Oslo", "in winter")},
        {"slot": Slot("Anna", "live", "")},
    ],
)
def test_what_differs_in_any_part_of_the_slot_stays(world, member):
    other = "Something quite unlike the rest was noted down once."
    world.judged(UPDATE, OSLO, BERGEN)
    world.learn("a", lives(OSLO))
    world.learn("b", fact(other, **member), session="tuesday")
    world.learn("c", fact(BERGEN), day=2, session="wednesday")

    assert world.item(OSLO).status == "superseded"
    assert world.item(other).status == "active"


def test_a_member_of_another_user_or_said_later_stays(world):
    world.judged(UPDATE, OSLO, BERGEN)
    world.learn("a", lives(OSLO))
    world.learn("b", lives("The registry says Oslo, for another user."), user=ADAM.user_id)
    world.learn("d", lives("Back home it is then, in Oslo."), day=9, session="thursday")
    world.learn("c", fact(BERGEN), day=2, session="wednesday")

    assert world.item(OSLO).status == "superseded"
    assert world.texts(status="active", subject="Anna") == [
        "The registry says Oslo, for another user.",
        "Back home it is then, in Oslo.",
    ]


def test_a_claim_of_the_same_value_takes_nothing_along(world):
    refined = "Anna lives in Oslo, now by the harbour."
    world.judged(UPDATE, OSLO, refined)
    world.learn("a", lives(OSLO))
    world.learn("b", lives("The registry of residents agrees on that."), session="tuesday")
    world.learn("c", lives(refined), day=2, session="wednesday")

    assert world.searchable() == {"The registry of residents agrees on that.", refined}


def recorded(order: int, status: str):
    state = Slot(f"order {order}", "status", status, str(order))
    return fact(state.spelled, slot=state)


def test_a_later_record_closes_the_earlier_one_among_many_alike_and_asks_no_model(world, judge):
    world.learn("list", *(recorded(order, "shipped") for order in range(4700, 4730)))
    world.learn("one", recorded(4711, "delivered"), day=2, session="tuesday")

    assert world.item("order 4711: status shipped").status == "superseded"
    assert world.item("order 4711: status shipped").valid_until == START + timedelta(days=2)
    assert len(world.texts(status="active")) == 30
    assert judge.pairs == []


def test_a_record_that_arrives_late_is_stored_closed(world):
    world.learn("new", recorded(4711, "delivered"), day=2)
    world.learn("old", recorded(4711, "shipped"), session="tuesday")

    assert world.item("order 4711: status shipped").valid_until == START + timedelta(days=2)
    assert world.searchable() == {"order 4711: status delivered"}


def test_what_one_result_says_side_by_side_stays_side_by_side(world):
    world.learn("history", recorded(4711, "packed"), recorded(4711, "shipped"))

    assert world.texts(status="active") == ["order 4711: status packed", "order 4711: status shipped"]


LOKI, ELASTIC = "Our artifact store is Loki.", "Our artifact store is Elasticsearch now."


def stored_in(text: str, value: str, standing: Standing = Standing.SOLE):
    return fact(text, slot=Slot("Our artifact store", "be", value, "artifact", standing))


def test_another_value_of_a_state_of_one_value_puts_the_older_in_doubt_though_no_judge_sees_it(world):
    world.learn("a", stored_in(LOKI, "Loki"))
    world.learn("b", stored_in(ELASTIC, "Elasticsearch"), day=120, session="tuesday")

    assert world.item(LOKI).doubted_by == (world.item(ELASTIC).id,)
    assert world.item(ELASTIC).open_links == ()
    assert world.searchable() == {LOKI, ELASTIC}


@pytest.mark.parametrize("heard", [(LOKI, ELASTIC), (ELASTIC, LOKI)])
def test_what_says_that_it_changed_closes_the_older_whichever_is_heard_first(world, heard):
    facts = {LOKI: (stored_in(LOKI, "Loki"), 0), ELASTIC: (stored_in(ELASTIC, "Elasticsearch", Standing.CHANGED), 120)}
    for text in heard:
        said, day = facts[text]
        world.learn(text, said, day=day, session=text)

    assert world.item(LOKI).status == "superseded"
    assert world.item(LOKI).valid_until == START + timedelta(days=120)
    assert world.searchable() == {ELASTIC}


def test_somebody_elses_change_only_puts_it_in_doubt(world):
    world.learn("a", replace(stored_in(LOKI, "Loki"), said_by="Mara"), speaker="Mara")
    changed = replace(stored_in(ELASTIC, "Elasticsearch", Standing.CHANGED), said_by="Ben")
    world.learn("b", changed, day=120, session="tuesday", speaker="Ben")

    assert world.item(LOKI).status == "active"
    assert world.item(LOKI).doubted_by == (world.item(ELASTIC).id,)


def test_an_assistants_change_only_puts_it_in_doubt(world):
    world.learn("a", stored_in(LOKI, "Loki"))
    world.answer(ELASTIC, stored_in(ELASTIC, "Elasticsearch", Standing.CHANGED), day=120, session="tuesday")

    assert world.item(LOKI).status == "active"
    assert len(world.item(LOKI).doubted_by) == 1


def test_two_values_of_one_message_are_left_alone(world):
    world.learn("a", stored_in(LOKI, "Loki"), stored_in(ELASTIC, "Elasticsearch"))

    assert world.item(LOKI).doubted_by == ()


def test_a_state_is_found_by_its_slot_however_many_lie_nearer(world):
    world.learn("a", stored_in(LOKI, "Loki"))
    crowd = [fact(f"Our artifact store is full on day {number}.") for number in range(12)]
    world.learn("b", *crowd, day=1, session="crowd")
    world.learn("c", stored_in(ELASTIC, "Elasticsearch"), day=120, session="tuesday")

    assert world.item(LOKI).doubted_by == (world.item(ELASTIC).id,)
