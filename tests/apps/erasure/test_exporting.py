"""Everything about somebody is exported, and what was exported can be imported: whole, once, and within bounds."""

import json
from uuid import uuid4

import pytest

from apps.api.exports import handlers
from apps.core.scope import tenant_scope
from apps.journal.models import Entry
from apps.memory.models import Item
from apps.resources.models import Session
from apps.tenants import services
from apps.tenants.models import Policy
from tests.apps.erasure.conftest import ADAM, EVE, MARKS

ASKED = (
    f"Who is Anna {MARKS[EVE]}?",
    "Which bakery does my sister work at?",
    "What stands on the shelf?",
    "Where does my brother Olof work?",
)
ENDED = ("Karlstad", "Ystad")
MESSAGE = {"line": "message", "external_id": "1", "session_id": "s", "content": "I live in Lund.", "user_id": EVE}
MEMORY = {"line": "memory", "external_id": "2", "text": "The kettle is red.", "user_id": EVE, "is_imported": True}

FEEDBACK = {"line": "feedback", "external_id": "4", "user_id": EVE, "memory_id": "2", "kind": "wrong", "by": "member:7"}
FEEDBACK |= {"at": "2026-01-01T00:00:00Z"}
LESSON = {"line": "lesson", "external_id": "5", "user_id": EVE, "memory_id": "2", "pattern": "rule", "status": "active"}
TRIGGER = {"line": "trigger", "external_id": "3", "text": "Call the bank.", "day": "2040-06-12", "user_id": EVE}


def answers(world):
    """What is recalled first."""
    return [world.recalled(question, EVE)[:1] for question in ASKED]


def ended(world):
    """What is told in the words of what was forgotten or corrected."""
    questions = ("Where is the car parked?", "Does Olof work at the mill in Ystad?")
    told = [text for question in questions for text in world.recalled(question, EVE)]
    return [text for text in told if any(word in text for word in ENDED)]


def statuses(done):
    return [each["status"] for each in done["results"]]


def test_what_is_exported_erased_and_imported_elsewhere_answers_the_same(world, another_world):
    world.fill(EVE, "chat")
    before = answers(world)
    assert all(before)
    assert ended(world) == []

    lines = world.exported(user_id=EVE)
    here = world.post("imports", lines=lines)
    assert (here["accepted"], here["duplicate"] + here["forgotten"]) == (0, len(lines) - here["skipped"])
    assert world.erase(user_id=EVE)["state"] == "done"
    done = another_world.post("imports", lines=lines)
    another_world.work()

    assert answers(world) == [[]] * len(ASKED)
    assert (done["invalid"], done["conflict"], done["refused"]) == (0, 0, 0)
    assert answers(another_world) == before
    assert ended(another_world) == []
    again = another_world.post("imports", lines=lines)
    another_world.work()
    assert (again["accepted"], again["duplicate"] + again["forgotten"]) == (0, done["accepted"])
    assert again["skipped"] == done["skipped"]
    assert (answers(another_world), ended(another_world)) == (before, [])


def test_an_export_holds_all_that_a_user_left_and_nothing_of_another(world):
    for user in (EVE, ADAM):
        world.fill(user, f"chat-of-{user}")

    lines = world.exported(user_id=EVE)
    told = json.dumps(lines)

    assert {each["line"] for each in lines} == {"message", "memory", "trigger", "feedback", "record"}
    tables = {each["table"] for each in lines if each["line"] == "record"}
    assert {"memory_forget_batch", "resources_checkpoint", "retrieval_recall", "summaries_version"} <= tables
    assert (MARKS[ADAM] in told, ADAM in told) == (False, False)
    page = world.post("exports", user_id=EVE, first=100)
    assert (page["next"], [each["content"] for each in page["items"]]) == (None, lines)
    assert all("\n" not in each["markdown"] for each in page["items"])
    with tenant_scope(world.tenant_id):
        read = Entry.objects.filter(tenant_id=world.tenant_id, operation="export.read")
        assert sum(each["lines"] for each in read.values_list("data", flat=True)) == 2 * len(lines)


