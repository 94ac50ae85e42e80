"""MCP as a caller speaks it over HTTP: what is offered, what is answered, how it is refused."""

import json
import re

import jsonschema
import pytest

from apps.api.mcp.tools import TOOLS
from apps.api.verbs import TOOLS as TOOL_VERBS
from apps.api.verbs import VERBS
from apps.core.scope import tenant_scope
from apps.tenants.models import Policy
from tests.cast import MARA
from tests.conftest import PROJECT_ROOT

GUIDE = PROJECT_ROOT / "docs/guides/mcp.md"
HEADERS = {"Accept": "application/json, text/event-stream"}
READING = {"search_memory", "context", "explain_fact", "weak_facts", "get_entity_info", "memory_stats"}
READING |= {"recover_session", "list_triggers"}
FACTS = {"remember_fact", "correct_fact", "confirm_fact", "give_feedback", "withdraw_feedback", "forget"}
SESSIONS = {"start_session", "capture_turn", "heartbeat", "end_session", "branch_session", "observe_text"}
TRIGGERS = {"create_trigger", "complete_trigger"}
WRITING = FACTS | SESSIONS | TRIGGERS


@pytest.fixture
def send(caller):
    def send(method, params=None, by=caller):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return by.post("/mcp", message, **HEADERS)

    return send


@pytest.fixture
def call(send, caller):
    """Call a tool: the whole result."""

    def call(name, /, by=caller, **arguments):
        answer = send("tools/call", {"name": name, "arguments": arguments}, by).json()
        assert "error" not in answer, answer
        return answer["result"]

    return call


@pytest.fixture
def answer(call):
    """Call a tool that must succeed: its structured answer, of the shape it promises."""

    def answer(name, /, **arguments):
        result = call(name, **arguments)
        assert result["isError"] is False, result
        jsonschema.validate(result["structuredContent"], TOOLS[name].description.output_schema)
        return result["structuredContent"]

    return answer


def error_of(result):
    assert (result["isError"], result.get("structuredContent")) == (True, None)
    return json.loads(result["content"][0]["text"])["error"]


def test_each_tool_speaks_for_a_verb():
    assert {name: tool.verb for name, tool in TOOLS.items()} == TOOL_VERBS
    assert set(TOOLS) == READING | WRITING
    told = re.findall(r"^\| `(\w+)` \| (\w+) \|", GUIDE.read_text(), re.MULTILINE)
    assert dict(told) == {name: verb.name for name, verb in TOOL_VERBS.items()}


@pytest.mark.parametrize("name", sorted(READING | WRITING))
def test_a_tool_is_told_in_its_verbs_words(send, name):
    verb = TOOL_VERBS[name]
    (told,) = [each for each in send("tools/list").json()["result"]["tools"] if each["name"] == name]

    assert VERBS[verb.name] is verb
    assert told["description"] == verb.summary
    assert told["annotations"] == {
        "readOnlyHint": name in READING,
        "destructiveHint": name in {"forget", "correct_fact"},
        "idempotentHint": name
        in READING | {"confirm_fact", "give_feedback", "withdraw_feedback", "forget"} | SESSIONS - {"capture_turn"},
        "openWorldHint": False,
    }
    assert (told["inputSchema"]["type"], told["outputSchema"]["type"]) == ("object", "object")
    assert told["inputSchema"]["additionalProperties"] is False


@pytest.mark.parametrize(
    ("scopes", "offered"),
    [(("read",), READING), (("write",), WRITING), (("read", "write"), READING | WRITING), (("share",), set())],
)
def test_only_tools_that_the_key_has_the_scope_for_are_listed(send, make_caller, scopes, offered):
    listed = send("tools/list", by=make_caller(*scopes)).json()["result"]["tools"]

    assert {each["name"] for each in listed} == offered


