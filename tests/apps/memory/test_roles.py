"""Whose word an item stands on: who closes what, who confirms what, and what is only said back."""

from datetime import timedelta

import pytest

from apps.core import providers
from apps.memory import selectors, services
from apps.memory.models import ItemLink, Rejection
from apps.memory.requests import NewMemory
from apps.memory.results import WriteOutcome
from apps.memory.services.comparing import candidate_of, compare
from apps.memory.services.neighbourhood import known_items
from memory_platform.consolidation.authority import Voice
from memory_platform.model import Role, Slot, Strength
from tests.apps.memory.conftest import SAME, START, UPDATE, fact
from tests.apps.memory.test_open_links import doubts
from tests.cast import MARA

GREEN, RED = "The build is green.", "The build is red."
HOME, NEW_HOME = Slot("I", "live in", "Munich"), Slot("I", "live in", "Berlin")
MUNICH, BERLIN = "I live in Munich.", "I live in Berlin."
BACK, NEW_BACK = "You live in Munich.", "You live in Berlin."
YOUR_HOME, YOUR_NEW_HOME = Slot("You", "live in", "Munich"), Slot("You", "live in", "Berlin")


@pytest.fixture(autouse=True)
def judged(world):
    world.judged(UPDATE, GREEN, RED)
    world.judged(UPDATE, MUNICH, BERLIN)
    world.judged(UPDATE, BERLIN, MUNICH)


def remember(world, text: str, **fields):
    return services.remember(NewMemory(**{"text": text, "occurred_at": START, **fields}), within=world.agent)


def standing(world, resource_id):
    """Which current items took the place of what a message says, by their texts."""
    state = world.query(lambda: selectors.episode_states([resource_id])).get(resource_id)
    if state is None:
        return None
    held = world.query(lambda: selectors.hydrate(state.superseded_by))
    return state.all_gone, [held[each].text for each in state.superseded_by]


# Who closes what.


def test_an_assistant_closes_nothing_a_user_said(world):
    world.learn("a", fact(GREEN))
    world.answer("b", fact(RED), day=1)

    old, new = world.item(GREEN), world.item(RED)
    assert (old.status, old.valid_until, old.open_links) == ("active", None, doubts(new))
    assert (old.voice, new.voice) == (Voice(Role.USER), Voice(Role.ASSISTANT))


def test_an_assistant_closes_nothing_a_caller_remembered(world):
    remember(world, GREEN)
    world.answer("b", fact(RED), day=1)

    assert (world.item(GREEN).status, world.item(GREEN).open_links) == ("active", doubts(world.item(RED)))


def test_an_assistant_closes_what_an_assistant_said_until_a_user_says_so_too(world):
    world.answer("a", fact(GREEN))
    world.learn("b", fact(GREEN), day=1)
    world.answer("c", fact(RED), day=2)

    assert (world.item(GREEN).status, world.item(GREEN).voice.role) == ("active", Role.USER)


def test_an_assistant_closes_what_it_said_itself_and_a_user_both(world):
    world.answer("a", fact(GREEN))
    world.answer("b", fact(RED), day=1)
    assert world.item(GREEN).status == "superseded"

    world.judged(UPDATE, RED, "The build is yellow.")
    world.learn("c", fact("The build is yellow."), day=2)
    assert world.item(RED).status == "superseded"


def test_what_is_compared_late_is_still_an_assistants(world):
    world.learn("a", fact(GREEN))
    world.answer("b", fact(RED), day=1)

    def late():
        (known,) = known_items(world.items(text=RED))
        return candidate_of(known.item, known.role).origin.role

    assert world.query(late) is Role.ASSISTANT
    compare([world.item(RED).id], within=world.worker)
    assert world.item(GREEN).status == "active"


def test_what_a_caller_confirmed_is_no_assistants_to_close(world):
    world.answer("a", fact(GREEN))
    world.query(lambda: services.confirm(world.item(GREEN).id))
    world.answer("b", fact(RED), day=1)

    assert world.item(GREEN).status == "active"


def test_what_a_caller_remembers_takes_the_place_of_what_an_assistant_said(world):
    world.answer("a", fact(GREEN))
    kept = remember(world, GREEN, occurred_at=START + timedelta(days=1)).item

    assert (kept.voice.role, [source.role for source in kept.sources]) == (Role.USER, [Role.ASSISTANT])
    world.answer("b", fact(RED), day=2)
    assert world.item(RED).id in {link.other_id for link in world.query(lambda: selectors.item(kept.id)).open_links}