def test_whoever_may_erase_may_export_and_nobody_else(world):
    world.post("memories", text="The kettle is red.", user_id=EVE)
    reader = world.key("read", "write", "review", "admin")
    asked = {"user_id": EVE}

    assert world.send("post", "exports", asked, token=reader).status_code == 403
    assert world.send("post", "exports", asked, user=ADAM).status_code == 403
    assert world.send("post", "imports", {"lines": []}, token=world.key("erase", agent="eraser")).status_code == 403
    assert world.send("post", "exports", {**asked, "after": "no-cursor"}).status_code == 422
    assert world.send("post", "exports", {}).status_code == 422


@pytest.mark.parametrize(
    "line",
    [
        None,
        "",
        [],
        7,
        {},
        {"line": "row"},
        {"line": ["message"]},
        {**MESSAGE, "content": ""},
        {**MESSAGE, "content": "x" * 200_001},
        {**MESSAGE, "external_id": None},
        {**MESSAGE, "external_id": "a\u200bb"},
        {**MESSAGE, "session_id": "s" * 201},
        {**MESSAGE, "role": "god"},
        {**MESSAGE, "content_at": "9999-99-99"},
        {**MESSAGE, "turn_number": -1},
        {**MESSAGE, "ended_claims": ["My car is red."]},
        {**MESSAGE, "ended_claims": ["0" * 64], "ended_at": "yesterday"},
        {**MESSAGE, "session_id": "s" * 150, "agent_id": "a" * 60},
        {**MEMORY, "session_id": "s" * 150, "agent_id": "a" * 60},
        {**MEMORY, "status_reason": "My car is red."},
        {**MEMORY, "text": "x" * 8_001},
        {**MEMORY, "text": {"deep": "er"}},
        {**MEMORY, "external_id": ""},
        {**MEMORY, "confidence": 7},
        {**MEMORY, "category": "nowhere"},
        {**MEMORY, "valid_from": "2026-02-01T00:00:00Z", "valid_until": "2026-01-01T00:00:00Z"},
        {**MEMORY, "valid_from": "0001-01-01T00:00:00+15:00"},
        {**MEMORY, "entities": ["x"] * 101},
        {**FEEDBACK, "kind": "good"},
        {**FEEDBACK, "by": "Mara Berg"},
        {**FEEDBACK, "by_agent_id": "a" * 201},
        {**FEEDBACK, "at": None},
        {**FEEDBACK, "note": "x" * 8_001},
        {**FEEDBACK, "claim": "My car is red."},
        {**FEEDBACK, "messages": [{"session_id": "s", "external_id": "1"}] * 51},
        {**FEEDBACK, "messages": [{"session_id": "s"}]},
        {**LESSON, "external_id": ""},
        {**LESSON, "pattern": "order"},
        {**LESSON, "status": "loved"},
        {**LESSON, "text": "x" * 301},
        {**TRIGGER, "text": ""},
        {**TRIGGER, "external_id": ""},
        {**TRIGGER, "day": None},
        {**TRIGGER, "at": "2040-06-12T09:00:00Z"},
        {**TRIGGER, "day": "0001-01-01", "recurrence": "FREQ=DAILY"},
        {**TRIGGER, "day": "9999-12-31"},
        {**TRIGGER, "recurrence": "FREQ=SECONDLY"},
        {**TRIGGER, "day": "2020-01-01", "recurrence": "FREQ=DAILY;COUNT=1"},
        {**TRIGGER, "time_zone": "Nowhere/Else"},
    ],
)
def test_a_line_that_is_wrong_spoils_no_other(world, line):
    done = world.post("imports", lines=[line, {**MESSAGE, "external_id": "good"}])

    assert statuses(done) == ["invalid", "accepted"]
    assert done["results"][0]["error"]


def test_what_is_imported_is_cleaned_of_secrets_and_stored_once(world):
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
    lines = [
        {**MESSAGE, "content": f"My key is {secret}."},
        {**MEMORY, "text": f"The password of the shop is {secret}."},
        {**TRIGGER, "text": f"Change the key {secret}."},
    ]

    first = world.post("imports", lines=[*lines, lines[0], {**MESSAGE, "content": "Else."}])
    world.work()

    assert statuses(first)[0] == "accepted"
    assert statuses(first)[2:] == ["accepted", "duplicate", "conflict"]
    assert secret not in json.dumps(world.exported(user_id=EVE))