def test_what_a_session_begins_with_is_told_as_a_text(call, answer):
    answer("remember_fact", text="The office of Nordwind Logistics is in Porto.")

    begun = call("start_session", session_id="chat-1")

    assert "Porto" in begun["structuredContent"]["text"]
    assert begun["content"][0]["text"] == begun["structuredContent"]["text"]


def test_the_session_start_context_is_offered_to_who_may_read(send, make_caller):
    read = send("resources/list", by=make_caller("read")).json()["result"]["resources"]
    written = send("resources/list", by=make_caller("write")).json()["result"]["resources"]

    assert [each["uri"] for each in read] == ["memory://context"]
    assert written == []


def test_a_fact_is_remembered_found_corrected_confirmed_and_explained(answer):
    stored = answer("remember_fact", text="The office of Nordwind Logistics is in Porto.")
    memory_id = stored["memory"]["id"]
    hits = answer("search_memory", query="Where is the office of Nordwind Logistics?")["hits"]
    corrected = answer("correct_fact", id=memory_id, text="The office of Nordwind Logistics is in Faro.")
    confirmed = answer("confirm_fact", id=corrected["memory"]["id"])
    explained = answer("explain_fact", id=corrected["memory"]["id"])

    assert stored["outcome"] == "stored"
    assert [hit["item_id"] for hit in hits] == [memory_id]
    assert corrected["outcome"] == "superseded"
    assert confirmed["protected"] is True
    assert [link["id"] for link in explained["supersedes"]] == [memory_id]
    assert answer("memory_stats")["items"] == 2


def test_a_captured_turn_is_counted_and_its_people_are_known(answer, run_jobs):
    said = "Mara Lindqvist works for Nordwind Logistics in Lund."
    captured = answer("capture_turn", session_id="chat", user_input=said)
    run_jobs()

    assert (captured["turn_number"], captured["duplicate"]) == (1, False)
    assert answer("memory_stats")["episodes"] == 1
    assert answer("get_entity_info", name="Mara Lindqvist")["name"] == "Mara Lindqvist"


def test_forgetting_is_a_dry_run_unless_it_is_asked_for(answer):
    memory_id = answer("remember_fact", text="The spare key hangs behind the door.")["memory"]["id"]

    looked = answer("forget", ids=[memory_id])
    kept = answer("memory_stats")["by_status"]
    done = answer("forget", ids=[memory_id], dry_run=False)

    assert (looked["dry_run"], looked["batch_id"], [each["id"] for each in looked["items"]]) == (
        True,
        None,
        [memory_id],
    )
    assert kept == [{"name": "active", "count": 1}]
    assert done["dry_run"] is False
    assert answer("memory_stats")["by_status"] == [{"name": "deleted", "count": 1}]


def test_weak_facts_come_page_by_page(answer):
    for text in ("The bakery opens at seven.", "Mara has a red bicycle.", "Harbor is deployed on Thursdays."):
        answer("remember_fact", text=text, confidence=0.1)

    first = answer("weak_facts", first=2)
    second = answer("weak_facts", first=2, after=first["next"])

    assert (len(first["items"]), len(second["items"]), second["next"]) == (2, 1, None)


def test_a_context_is_told_as_its_block_of_text(call, answer, send):
    answer("remember_fact", text="Never call the customer before nine.", kind="rule")

    told = call("context")
    read = send("resources/read", {"uri": "memory://context"}).json()["result"]["contents"]

    assert "Never call the customer before nine." in told["content"][0]["text"]
    assert told["content"][0]["text"] == told["structuredContent"]["text"]
    assert [(each["uri"], each["mimeType"]) for each in read] == [("memory://context", "text/plain")]
    assert "Never call the customer before nine." in read[0]["text"]


def test_a_request_for_one_user_never_leaves_it(caller, answer, send):
    answer("remember_fact", text="Mara is allergic to penicillin.", user_id=MARA.user_id)

    def context_of(user):
        message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "memory://context"}}
        read = caller.post("/mcp", message, **HEADERS, **{"Memory-User": user})
        return read.json()["result"]["contents"][0]["text"]

    assert "penicillin" in context_of("mara")
    assert "penicillin" not in context_of("olaf")