# Who confirms what.


def test_an_unnamed_remember_and_a_named_turn_of_one_user_count_once(world):
    remember(world, GREEN, user_id=MARA.user_id, confidence=0.6)
    world.learn("a", fact(GREEN, said_by="Tom", confidence=0.6), user=MARA.user_id, speaker="Tom", day=1)

    (item,) = [one for one in world.items(text=GREEN) if one.status == "active"]
    assert (item.confidence, item.merged_count) == (0.6, 1)


def test_a_named_turn_and_an_unnamed_remember_of_one_user_count_once(world):
    world.learn("a", fact(GREEN, said_by="Tom", confidence=0.6), user=MARA.user_id, speaker="Tom")
    remember(world, GREEN, user_id=MARA.user_id, confidence=0.6, occurred_at=START + timedelta(days=1))

    (item,) = [one for one in world.items(text=GREEN) if one.status == "active"]
    assert (item.confidence, item.merged_count) == (0.6, 1)


def test_who_said_it_before_confirms_it_once(world):
    for day, name in enumerate(("Anna", "Ben", "Ben")):
        world.learn(
            f"{day}", fact(GREEN, said_by=name, confidence=0.5), speaker=name, day=day / 1000, session=f"s-{day}"
        )

    assert round(world.item(GREEN).base_confidence, 2) == 0.6


# What is only said back.


def test_an_echo_is_replaced_with_what_it_echoes(world):
    told = world.learn("a", fact(MUNICH, slot=HOME))
    echo = world.answer("b", fact(BACK, slot=YOUR_HOME), day=1)
    assert standing(world, echo) == (False, [])

    world.learn("c", fact(BERLIN, slot=NEW_HOME), day=2)

    assert (standing(world, echo), standing(world, told)) == ((False, [BERLIN]), (True, [BERLIN]))
    assert world.searchable() == {BERLIN}


def test_an_assistant_that_goes_on_saying_what_was_replaced_doubts_nothing(world):
    world.judged(UPDATE, BERLIN, BACK)
    world.learn("a", fact(MUNICH, slot=HOME))
    world.learn("b", fact(BERLIN, slot=NEW_HOME), day=1)
    echo = world.answer("c", fact(BACK, slot=YOUR_HOME), day=2)

    assert (standing(world, echo), world.item(BERLIN).open_links) == ((False, [BERLIN]), ())
    assert world.searchable() == {BERLIN}
    reasons = world.query(lambda: list(Rejection.objects.filter(resource_id=echo).values_list("reason", flat=True)))
    assert reasons == ["echo"]


def test_a_judged_repetition_is_an_echo_too(world):
    world.judged(SAME, MUNICH, "Munich it is, where you live.")
    world.learn("a", fact(MUNICH, slot=HOME))
    echo = world.answer("b", fact("Munich it is, where you live."), day=1)
    world.learn("c", fact(BERLIN, slot=NEW_HOME), day=2)

    assert standing(world, echo) == (False, [BERLIN])


def test_what_an_assistant_says_of_another_subject_is_no_echo(world):
    world.learn("a", fact(MUNICH, slot=HOME))
    fair = "The fair takes place in Munich."
    other = world.answer("b", fact(fair, slot=Slot("The fair", "take place in", "Munich")), day=1)
    world.learn("c", fact(BERLIN, slot=NEW_HOME), day=2)

    assert standing(world, other) == (False, [])
    assert world.searchable() == {BERLIN, fair}


def test_what_a_user_says_again_is_current_again_and_so_are_its_echoes(world):
    world.learn("a", fact(MUNICH, slot=HOME), session="one")
    before = world.answer("b", fact(BACK, slot=YOUR_HOME), day=1, session="one")
    world.learn("c", fact(BERLIN, slot=NEW_HOME), day=2, session="two")
    between = world.answer("d", fact(NEW_BACK, slot=YOUR_NEW_HOME), day=3, session="two")
    world.learn("e", fact(MUNICH, slot=HOME), day=4, session="three")
    after = world.answer("f", fact(BACK, slot=YOUR_HOME), day=5, session="three")

    assert [standing(world, each)[1] for each in (before, between, after)] == [[], [MUNICH], []]


