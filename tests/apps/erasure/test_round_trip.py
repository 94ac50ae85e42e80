"""What is exported and imported into an empty tenant is there as it was: exported from there again it is the same."""

import json
from typing import Any
from uuid import UUID

import pytest

from apps.core.context import acting_as
from apps.core.scope import Reach, Scope, enter, tenant_scope
from apps.memory import services as memory
from apps.memory.models import Item, ItemFeedback, ItemLink, ItemUse
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import Appraisal, Kind
from tests.apps.erasure.conftest import EVE, World

pytestmark = pytest.mark.timeout(300)
RULE, DROPPED, ASKED = (
    "Never deploy on a Friday.",
    "Never paint the shed green.",
    "Which tickets of the harbour are open?",
)
SAID = "My cousin Ivo repairs old radios in Malmö."
BOSSES = ("Hanna", "Peter", "Maria")
LOST = ("status_reason", "verdict_reason")
"""Codes that say why, in words of the store where it was decided."""
STANDS = {"active", "stale", "archived"}


@pytest.fixture
def source(make_world, judge) -> World:
    judge.appraisals |= {text: Appraisal(0.9, kind=Kind.RULE) for text in (RULE, DROPPED)}
    return make_world()


@pytest.fixture
def target(source, make_world) -> World:
    return make_world()


def remembered(world: World, text: str) -> str:
    return world.post("memories", text=text, user_id=EVE)["memory"]["id"]


def told_in(world: World, text: str, month: int, **more: Any) -> str:
    """Remembered as it was said in a month of 2026."""
    said = world.post("memories", text=text, user_id=EVE, occurred_at=f"2026-{month:02}-01T09:00:00Z", **more)
    return said["memory"]["id"]


def put_aside(world: World, text: str, **state: str) -> None:
    memory_id = remembered(world, text)
    with tenant_scope(world.tenant_id):
        Item.objects.filter(id=memory_id).update(**state)


def opine(world: World, memory_id: str, kind: Opinion, *, by: str = "member:7") -> None:
    with enter(Scope(world.tenant_id, None, Reach.TENANT)), acting_as(by):
        memory.give_feedback(UUID(memory_id), kind, f"says {by}")


def capture(world: World, text: str, session: str = "chat") -> None:
    world.post("capture", session_id=session, user_id=EVE, user_input=text)
    world.work()


def lessons(world: World, status: str = "active") -> dict[str, str]:
    found = world.get(f"lessons?user_id={EVE}&status={status}")["items"]
    return {each["text"]: each["id"] for each in found}


def fill(world: World) -> None:
    world.fill(EVE, "chat")
    for text in (RULE, DROPPED, SAID):
        capture(world, text)
    for day in ("monday", "tuesday", "wednesday"):
        capture(world, ASKED, day)
    world.post(f"lessons/{lessons(world)[DROPPED]}/dismiss")
    (ivo,) = world.learnt("Ivo", EVE)
    opine(world, ivo, Opinion.HELPFUL)
    opine(world, ivo, Opinion.OUTDATED, by="member:8")
    world.post(f"memories/{remembered(world, 'The gate opens with the brass key.')}/confirm")
    wrong = remembered(world, "The cellar has three windows.")
    world.post(f"memories/{wrong}/feedback", kind="wrong", note="it has two")
    put_aside(world, "The attic holds four old lamps.", status="archived", status_reason="expired")
    put_aside(world, "The fence is painted grey.", status="stale")
    put_aside(world, "The roof needs new tiles.", verdict="hold", verdict_reason="ambiguous")
    for month, name in enumerate(BOSSES, 3):
        told_in(world, f"My boss is {name} now.", month)
    world.work()
    world.post(f"memories/{world.learnt('Anna', EVE)[0]}/confirm")
    world.work()


