"""State lives in slots: an update closes every open item of its slot in the audience, and nothing beside it."""

from datetime import timedelta

from memory_platform.model import Slot
from tests.apps.memory.conftest import CORRECTION, PROBABLE_UPDATE, START, UPDATE, fact

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


def test_a_correction_in_the_same_session_replaces_what_never_held(world):
    wrong, right = "The demo is on Monday.", "The demo is on Tuesday, sorry."
    world.judged(CORRECTION, wrong, right)
    world.learn("a", fact(wrong), session="chat")
    world.learn("b", fact(right), session="chat", day=0.01)

    corrected = world.item(wrong)
    assert (corrected.status, corrected.status_reason) == ("superseded", "corrected")
    assert corrected.retracted_at is not None
    assert world.searchable() == {right}