def test_an_assistant_that_says_it_holds_again_may_only_doubt(world):
    again = "You live in Munich again since the spring."
    world.judged(UPDATE, BERLIN, again)
    world.learn("a", fact(MUNICH, slot=HOME))
    world.learn("b", fact(BERLIN, slot=NEW_HOME), day=1)
    said = world.answer("c", fact(again, slot=YOUR_HOME), day=2)

    assert standing(world, said) == (False, [])
    assert world.item(BERLIN).open_links == doubts(world.item(again))


def test_fresher_words_replace_no_message(world):
    fresher = "My home is in Munich."
    world.judged(SAME, MUNICH, fresher)
    told = world.learn("a", fact(MUNICH))
    echo = world.answer("b", fact(BACK, slot=YOUR_HOME), fact(MUNICH), day=0.05)
    world.learn("c", fact(fresher), day=0.1)

    assert world.item(MUNICH).status_reason == "fresher_wording"
    assert (standing(world, told), standing(world, echo)) == ((False, []), (False, []))


def test_an_echo_of_what_is_doubted_is_doubted(world):
    world.learn("a", fact(MUNICH, slot=HOME))
    echo = world.answer("b", fact(BACK, slot=YOUR_HOME), day=1)
    weaker = "You might live in Berlin."
    world.judged(UPDATE, MUNICH, weaker)
    world.answer("c", fact(weaker, strength=Strength.EXPLICIT), day=2)

    state = world.query(lambda: selectors.episode_states([echo]))[echo]
    assert (state.superseded_by, state.doubted_by) == ((), (world.item(weaker).id,))


def test_an_echo_leaves_a_link_of_its_message_and_no_source(world):
    world.learn("a", fact(MUNICH, slot=HOME))
    echo = world.answer("b", fact(BACK, slot=YOUR_HOME), day=1)

    links = world.query(lambda: list(ItemLink.objects.filter(from_resource_id=echo)))
    assert [(link.kind, link.to_item_id) for link in links] == [("echoes", world.item(MUNICH).id)]
    assert len(world.item(MUNICH).sources) == 1


QUOTE = f"~ {MUNICH} (confidence: 0.9; age: 12d; other) [superseded]"


@pytest.fixture
def read(world, monkeypatch):
    """Let messages be read, not scripted."""
    monkeypatch.setattr(providers, "extractor", providers.fallback_extractor)
    return world


def test_a_quoted_line_of_the_block_is_an_echo_of_its_memory(read):
    remember(read, MUNICH, user_id=None)
    echo = read.answer(f"{QUOTE}\nIs that still so?", day=1)
    assert read.texts() == [MUNICH]

    remember(read, BERLIN, occurred_at=START + timedelta(days=2))

    assert standing(read, echo) == (False, [BERLIN])
    reasons = read.query(lambda: set(Rejection.objects.filter(resource_id=echo).values_list("text", "reason")))
    assert (MUNICH, "echo") in reasons


def test_a_block_that_a_user_pastes_is_no_word_of_the_users(read):
    """Neither its lines, nor their notes, nor in another style."""
    remember(read, MUNICH, user_id=None)
    read.learn(f"{QUOTE}\n~ [other] {MUNICH} (confidence: 0.9; age: 12d)\nIs that still so?", day=1)

    assert read.texts() == [MUNICH]
    assert (read.item(MUNICH).merged_count, len(read.item(MUNICH).sources)) == (0, 0)


def test_what_a_user_says_beside_a_quoted_line_is_learnt(read):
    read.learn(f"{QUOTE}\nMy sister Anna lives in Berlin.")

    assert read.texts() == ["My sister Anna lives in Berlin."]


@pytest.mark.parametrize("text", [QUOTE, f"My sister Anna lives in Berlin.\n{QUOTE}"])
def test_a_quoted_line_is_not_remembered(read, text):
    refused = remember(read, text, user_id=None)

    assert (refused.outcome, read.texts()) == (WriteOutcome.REJECTED, [])
    assert "the memory told" in refused.reason


def test_a_quoted_line_of_a_memory_that_is_gone_is_not_learnt_again(read):
    said = read.answer(QUOTE)

    assert (read.texts(), standing(read, said)) == ([], None)