def take_in(world: World, lines: list[Any]) -> list[str]:
    """Send lines as the clients do: what was refused again, once workers have worked."""
    waiting, became = dict(enumerate(lines)), {}
    for _ in range(3):
        answer = world.send("post", "imports", {"lines": list(waiting.values())})
        if answer.status_code == 200:
            places = list(waiting)
            settled = [each for each in answer.json()["results"] if each["status"] != "refused"]
            became |= {places[each["line"] - 1]: each["status"] for each in settled}
        world.work()
        waiting = {place: line for place, line in waiting.items() if place not in became}
        if not waiting:
            break
    return [became[place] for place in range(len(lines))]


def told(world: World) -> list[dict[str, Any]]:
    """What stands, without what is this store's own: ids that nobody gave, and codes."""
    lines = [each for each in world.exported(user_id=EVE) if each["line"] != "record"]
    kept = [each for each in lines if each["line"] != "memory" or each["status"] in STANDS or each["is_imported"]]
    return sorted((_told(each) for each in kept), key=json.dumps)


def _told(line: dict[str, Any]) -> dict[str, Any]:
    is_named = line["line"] == "message" or line.get("is_imported")
    own = LOST if is_named else (*LOST, "external_id")
    return {name: value for name, value in line.items() if name not in own and not (name == "by" and value != "agent")}


def test_all_that_stands_is_told_there_as_it_was_here(source, target, make_world):
    fill(source)
    lines = source.exported(user_id=EVE)
    kinds = {each["line"] for each in lines}

    statuses = take_in(target, lines)

    assert kinds == {"message", "memory", "trigger", "feedback", "lesson", "record"}
    assert not {"invalid", "conflict"} & set(statuses)
    assert told(target) == told(source)
    third = make_world()
    take_in(third, target.exported(user_id=EVE))
    assert told(third) == told(source)


def test_what_was_erased_is_there_as_it_was_once_it_is_imported(source):
    fill(source)
    before, lines = told(source), source.exported(user_id=EVE)
    assert source.erase(user_id=EVE)["state"] == "done"
    assert told(source) == []

    take_in(source, lines)

    assert told(source) == before


def as_of(world: World, month: int, text: str = "Who is my boss?") -> list[str]:
    """What was believed and true in the middle of a month of 2026."""
    asked = {"query": text, "filter": {"user_id": EVE}, "as_of": f"2026-{month:02}-15T09:00:00Z"}
    return [hit["text"] for hit in world.post("recall", **asked)["hits"]][:1]


def test_what_was_replaced_answers_for_its_time_and_names_what_took_its_place(source, target):
    for month, name in enumerate(BOSSES, 3):
        told_in(source, f"My boss is {name} now.", month)
    lines = source.exported(user_id=EVE)
    assert [(each["status"], each["is_imported"]) for each in lines if each["line"] == "memory"] == [
        ("active", True),
        ("superseded", True),
        ("superseded", True),
    ]
    assert source.erase(user_id=EVE)["state"] == "done"

    assert {*take_in(target, lines)} == {"accepted"}

    assert [as_of(target, month) for month in (2, 3, 4, 5)] == [[]] + [[f"My boss is {name} now."] for name in BOSSES]
    with tenant_scope(target.tenant_id):
        links = ItemLink.objects.values_list("to_item__text", "from_item__text", "kind", "reason")
        assert sorted(links) == [
            (f"My boss is {old} now.", f"My boss is {new} now.", "supersedes", "updated")
            for old, new in (("Hanna", "Peter"), ("Peter", "Maria"))
        ]


def test_importing_twice_is_importing_once(source, target):
    fill(source)
    lines = source.exported(user_id=EVE)
    take_in(target, lines)
    before = told(target)

    again = take_in(target, lines)

    assert set(again) == {"duplicate", "forgotten", "skipped"}
    assert told(target) == before
    at_home = source.post("imports", lines=lines)
    assert (at_home["accepted"], at_home["refused"]) == (0, 0)