def test_triggers_that_callers_set_are_set_again_once_and_fall_due(world, another_world):
    world.post("triggers", text="Call the bank.", day="2040-06-12", user_id=EVE)
    world.post("triggers", text="Water the palms.", at="2040-06-12T09:00:00Z", recurrence="FREQ=WEEKLY", user_id=EVE)
    done = world.post("triggers", text="Pay the rent.", day="2040-06-13", user_id=EVE)
    world.post(f"triggers/{done['id']}/complete")
    lines = world.exported(user_id=EVE)
    # Its time came while it was away.
    missed = {**TRIGGER, "at": "2026-01-05T09:00:00Z", "day": None, "text": "Renew the passport.", "external_id": "4"}

    at_home = world.post("imports", lines=lines)
    first, second = (another_world.post("imports", lines=[*lines, missed]) for _ in range(2))

    assert [(each["line"], each["text"]) for each in lines if "text" in each] == [
        ("trigger", "Call the bank."),
        ("trigger", "Water the palms."),
        ("record", "Pay the rent."),
    ]
    assert statuses(at_home) == ["duplicate", "duplicate", "skipped"]
    assert (statuses(first), statuses(second)) == (
        ["accepted", "accepted", "skipped", "accepted"],
        ["duplicate", "duplicate", "skipped", "duplicate"],
    )
    held = another_world.get(f"triggers?user_id={EVE}")["items"]
    assert [(each["text"], each["at"][:16], each["recurrence"], each["is_due"]) for each in held] == [
        ("Renew the passport.", "2026-01-05T09:00", "", True),
        ("Call the bank.", held[1]["at"][:16], "", False),
        ("Water the palms.", "2040-06-12T09:00", "FREQ=WEEKLY", False),
    ]
    assert held[1]["day"] == "2040-06-12"


def test_an_imported_trigger_shows_no_memory_by_an_id_of_another_store(world):
    world.post("imports", lines=[{**TRIGGER, "memory_ids": [str(uuid4())]}])

    (held,) = world.get(f"triggers?user_id={EVE}")["items"]
    assert held["memory_ids"] == []


def test_a_trigger_that_was_forgotten_is_not_set_again(world):
    world.post("imports", lines=[TRIGGER])
    world.post("forget", user_id=EVE)

    assert statuses(world.post("imports", lines=[TRIGGER])) == ["forgotten"]
    assert world.get(f"triggers?user_id={EVE}")["items"] == []


def test_an_import_ends_in_time_and_says_what_to_send_again(world, monkeypatch):
    monkeypatch.setattr(handlers, "MOST_SECONDS", 0.0)
    lines = [{**MEMORY, "external_id": "a"}, {**TRIGGER, "external_id": "b"}]

    refused = world.send("post", "imports", {"lines": lines})
    partly = world.post("imports", lines=[*lines, MESSAGE])

    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
    assert (statuses(partly), partly["retry_after"]) == (["refused", "refused", "accepted"], 1.0)
    monkeypatch.undo()
    assert statuses(world.post("imports", lines=lines)) == ["accepted", "accepted"]


def test_a_memory_that_is_imported_counts_as_one_that_is_remembered(world):
    with tenant_scope(world.tenant_id):
        services.change(Policy.objects.get(tenant_id=world.tenant_id), {"writes_per_minute": 2})
    lines = [{**MEMORY, "text": f"The kettle number {number} is red.", "external_id": str(number)} for number in "123"]

    done = world.post("imports", lines=lines)

    assert statuses(done) == ["accepted", "accepted", "refused"]
    assert 0 < done["retry_after"] <= 60
    assert world.send("post", "memories", {"text": "The kettle is old."}).status_code == 429


def test_an_import_is_bounded_in_lines_and_by_the_agents_limit(world):
    many = [{**MESSAGE, "external_id": str(number)} for number in range(501)]
    assert world.send("post", "imports", {"lines": many}).status_code == 422
    assert world.send("post", "imports", {"lines": {"a": 1}}).status_code == 422
    with tenant_scope(world.tenant_id):
        Policy.objects.filter(tenant_id=world.tenant_id).update(ingest_lines_per_minute=3)

    token = world.key("write", agent="slow")
    done = world.send("post", "imports", {"lines": [*many[:5], MEMORY]}, token=token).json()

    assert statuses(done) == ["accepted"] * 3 + ["refused"] * 2 + ["accepted"]
    assert done["retry_after"] > 0


