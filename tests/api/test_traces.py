"""Sessions as people look at them: which there were, and how one went, turn by turn."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core.scope import tenant_scope
from apps.resources.models import Resource
from tests.cast import MARA

TURN = "mutation($input: TurnInput!) { captureTurn(input: $input) { turnNumber resourceIds } }"
SESSIONS = """query($filter: SessionsOf, $first: Int, $after: String) {
  sessions(filter: $filter, first: $first, after: $after) {
    edges { node { id sessionId agentId userId turns } } pageInfo { endCursor hasNextPage } } }"""
TRACE = """query($id: ID!, $first: Int, $after: String) { sessionTrace(id: $id, first: $first, after: $after) {
  session { sessionId } next
  turns { number toolCalls internalState
    recalls { query isReported hits { text used } }
    messages { role text pending facts { text } learnt { itemId text quote status } turnedDown { text reason } } }
  later { query } } }"""
NUMBERS = "query($id: ID!, $first: Int) { sessionTrace(id: $id, first: $first) { next } }"
LIVES, ASKS, ANSWERS = "Mara lives in Lund.", "Where does Mara live?", "Mara lives in Lund, in Skåne."


def say(caller, session, text, **fields):
    return caller.field(TURN, input={"sessionId": session, "userInput": text, **fields})


def listed(caller, **given):
    return [edge["node"] for edge in caller.field(SESSIONS, **given)["edges"]]


def trace(caller, session, **given):
    (row_id,) = [one["id"] for one in listed(caller, filter={"allUsers": True}) if one["sessionId"] == session]
    return caller.field(TRACE, id=row_id, **given)


def test_sessions_are_listed_those_that_began_last_first(caller, stranger):
    for name in ("one", "two", "three"):
        say(caller, name, LIVES)
    say(caller, "hers", LIVES, userId=MARA.user_id)
    say(caller, "one", "Mara has a cello.")

    assert [(one["sessionId"], one["turns"]) for one in listed(caller)] == [("three", 1), ("two", 1), ("one", 2)]
    hers = listed(caller, filter={"userId": MARA.user_id})
    assert [one["sessionId"] for one in hers] == ["hers", "three", "two", "one"]
    assert [one["sessionId"] for one in listed(caller, filter={"since": "2999-01-01T00:00:00Z"})] == []
    assert listed(caller, filter={"agentId": "nobody"}) == []
    assert len(listed(caller, filter={"agentId": "assistant"})) == 3
    first = caller.field(SESSIONS, first=2)
    rest = caller.field(SESSIONS, first=2, after=first["pageInfo"]["endCursor"])
    assert [edge["node"]["sessionId"] for edge in rest["edges"]] == ["one"]
    assert listed(stranger) == []


def test_a_trace_tells_what_became_of_each_turn(caller, run_jobs):
    say(caller, "chat", LIVES, toolCalls=[{"name": "map"}], internalState={"step": 1})
    run_jobs()
    recall = caller.field(
        'query($q: String!) { recall(query: $q, options: {sessionId: "chat"}) { id hits { text } } }', q=ASKS
    )
    say(caller, "chat", ASKS, llmOutput=ANSWERS, recallId=recall["id"])
    caller.field('{ recall(query: "And now?", options: {sessionId: "chat"}) { id } }')
    run_jobs()

    told = trace(caller, "chat")

    first, second = told["turns"]
    (said,) = first["messages"]
    assert (first["number"], first["toolCalls"], first["internalState"]) == (1, [{"name": "map"}], {"step": 1})
    assert (said["role"], said["text"], said["pending"]) == ("USER", LIVES, False)
    assert [(one["text"], one["quote"], one["status"]) for one in said["learnt"]] == [(LIVES, LIVES, "ACTIVE")]
    assert first["recalls"] == []
    asked, answered = second["messages"]
    assert [one["text"] for one in asked["turnedDown"]] == [ASKS]
    assert answered["role"] == "ASSISTANT"
    (made,) = second["recalls"]
    assert (made["query"], made["isReported"]) == (ASKS, True)
    assert made["hits"][0] == {"text": LIVES, "used": True}
    assert [one["query"] for one in told["later"]] == ["And now?"]


def test_messages_that_came_by_themselves_are_steps_of_their_own(caller):
    lines = [{"externalId": str(number), "sessionId": "bulk", "content": f"Line {number}."} for number in range(5)]
    caller.field("mutation($l: [IngestLine!]!) { ingest(lines: $l) { accepted } }", l=lines)

    one = trace(caller, "bulk", first=3)
    rest = trace(caller, "bulk", first=3, after=one["next"])

    texts = [said["text"] for told in (one, rest) for turn in told["turns"] for said in turn["messages"]]
    assert texts == [line["content"] for line in lines]
    assert rest["next"] is None
    assert {turn["number"] for turn in one["turns"]} == {None}


def test_a_branch_is_traced_from_its_parents_first_turn(caller):
    say(caller, "trunk", LIVES)
    caller.field('{ recall(query: "Before?", options: {sessionId: "trunk"}) { id } }')
    say(caller, "trunk", "Mara has a cello.")
    caller.field('mutation { branchSession(sessionId: "trunk", input: {newSessionId: "branch", turn: 2}) { turns } }')
    say(caller, "trunk", "Mara has a boat.")
    say(caller, "branch", "Mara has a bicycle.")
    caller.field('{ recall(query: "After?", options: {sessionId: "trunk"}) { id } }')

    told = trace(caller, "branch")

    assert [said["text"] for turn in told["turns"] for said in turn["messages"]] == [
        LIVES,
        "Mara has a cello.",
        "Mara has a bicycle.",
    ]
    assert [one["query"] for turn in told["turns"] for one in turn["recalls"]] == ["Before?"]
    assert told["later"] == []


@pytest.mark.parametrize("text", [LIVES])
@pytest.mark.usefixtures("unhurried")
def test_a_trace_takes_as_many_statements_for_many_turns(caller, run_jobs, text, tenant):
    say(caller, "short", text)
    for number in range(12):
        say(caller, "long", f"Mara has {number + 2} cellos.")
        caller.field('query($q: String!) { recall(query: $q, options: {sessionId: "long"}) { id } }', q=ASKS)
    run_jobs()

    def statements(session):
        trace(caller, session)
        with CaptureQueriesContext(connection) as captured:
            trace(caller, session)
        return len(captured)

    assert statements("long") == statements("short")
    with tenant_scope(tenant.id):
        assert Resource.objects.filter(tenant_id=tenant.id).count() == 13


def test_what_is_not_there_is_not_traced(caller, stranger, make_caller):
    say(caller, "chat", LIVES, userId=MARA.user_id)
    (session,) = listed(caller, filter={"allUsers": True})

    for reader, given in ((caller, str(uuid4())), (stranger, session["id"])):
        assert reader.code(TRACE, id=given) == "NOT_FOUND"
    assert caller.code(TRACE, id="nonsense") == "INVALID"
    assert caller.code(TRACE, id=session["id"], after="nonsense") == "INVALID"
    assert caller.code(NUMBERS, id=session["id"], first=101) == "INVALID"
    path = f"/api/v1/session-traces/{session['id']}"
    assert make_caller("read", user_id="eve").get(path).status_code == 404
    assert make_caller("read", user_id=MARA.user_id).get(path).json()["turns"][0]["messages"][0]["text"] == LIVES