def test_what_is_said_of_a_memory_that_is_learnt_waits_until_it_is(source, target):
    capture(source, SAID)
    (ivo,) = source.learnt("Ivo", EVE)
    opine(source, ivo, Opinion.WRONG)
    lines = source.exported(user_id=EVE)
    (opinion,) = [each for each in lines if each["line"] == "feedback"]

    first = target.post("imports", lines=lines)
    alone = target.send("post", "imports", {"lines": [opinion]})
    target.work()
    second = target.post("imports", lines=[opinion])

    assert (first["refused"], first["retry_after"]) == (1, 20.0)
    assert (alone.status_code, alone.headers["Retry-After"]) == (429, "20")
    assert [each["status"] for each in second["results"]] == ["accepted"]
    with tenant_scope(target.tenant_id):
        item = Item.objects.get(text=SAID)
        given = ItemFeedback.objects.get()
    assert (item.verdict, item.verdict_reason) == ("hold", "wrong")
    assert (given.item_id, given.user_id, given.agent_id, given.note) == (item.id, EVE, item.agent_id, "says member:7")
    assert given.at.isoformat() == opinion["at"]
    assert given.actor.startswith("imported:")


def test_the_agents_own_opinion_is_its_own_and_fades_from_when_it_was_given(source, target):
    lamp = remembered(source, "The lamp in the hall is green.")
    source.post(f"memories/{lamp}/feedback", kind="helpful")
    lines = source.exported(user_id=EVE)
    (opinion,) = [each for each in lines if each["line"] == "feedback"]
    opinion["at"] = "2020-01-01T00:00:00+00:00"

    take_in(target, lines)

    with tenant_scope(target.tenant_id):
        item, use = Item.objects.get(), ItemUse.objects.get()
    assert (use.learnt < 0.01, use.learnt >= 0) == (True, True)
    target.post(f"memories/{item.id}/feedback/withdraw")
    with tenant_scope(target.tenant_id):
        assert ItemFeedback.objects.exclude(closed_at=None).count() == 1
    assert take_in(target, [opinion]) == ["duplicate"]


def test_what_is_about_something_that_is_not_here_is_left_out(source, target):
    capture(source, SAID)
    (ivo,) = source.learnt("Ivo", EVE)
    opine(source, ivo, Opinion.HELPFUL)
    lines = source.exported(user_id=EVE)
    message, opinion = lines[0], next(each for each in lines if each["line"] == "feedback")

    assert take_in(target, [opinion, {**opinion, "claim": "0" * 64}]) == ["skipped", "skipped"]
    take_in(target, [message])
    target.post("forget", ids=target.learnt("Ivo", EVE))
    assert take_in(target, [opinion]) == ["forgotten"]


def test_a_lesson_that_was_dismissed_stays_so_where_it_is_learnt_again(source, target):
    for text in (RULE, DROPPED):
        capture(source, text)
    source.post(f"lessons/{lessons(source)[DROPPED]}/dismiss")

    take_in(target, source.exported(user_id=EVE))

    assert set(lessons(target)) == {RULE}
    assert set(lessons(target, "dismissed")) == {DROPPED}


def test_a_lesson_on_what_an_agent_corrected_is_one_again(source, target):
    capture(source, RULE)
    (rule,) = source.learnt("Friday", EVE)
    source.post(f"memories/{rule}/correct", text="Never deploy on a Thursday.")
    source.work()
    assert set(lessons(source)) == {"Never deploy on a Thursday."}

    take_in(target, source.exported(user_id=EVE))

    assert set(lessons(target)) == {"Never deploy on a Thursday."}


def test_opinions_and_lessons_go_to_no_other_user_or_agent(source, target):
    capture(source, RULE)
    lines = source.exported(user_id=EVE)
    bound = target.key("read", "write", agent="another")

    foreign = [{**each, "user_id": "somebody-else"} for each in lines if each["line"] == "lesson"]
    answer = target.send("post", "imports", {"lines": foreign}, user=EVE)
    take_in(target, [each for each in lines if each["line"] == "message"])
    elsewhere = target.send(
        "post", "imports", {"lines": [each for each in lines if each["line"] == "lesson"]}, token=bound
    )

    assert [each["status"] for each in answer.json()["results"]] == ["invalid"]
    assert [each["status"] for each in elsewhere.json()["results"]] == ["skipped"]