@pytest.mark.parametrize(
    ("name", "arguments", "code", "field"),
    [
        ("search_memory", {}, "INVALID", "query"),
        ("search_memory", {"query": "x", "depth": 3}, "INVALID", "depth"),
        ("search_memory", {"query": "x" * 8_001}, "INVALID", "query"),
        ("confirm_fact", {"id": "no id"}, "INVALID", "id"),
        ("confirm_fact", {"id": "0193c2f5-7a77-7c1b-9b5e-3f2f6f0a1b2c"}, "NOT_FOUND", "id"),
        ("explain_fact", {"id": "0193c2f5-7a77-7c1b-9b5e-3f2f6f0a1b2c"}, "NOT_FOUND", None),
        ("get_entity_info", {"name": "Nobody At All"}, "NOT_FOUND", None),
        ("weak_facts", {"first": 1_000}, "INVALID", "first"),
        ("forget", {}, "INVALID", "input"),
        ("memory_stats", {"user_id": MARA.user_id, "all_users": True}, "INVALID", "all_users"),
    ],
)
def test_what_cannot_be_done_is_a_tool_error_in_our_words(call, name, arguments, code, field):
    error = error_of(call(name, **arguments))

    assert (error["code"], error.get("field")) == (code, field)
    assert error["message"]


def test_a_tool_beyond_the_keys_scopes_is_refused(call, make_caller):
    error = error_of(call("remember_fact", by=make_caller("read"), text="The bakery opens at seven."))

    assert error == {
        "code": "FORBIDDEN",
        "message": "This key lacks the scope write.",
        "hint": "Use a key with the scope write.",
    }


def test_a_context_beyond_the_keys_scopes_is_refused(send, make_caller):
    error = send("resources/read", {"uri": "memory://context"}, by=make_caller("write")).json()["error"]

    assert (error["message"], error["data"]["code"]) == ("This key lacks the scope read.", "FORBIDDEN")


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("tools/call", {"name": "no_such_tool", "arguments": {}}, "There is no such tool."),
        ("resources/read", {"uri": "memory://secrets"}, "There is no such resource."),
    ],
)
def test_what_is_not_offered_is_an_error_of_the_protocol(send, method, params, message):
    assert send(method, params).json()["error"] == {"code": -32602, "message": message}


def test_an_agent_past_its_limit_is_told_when_to_come_back(call, tenant):
    with tenant_scope(tenant.id):
        Policy.objects.update(writes_per_minute=1)

    call("remember_fact", text="The bakery opens at seven.")
    error = error_of(call("remember_fact", text="The bakery closes at six."))

    assert error["code"] == "RATE_LIMITED"
    assert error["retryAfter"] > 0


def test_without_a_key_the_answer_says_how_to_send_one(send, nobody):
    refused = send("tools/list", by=nobody)

    assert (refused.status_code, refused["WWW-Authenticate"]) == (401, "Bearer")
    assert refused.json() == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": -32600,
            "message": "An API key is missing.",
            "data": {"code": "UNAUTHENTICATED", "hint": "Send the header Authorization: Bearer mp_…."},
        },
    }


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"\xff\xfe", 400),
        (b"[]", 400),
        (b'{"jsonrpc": "2.0"}', 400),
        (b"[" * 100_000, 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800"}}', 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', 400),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', 202),
    ],
)
@pytest.mark.parametrize("version", [None, "2025-06-18", "2026-07-28", "no version"])
def test_no_body_breaks_the_server(caller, body, status, version):
    chosen = {} if version is None else {"Mcp-Protocol-Version": version}

    answered = caller.post("/mcp", body, **HEADERS, **chosen).status_code

    assert answered < 500
    if version is None:
        assert answered == status


@pytest.mark.parametrize("method", ["get", "delete", "put"])
def test_there_is_no_session_to_open_or_end(client, method):
    assert getattr(client, method)("/mcp").status_code == 405
