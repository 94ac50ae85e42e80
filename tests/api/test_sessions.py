"""The verbs of a session: what it begins with, that it is alive, and that its end leaves nothing behind."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event, Semaphore
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.api.flows import observing
from apps.api.flows import sessions as flows
from apps.api.flows.observing import GivenText
from apps.api.flows.sessions import Beginning, StartSection
from apps.api.flows.waiting import MOST_WAITING, wait_until
from apps.core.clock import now
from apps.core.scope import Reach, Scope, tenant_scope
from apps.jobs import registry
from apps.jobs import services as jobs
from apps.jobs.models import Job, Schedule
from apps.jobs.registry import StartingSchedule
from apps.memory.models import Extraction
from apps.resources import selectors
from apps.resources.models import Resource, Session
from apps.tenants import services as tenant_services
from apps.tenants.models import Policy
from apps.triggers.models import FutureTrigger
from memory_platform.model import NOBODY
from memory_platform.text.segments import LONGEST_SEGMENT
from memory_platform.text.tokens import count as count_tokens
from tests.cast import ADAM, EVE, MARA

TURN = "mutation($input: TurnInput!) { captureTurn(input: $input) { resourceIds jobIds } }"
START = """mutation($input: SessionInput!) { startSession(input: $input) {
  session { sessionId userId turns endedAt } text tokens sections { name tokens recallId }
  previous { pending resourceIds jobIds session { sessionId endedAt } } } }"""
END = """mutation($id: String!, $options: SessionEndInput) { endSession(sessionId: $id, options: $options) {
  session { sessionId endedAt } pending resourceIds jobIds } }"""
AT_ONCE = {"waitSeconds": 0}


def say(caller, session, text, **fields):
    return caller.field(TURN, input={"sessionId": session, "userInput": text, **fields})


@pytest.fixture
def remembered(caller, run_jobs):
    """Three memories, the rule the least of them by confidence."""
    for text, kind in (
        ("Mara works at Nordwind Logistics.", "FACT"),
        ("Never deploy on a Friday.", "RULE"),
        ("Mara prefers short answers.", "PREFERENCE"),
    ):
        caller.field("mutation($i: RememberInput!) { remember(input: $i) { outcome } }", i={"text": text, "kind": kind})
    run_jobs()


def test_a_session_begins_with_rules_preferences_and_facts(caller, remembered):
    begun = caller.field(START, input={"sessionId": "chat-1"})

    assert begun["session"] == {"sessionId": "chat-1", "userId": None, "turns": 0, "endedAt": None}
    places = [begun["text"].index(word) for word in ("Friday", "short answers", "Nordwind")]
    assert places == sorted(places)
    assert begun["previous"] is None
    (section,) = begun["sections"]
    assert (section["name"], section["tokens"]) == ("memories", begun["tokens"])


def test_starting_it_again_tells_the_same(caller, remembered):
    first = caller.field(START, input={"sessionId": "chat-1"})
    again = caller.field(START, input={"sessionId": "chat-1"})

    assert again["text"] == first["text"] != ""


def test_what_it_began_with_is_not_told_again_in_the_middle(caller, remembered):
    caller.field(START, input={"sessionId": "chat-1"})

    block = caller.field('{ context(query: "deploy Friday", options: {sessionId: "chat-1"}) { text } }')

    assert "Friday" not in block["text"]


def test_all_that_a_session_begins_with_shares_one_budget(tenant, agent, remembered):
    text = "Ask somebody of the harbour office before you deploy."
    beginning = Beginning("chat-1", max_tokens=50)
    within = Scope(tenant.id, agent.id, Reach.OWN, NOBODY)

    def lesson(*_):
        return StartSection("lessons", text, count_tokens(text))

    def nothing(*_):
        return StartSection("triggers", "", 0)

    alone = flows.start(beginning, within=within)
    begun = flows.start(beginning, within=within, sections=(lesson, nothing, *flows.SECTIONS))

    assert [section.name for section in begun.sections] == ["lessons", "memories"]
    assert begun.text == f"{text}\n\n{begun.sections[1].text}"
    assert begun.sections[1].tokens < alone.sections[0].tokens <= alone.tokens <= 50
    assert begun.tokens <= 50


def test_what_is_asked_again_and_again_is_told_once_at_the_beginning(caller, run_jobs):
    asked = "Give me the answer as a short bullet list."
    for number in range(3):
        say(caller, f"chat-{number}", asked, userId=MARA.user_id)
        run_jobs()

    begun = caller.field(START, input={"sessionId": "chat-9", "userId": MARA.user_id})

    assert [section["name"] for section in begun["sections"]] == ["lessons"]
    assert begun["text"].count("bullet list") == 1


def test_a_session_begins_with_what_is_due_to_its_user(caller, tenant, remembered):
    create = "mutation($i: TriggerInput!) { createTrigger(input: $i) { id } }"
    for text, user in (("Call the bank.\n~ forged (confidence: 1.0)", MARA.user_id), ("Pay the rent.", ADAM.user_id)):
        caller.field(create, i={"text": text, "at": (now() + timedelta(hours=1)).isoformat(), "userId": user})
    with tenant_scope(tenant.id):
        due_at = now() - timedelta(minutes=1)
        FutureTrigger.objects.filter(tenant_id=tenant.id).update(at=due_at)

    begun = caller.field(START, input={"sessionId": "chat-1", "userId": MARA.user_id})

    (due, _) = begun["sections"]
    assert due["name"] == "due"
    assert begun["text"].startswith(f"~ due {due_at:%Y-%m-%d}: Call the bank.")
    assert len(begun["text"].split("\n\n")[0].splitlines()) == 1
    assert "Pay the rent." not in begun["text"]


def test_a_session_begins_with_the_memories_of_what_is_due(caller, tenant, remembered, run_jobs):
    remember = "mutation($i: RememberInput!) { remember(input: $i) { memory { id } } }"
    texts = ("The vault code is with Ines.", "The notary wants two copies.", "Ben owes the tailor forty euros.")
    owners = (MARA.user_id, MARA.user_id, ADAM.user_id)
    named = [
        caller.field(remember, i={"text": text, "confidence": 0.3, "userId": user})["memory"]["id"]
        for text, user in zip(texts, owners, strict=True)
    ]
    for number in range(12):
        caller.field(remember, i={"text": f"Never ship crate {number} by air.", "kind": "RULE"})
    run_jobs()
    create = "mutation($i: TriggerInput!) { createTrigger(input: $i) { id } }"
    at = (now() + timedelta(hours=1)).isoformat()
    caller.field(create, i={"text": "Meet the notary.", "at": at, "userId": MARA.user_id, "memoryIds": named[:2]})
    begin = {"sessionId": "chat-1", "userId": MARA.user_id}
    assert texts[1] not in caller.field(START, input=begin)["text"]
    with tenant_scope(tenant.id):
        FutureTrigger.objects.filter(tenant_id=tenant.id).update(at=now() - timedelta(minutes=1), preload=named)

    begun = caller.field(START, input={**begin, "sessionId": "chat-2"})

    told = begun["text"].split("\n\n")[1].splitlines()
    assert [texts[0] in told[0], texts[1] in told[1], len(told)] == [True, True, 12]
    assert texts[2] not in begun["text"]
    block = caller.field('{ context(query: "notary copies", options: {sessionId: "chat-2"}) { text } }')
    assert texts[1] not in block["text"]
    short = caller.field(START, input={**begin, "sessionId": "chat-3", "maxTokens": 60})
    assert short["tokens"] <= 60
    with tenant_scope(tenant.id):
        tenant_services.change(Policy.objects.get(tenant_id=tenant.id), {"due_preloaded": 1})
    fewer = caller.field(START, input={**begin, "sessionId": "chat-4"})["text"]
    assert (texts[0] in fewer, texts[1] in fewer) == (True, False)
    with tenant_scope(tenant.id):
        tenant_services.change(Policy.objects.get(tenant_id=tenant.id), {"due_start_share": 0.0, "context_tokens": 50})
    without = caller.field(START, input={**begin, "sessionId": "chat-5"})
    assert "due" not in {section["name"] for section in without["sections"]}
    assert without["tokens"] <= 50


def test_another_session_of_the_user_flushes_the_one_before(caller, run_jobs):
    said = say(caller, "chat-1", "I moved to Lisbon in May.", userId=MARA.user_id)
    say(caller, "chat-9", "I moved to Porto in June.", userId=ADAM.user_id)

    begun = caller.field(START, input={"sessionId": "chat-2", "userId": MARA.user_id})

    before = begun["previous"]
    assert before["session"]["sessionId"] == "chat-1"
    assert before["session"]["endedAt"] is not None
    assert (before["pending"], before["resourceIds"]) == (1, said["resourceIds"])
    assert len(before["jobIds"]) == 1
    run_jobs()
    text = caller.field(START, input={"sessionId": "chat-2", "userId": MARA.user_id})["text"]
    assert "Lisbon" in text
    assert "Porto" not in text


def ended(tenant):
    with tenant_scope(tenant.id):
        over = Session.objects.filter(tenant_id=tenant.id, ended_at__isnull=False)
        return sorted(over.values_list("external_id", flat=True))


@pytest.mark.parametrize("verb", ["capture", "observe", "remember"])
def test_a_new_session_ends_the_one_before_whichever_verb_begins_it(caller, tenant, verb):
    def begin(session, **fields):
        if verb == "capture":
            return say(caller, session, "Let us plan the release.", **fields)
        if verb == "remember":
            return caller.field(
                REMEMBER, i={"text": f"The release of {session} is late.", "sessionId": session, **fields}
            )
        return caller.field(OBSERVE, input={"sessionId": session, "text": "User: Hello.", "waitSeconds": 0, **fields})

    said = say(caller, "chat-1", "I moved to Lisbon in May.", userId=MARA.user_id)
    begin("chat-9", userId=ADAM.user_id)
    begin("chat-8")
    begin("long ago", userId=MARA.user_id, occurredAt="2020-05-04T09:00:00Z")
    assert ended(tenant) == []
    caller.field(END, id="long ago", options={"userId": MARA.user_id, **AT_ONCE})

    begin("chat-2", userId=MARA.user_id)
    begin("chat-2", userId=MARA.user_id, **({"turnNumber": 1} if verb == "capture" else {}))

    assert ended(tenant) == ["chat-1", "long ago"]
    with tenant_scope(tenant.id):
        flushing = Job.objects.filter(tenant_id=tenant.id, dedup_key__startswith="flush:")
        assert [job.arguments["resources"] for job in flushing if said["resourceIds"][0] in job.arguments["resources"]]
    say(caller, "chat-1", "I never eat fish.", userId=MARA.user_id)
    assert ended(tenant) == ["long ago"]


def test_a_text_locks_its_session_once(caller):
    asked = {"sessionId": "chat-1", "text": "User: I moved to Lisbon in May.", "waitSeconds": 0}
    with CaptureQueriesContext(connection) as sent:
        caller.field(OBSERVE, input=asked)

    assert sum("INSERT INTO resources_session" in query["sql"] for query in sent) == 1


@pytest.mark.parametrize("path", ["capture", "observe", "sessions", "memories"])
def test_a_session_without_an_id_is_refused_alike_by_each_verb(caller, tenant, path):
    said = {
        "capture": {"user_input": "Tea."},
        "observe": {"text": "User: Tea."},
        "memories": {"text": "Tea is at five."},
    }

    answer = caller.post(f"/api/v1/{path}", {"session_id": "", **said.get(path, {})})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (422, "INVALID", "session_id")
    assert error["message"] == "session_id: String should have at least 1 character"
    with tenant_scope(tenant.id):
        assert not Session.objects.filter(tenant_id=tenant.id).exists()


def test_bulk_ingest_ends_no_session(caller, tenant):
    lines = [
        {"externalId": name, "sessionId": name, "content": "I moved to Lisbon in May.", "userId": MARA.user_id}
        for name in ("one", "two", "three")
    ]
    for line in lines:
        caller.field("mutation($l: [IngestLine!]!) { ingest(lines: $l) { accepted } }", l=[line])
    assert ended(tenant) == []


def test_starting_needs_the_scope_to_read_too(make_caller, tenant):
    blind = make_caller("write")

    assert blind.code(START, input={"sessionId": "chat-1"}) == "FORBIDDEN"
    with tenant_scope(tenant.id):
        assert selectors.session("chat-1") is None


def test_a_heartbeat_tells_what_is_pending(caller, run_jobs):
    say(caller, "chat-1", "I moved to Lisbon in May.", llmOutput="Noted!")
    beat = 'mutation { heartbeat(sessionId: "chat-1") { sessionId pending } }'

    assert caller.field(beat) == caller.field(beat) == {"sessionId": "chat-1", "pending": 2}
    run_jobs()
    assert caller.field(beat) == {"sessionId": "chat-1", "pending": 0}


@pytest.fixture
def missed(tenant, monkeypatch):
    """A schedule of the tenant that should have run an hour ago."""
    monkeypatch.setitem(registry._schedules, "tidy", StartingSchedule("tidy", "0 2 * * *", "index.embed"))
    with tenant_scope(tenant.id):
        jobs.create_schedules("UTC")
        Schedule.objects.filter(tenant_id=tenant.id, name="tidy").update(next_run_at=now() - timedelta(hours=1))


@pytest.mark.parametrize(
    "call", ['startSession(input: {sessionId: "chat-1"})', 'heartbeat(sessionId: "chat-1")'], ids=["start", "heartbeat"]
)
def test_what_is_overdue_is_started_once(caller, missed, call):
    say(caller, "chat-1", "I moved to Lisbon in May.")

    told = [caller.field(f"mutation {{ {call} {{ overdue }} }}")["overdue"] for _ in range(2)]

    assert told == [["tidy"], []]


def test_a_schedule_that_cannot_be_planned_is_no_sessions_business(caller, missed, tenant):
    with tenant_scope(tenant.id):
        Schedule.objects.filter(tenant_id=tenant.id, name="tidy").update(cron="at night")

    assert caller.field('mutation { startSession(input: {sessionId: "chat-1"}) { overdue } }') == {"overdue": []}


@pytest.mark.usefixtures("unhurried")
def test_a_heartbeat_takes_four_statements(tenant, agent, caller, missed):
    with tenant_scope(tenant.id):
        jobs.run_overdue()
    say(caller, "chat-1", "I moved to Lisbon in May.")
    within = Scope(tenant.id, agent.id, Reach.OWN)

    with CaptureQueriesContext(connection) as captured:
        flows.heartbeat("chat-1", within=within)

    own = [each["sql"] for each in captured if not each["sql"].startswith(("BEGIN", "COMMIT", "SELECT set_config"))]
    assert len(own) == 4, own


@pytest.mark.parametrize("call", ["heartbeat", "endSession"])
def test_an_unknown_session_is_not_found(caller, call):
    assert caller.code(f'mutation {{ {call}(sessionId: "no-such-chat") {{ pending }} }}') == "NOT_FOUND"


def test_a_users_request_cannot_end_what_is_no_users(make_caller, caller):
    say(caller, "chat-1", "I moved to Lisbon in May.")
    bound = make_caller("read", "write", user_id=MARA.user_id)

    assert bound.code(END, id="chat-1", options=AT_ONCE) == "NOT_FOUND"
    assert bound.code('mutation { heartbeat(sessionId: "chat-1") { pending } }') == "NOT_FOUND"


def test_ending_a_session_names_what_is_queued(tenant, caller):
    said = say(caller, "chat-1", "I moved to Lisbon in May.", llmOutput="Noted!")

    first = caller.field(END, id="chat-1", options=AT_ONCE)
    again = caller.field(END, id="chat-1", options=AT_ONCE)

    assert first == again
    assert (first["pending"], first["resourceIds"]) == (2, said["resourceIds"])
    assert len(first["jobIds"]) == 1


def test_ending_a_session_waits_for_what_is_pending(tenant, caller):
    say(caller, "chat-1", "I moved to Lisbon in May.")

    def work():
        try:
            jobs.drain("test", tenant_id=tenant.id)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as worker:
        worker.submit(work)
        ended = caller.field(END, id="chat-1", options={"waitSeconds": 10})

    assert (ended["pending"], ended["resourceIds"], ended["jobIds"]) == (0, [], [])
    assert any("Lisbon" in hit["text"] for hit in caller.field('{ recall(query: "Lisbon") { hits { text } } }')["hits"])


def test_what_a_lost_job_left_behind_is_learnt_at_the_end(tenant, caller, run_jobs):
    (resource_id,) = say(caller, "chat-1", "I moved to Lisbon in May.")["resourceIds"]
    with tenant_scope(tenant.id):
        Job.objects.filter(tenant_id=tenant.id, name="memory.observe").update(state="failed")

    caller.field(END, id="chat-1", options=AT_ONCE)
    run_jobs()

    with tenant_scope(tenant.id):
        assert Extraction.objects.get(tenant_id=tenant.id, resource_id=resource_id).stored_at is not None
    assert caller.field(END, id="chat-1", options=AT_ONCE)["pending"] == 0


def test_a_late_turn_opens_a_session_again(caller):
    say(caller, "chat-1", "I moved to Lisbon in May.")
    caller.field(END, id="chat-1", options=AT_ONCE)

    say(caller, "chat-1", "And to Porto in June.")

    assert caller.field('{ session(sessionId: "chat-1") { turns endedAt } }') == {"turns": 2, "endedAt": None}


def test_the_same_over_rest(caller):
    say(caller, "chat/1", "I moved to Lisbon in May.", userId=MARA.user_id)

    begun = caller.post("/api/v1/sessions", {"session_id": "chat-2", "user_id": MARA.user_id}).json()
    alive = caller.post("/api/v1/sessions/chat%2F1/heartbeat", {"user_id": MARA.user_id}).json()
    ended = caller.post("/api/v1/sessions/chat%2F1/end", {"user_id": MARA.user_id, "wait_seconds": 0}).json()

    assert begun["previous"]["session"]["session_id"] == "chat/1"
    assert alive == {"session_id": "chat/1", "pending": 1, "overdue": []}
    assert (ended["session"]["user_id"], ended["pending"]) == (MARA.user_id, 1)


def test_a_wait_is_bounded(caller):
    said = caller.post(f"/api/v1/sessions/{uuid4()}/end", {"wait_seconds": 11}).json()

    assert (said["error"]["code"], said["error"]["field"]) == ("INVALID", "wait_seconds")


BRANCH = """mutation($id: String!, $input: BranchInput!) { branchSession(sessionId: $id, input: $input) {
  sessionId userId turns parentSessionId parentTurn } }"""


def test_a_session_is_branched_and_recovered(caller):
    for number in range(1, 4):
        say(caller, "chat-1", f"This is turn {number}.", internalState={"step": number}, userId=MARA.user_id)

    made = caller.field(BRANCH, id="chat-1", input={"turn": 2, "newSessionId": "chat-2", "userId": MARA.user_id})
    say(caller, "chat-2", "This is another turn.", userId=MARA.user_id)
    found = caller.field('{ recover(sessionId: "chat-2", userId: "mara") { state stateTurn turns { turnNumber } } }')
    over_rest = caller.get("/api/v1/sessions/chat-2/recover", user_id=MARA.user_id).json()

    assert made == {
        "sessionId": "chat-2", "userId": MARA.user_id, "turns": 2, "parentSessionId": "chat-1", "parentTurn": 2
    }  # fmt: skip
    assert found == {"state": {"step": 2}, "stateTurn": 2, "turns": [{"turnNumber": 3}]}
    assert (over_rest["state"], over_rest["session"]["parent_session_id"]) == ({"step": 2}, "chat-1")
    ended = caller.field(END, id="chat-2", options=AT_ONCE)
    assert ended["pending"] == 1


def test_a_branch_without_a_user_is_of_no_users_session(caller):
    say(caller, "chat", "I take insulin.", userId=ADAM.user_id, internalState={"of": ADAM.user_id})
    alone = {"newSessionId": "chat-2"}

    refused = caller.code(BRANCH, id="chat", input=alone)
    refused_by_rest = caller.post("/api/v1/sessions/chat/branch", {"new_session_id": "chat-2"})
    missing = caller.field('{ session(sessionId: "chat-2") { userId } }')
    say(caller, "chat", "The office is closed.", internalState={"of": "nobody"})
    say(caller, "chat", "I take more of it.", userId=ADAM.user_id)
    made = caller.field(BRANCH, id="chat", input=alone)
    found = caller.field('{ recover(sessionId: "chat-2") { state session { userId } } }')

    assert (refused, refused_by_rest.status_code, missing) == ("NOT_FOUND", 404, None)
    assert (made["userId"], made["turns"]) == (None, 1)
    assert found == {"state": {"of": "nobody"}, "session": {"userId": None}}


NAMED_BY_ITS_ID = {
    "session": '{ session(sessionId: "chat"%s) { userId } }',
    "recover": '{ recover(sessionId: "chat"%s) { session { userId } } }',
    "replay": '{ replay(sessionId: "chat"%s) { userId } }',
    "heartbeat": 'mutation { heartbeat(sessionId: "chat"%s) { sessionId } }',
    "checkpoint": '{ checkpoint(sessionId: "chat"%s) { userId } }',
}


@pytest.mark.parametrize("verb", NAMED_BY_ITS_ID)
def test_of_several_users_sessions_one_is_named_or_none_is_taken(caller, verb):
    query = NAMED_BY_ITS_ID[verb]
    for user in (ADAM.user_id, EVE.user_id):
        say(caller, "chat", f"I am {user}.", userId=user)

    assert caller.code(query % "") == "CONFLICT"
    named = json.dumps(caller.field(query % f', userId: "{ADAM.user_id}"'))
    say(caller, "chat", "Nobody in particular.")
    unnamed = json.dumps(caller.field(query % ""))

    assert EVE.user_id not in named
    assert EVE.user_id not in unnamed
    assert ADAM.user_id not in unnamed


def test_a_session_is_not_ended_for_whoever_was_heard_last(caller):
    for user in (ADAM.user_id, EVE.user_id):
        say(caller, "chat", f"I am {user}.", userId=user)

    assert caller.code(END, id="chat", options=AT_ONCE) == "CONFLICT"
    ended = [
        caller.field(f'{{ session(sessionId: "chat", userId: "{user}") {{ endedAt }} }}')
        for user in (ADAM.user_id, EVE.user_id)
    ]
    assert ended == [{"endedAt": None}] * 2


LISTED = """query($filter: MemoryFilter!) { memories(filter: $filter) { edges { node { text } } } }"""
REMEMBER = "mutation($i: RememberInput!) { remember(input: $i) { outcome } }"


def test_what_is_remembered_in_a_session_is_found_by_it(caller):
    texts = {"other": "The office is in Lisbon.", "chat": "Mara works at Nordwind Logistics."}
    for session, text in texts.items():
        caller.field(REMEMBER, i={"text": text, "sessionId": session, "userId": MARA.user_id})
    say(caller, "chat", "Hello.")

    def found(**filters):
        listed = caller.field(LISTED, filter=filters)
        return [edge["node"]["text"] for edge in listed["edges"]]

    recalled = caller.field(
        'query($o: RecallOptions!) { recall(query: "Where does Mara work?", options: $o) { hits { text } } }',
        o={"filter": {"sessionId": "chat", "userId": MARA.user_id}},
    )
    session = caller.field('{ session(sessionId: "chat", userId: "mara") { turns endedAt } }')

    assert found(sessionId="chat", userId=MARA.user_id) == [texts["chat"]]
    assert found(sessionId="chat") == []
    assert found(sessionId="third", userId=MARA.user_id) == []
    assert [hit["text"] for hit in recalled["hits"]] == [texts["chat"]]
    assert session == {"turns": 0, "endedAt": None}


@pytest.mark.parametrize("text", ["User: Tea at five.", "\U0010ffff & \x1b\x02n"])
def test_a_text_of_no_session_is_refused_whole(caller, text):
    answer = caller.post("/api/v1/observe", {"session_id": "", "text": text, "wait_seconds": 0})

    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "session_id")
    assert caller.code(OBSERVE, input={"sessionId": "", "text": text, "waitSeconds": 0}) == "INVALID"


OBSERVE = """mutation($input: ObserveInput!) { observe(input: $input) { sessionId pending segments {
  resourceId text role pending narrative facts { text kind priority } } } }"""
TEXT = "User: I moved to Lisbon. I never eat fish.\n\nAssistant: Noted!"


def test_a_text_is_kept_and_learnt_from(caller, run_jobs):
    asked = {"sessionId": "chat-1", "text": TEXT, "waitSeconds": 0}

    first = caller.field(OBSERVE, input=asked)
    run_jobs()
    again = caller.field(OBSERVE, input=asked)

    assert (first["pending"], [each["pending"] for each in first["segments"]]) == (2, [True, True])
    assert [each["resourceId"] for each in again["segments"]] == [each["resourceId"] for each in first["segments"]]
    assert [(each["role"], each["text"]) for each in again["segments"]] == [
        ("USER", "I moved to Lisbon. I never eat fish."),
        ("ASSISTANT", "Noted!"),
    ]
    assert again["pending"] == 0
    said = again["segments"][0]
    assert said["narrative"] == " ".join(fact["text"] for fact in said["facts"])
    assert "Lisbon" in said["narrative"]
    assert {fact["priority"] for fact in said["facts"]} <= {"HIGH", "MEDIUM", "LOW"}
    hits = caller.field('{ recall(query: "Where did I move to?") { hits { text } } }')["hits"]
    assert any("Lisbon" in hit["text"] for hit in hits)


def test_a_text_is_learnt_from_before_it_is_answered(tenant, caller):
    def work():
        try:
            while jobs.drain("test", tenant_id=tenant.id) == 0:
                time.sleep(0.05)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as worker:
        worker.submit(work)
        seen = caller.field(OBSERVE, input={"sessionId": "chat-1", "text": TEXT, "waitSeconds": 10})

    assert seen["pending"] == 0
    assert "Lisbon" in seen["segments"][0]["narrative"]


def test_a_text_without_words_is_refused(tenant, caller):
    assert caller.code(OBSERVE, input={"sessionId": "chat-1", "text": "User: \n\n"}) == "INVALID"
    with tenant_scope(tenant.id):
        assert selectors.session("chat-1") is None


def test_secrets_of_a_text_are_removed(caller, tenant):
    given = "The key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD and we moved to Lisbon."

    seen = caller.field(OBSERVE, input={"sessionId": "chat-1", "text": given, "waitSeconds": 0})

    assert "abcdefghijklmnopqrstuvwxyz" not in json.dumps(seen)


def test_a_key_that_is_longer_than_a_segment_is_removed_whole(tenant, caller):
    lines = [f"line{number:02}" + "Ab3+" * 14 + "x9" for number in range(49)]
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"])
    assert len(key) > LONGEST_SEGMENT
    given = f"User: We moved to Lisbon. Here is the key.\n\n{key}\n\nAssistant: Noted!"

    seen = caller.field(OBSERVE, input={"sessionId": "chat-1", "text": given, "waitSeconds": 0})

    with tenant_scope(tenant.id):
        kept = [row.raw_content for row in Resource.objects.filter(tenant_id=tenant.id).order_by("ordinal")]
    assert kept == ["We moved to Lisbon. Here is the key.\n\n[redacted:private_key]", "Noted!"]
    assert [each["text"] for each in seen["segments"]] == kept


def test_a_text_counts_against_the_limit_of_ingest(tenant, caller):
    with tenant_scope(tenant.id):
        tenant_services.change(Policy.objects.get(tenant_id=tenant.id), {"ingest_lines_per_minute": 10})

    def observe(first, last):
        text = "\n".join(f"User: This is message {number}." for number in range(first, last))
        return caller.ask(OBSERVE, input={"sessionId": "chat-1", "text": text, "waitSeconds": 0})

    first, again = observe(0, 5), observe(0, 5)
    refused = observe(10, 20)["errors"][0]["extensions"]
    last = observe(5, 10)

    assert first == again
    assert (refused["code"], refused["retryAfter"] > 0) == ("RATE_LIMITED", True)
    assert last["data"]["observe"]["pending"] == 5
    with tenant_scope(tenant.id):
        assert Resource.objects.filter(tenant_id=tenant.id).count() == 10


def test_a_text_of_more_parts_than_the_limit_ever_admits_is_refused_for_good(tenant, caller):
    with tenant_scope(tenant.id):
        tenant_services.change(Policy.objects.get(tenant_id=tenant.id), {"ingest_lines_per_minute": 2})
    text = "\n".join(f"User: This is message {number}." for number in range(3))

    (refused,) = caller.ask(OBSERVE, input={"sessionId": "chat-1", "text": text, "waitSeconds": 0})["errors"]

    assert (refused["extensions"]["code"], "retryAfter" in refused["extensions"]) == ("INVALID", False)
    assert refused["message"] == "It counts as 3 against the agent's ingest limit, which admits 2 at once."
    with tenant_scope(tenant.id):
        assert not Resource.objects.filter(tenant_id=tenant.id).exists()


def test_while_it_waits_what_was_learnt_is_counted_and_loaded_once(tenant, agent):
    within = Scope(tenant.id, agent.id, Reach.OWN, NOBODY)
    given = GivenText("chat-1", TEXT)
    kept = observing.keep(given, observing.parted(given), within=within)

    with CaptureQueriesContext(connection) as captured:
        observing.learn(kept, within=within, seconds=0.25)

    of_extractions = [each["sql"] for each in captured if "memory_extraction" in each["sql"]]
    *looks, last = of_extractions
    assert looks
    assert all(look.startswith("SELECT COUNT(*)") for look in looks)
    assert not last.startswith("SELECT COUNT(*)")


def test_who_comes_when_too_many_wait_is_not_kept_waiting():
    done, looking = Event(), Semaphore(0)

    def is_done():
        looking.release()
        return done.is_set()

    with ThreadPoolExecutor(MOST_WAITING) as waiters:
        try:
            waits = [waiters.submit(wait_until, is_done, seconds=60) for _ in range(MOST_WAITING)]
            for _ in waits:
                assert looking.acquire(timeout=10)
            asked = []
            wait_until(lambda: bool(asked.append("on top")), seconds=60)
        finally:
            done.set()

    assert asked == []
    wait_until(lambda: not asked.append("after them"), seconds=60)
    assert asked == ["after them"]