def test_sessions_of_two_agents_stay_apart(world, another_world):
    said = {"external_id": "1", "session_id": "chat", "user_id": EVE, "role": "user"}
    second = world.key("read", "write", agent="second")
    world.send("post", "ingest", {**said, "content": "I moved to Lund with my brother Olof."})
    world.send("post", "ingest", {**said, "content": "I keep three bees in a hive."}, token=second)
    world.work()
    lines = [each for each in world.exported(user_id=EVE) if each["line"] == "message"]

    first, again = (another_world.post("imports", lines=lines) for _ in range(2))

    assert (statuses(first), statuses(again)) == (["accepted"] * 2, ["duplicate"] * 2)
    assert statuses(world.post("imports", lines=lines)) == ["duplicate", "accepted"]
    with tenant_scope(another_world.tenant_id):
        names = set(Session.objects.values_list("external_id", flat=True))
    assert names == {f"{each['agent_id']}:chat" for each in lines}


def test_what_was_forgotten_stays_so_through_two_tenants_and_under_another_name(world, another_world, make_world):
    said = {"external_id": "1", "session_id": "chat", "user_id": EVE, "role": "user"}
    world.send("post", "ingest", {**said, "content": "My car is parked in the garage at Karlstad."})
    world.work()
    world.post("forget", ids=world.learnt("Karlstad", EVE))
    (line,) = [each for each in world.exported(user_id=EVE) if each["line"] == "message"]

    another_world.post("imports", lines=[line])
    another_world.work()
    (onwards,) = [each for each in another_world.exported(user_id=EVE) if each["line"] == "message"]
    third = make_world()
    third.post("imports", lines=[onwards])
    third.work()
    renamed = third.post("imports", lines=[{**onwards, "session_id": "other", "ended_claims": [], "ended_at": None}])

    assert (onwards["ended_claims"], onwards["ended_at"]) == (line["ended_claims"], line["ended_at"])
    assert third.learnt("Karlstad", EVE) == []
    assert third.recalled("Where is the car parked?", EVE) == []
    assert statuses(renamed) == ["forgotten"]


def test_what_only_a_forgotten_memory_had_replaced_is_not_current_elsewhere(world, another_world):
    for said in ("My boss is Anna.", "My boss is Peter now."):
        world.post("capture", session_id="chat", user_id=EVE, user_input=said)
        world.work()
    world.post("forget", ids=world.learnt("Peter", EVE))
    assert (world.learnt("Anna", EVE), world.learnt("Peter", EVE)) == ([], [])

    another_world.post("imports", lines=world.exported(user_id=EVE))
    another_world.work()

    assert another_world.learnt("boss", EVE) == []


def test_a_message_that_was_forgotten_is_there_to_be_read_only(world, another_world):
    world.post("capture", session_id="chat", user_id=EVE, user_input="I live in Lund.")
    world.work()
    world.post("forget", user_id=EVE)
    (line,) = [each for each in world.exported(user_id=EVE) if each["line"] == "message"]

    assert (line["is_imported"], line["content"]) == (False, "I live in Lund.")
    assert statuses(another_world.post("imports", lines=[line])) == ["skipped"]


def test_a_memory_that_was_vouched_for_or_archived_is_so_elsewhere(world, another_world):
    gate = world.post("memories", text="The code of the garden gate hangs in the kitchen.", user_id=EVE)["memory"]["id"]
    attic = world.post("memories", text="The attic holds four old lamps.", user_id=EVE)["memory"]["id"]
    world.post(f"memories/{gate}/confirm")
    with tenant_scope(world.tenant_id):
        Item.objects.filter(id=attic).update(status="archived", status_reason="expired")

    lines = world.exported(user_id=EVE)
    first, again = (another_world.post("imports", lines=lines) for _ in range(2))

    assert statuses(first)[:2] == ["accepted", "accepted"]
    assert statuses(again)[:2] == ["duplicate", "duplicate"]
    with tenant_scope(another_world.tenant_id):
        rows = Item.objects.order_by("text").values_list("status", "status_reason", "protected")
        assert list(rows) == [("archived", "expired", False), ("active", "", True)]
