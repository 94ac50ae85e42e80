"""A marked secret goes through every text input of every API; no column of any table, no log line, no metric holds it.

The inputs are read from the schemas themselves: a new field is tried without an entry here.
"""

import io
import json
import logging
import re
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode
from uuid import uuid4

import psycopg
import pytest
import structlog
from django.test import Client
from graphql import (
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    get_named_type,
    is_leaf_type,
)

from apps.api.admission import camel_case
from apps.api.graphql.schema import schema
from apps.api.mcp.tools import TOOLS
from apps.core.scope import tenant_scope
from apps.jobs import services as jobs
from apps.tenants.models import Policy
from tests.cast import MARA
from tests.openapi import document
from tests.policy.conftest import NAME, post, waiting_proposal
from tests.restoring import LOGGED_LINE, RESTORED_LINE

# A vendor's token, numbered by input: what is found says where it came in.
MARK = "Zq7Wx4" * 5


def secret(number):
    return f"ghp_{MARK}{number:06d}"


def sentence(number):
    """A token by its shape, and a password by what is said of it."""
    return (
        f"The deploy token of Nordwind Logistics is {secret(number)}, said {NAME}."
        f" The password of the lift is {MARK}{number:06d}."
    )


WORDINGS = (sentence, secret)
"""A code or an id has no blanks: what takes one of those is tried with a token by itself."""


@dataclass(frozen=True)
class Input:
    """A place for a text: of which operation, behind which keys and list places."""

    operation: str
    path: tuple

    def __str__(self):
        return f"{self.operation} {'.'.join(map(str, self.path))}"


DECIDED = {"decision": "edit", "version": 1, "text": "The bell rings at eleven.", "section": "other"}
BUDGET = {"period": "month", "hard_usd": 1000}
OBSERVED = {"session_id": "s", "text": "User: The bell rings at noon."}
LINE = {"external_id": "$line", "session_id": "s", "content": "Hello there, all of you."}
CATEGORY = {"slug": "$slug", "label": "Bells"}


def in_graphql(held):
    """A body as GraphQL's input."""
    if isinstance(held, list):
        return [in_graphql(each) for each in held]
    if not isinstance(held, dict):
        return held
    named = {name: value.upper() if name in {"kind", "decision", "period"} else value for name, value in held.items()}
    return {camel_case(name): in_graphql(value) for name, value in named.items()}


# What a call needs besides the input that is tried. "$name" stands for one of the victim's ids, or for one that is new
# each time.
VARIABLES = {
    "recallShared": {"query": "Where is the safe combination?"},
    "tryRecall": {"query": "Where is the safe combination?"},
    "tryContext": {"query": "Where is the safe combination?"},
    "simulatePolicy": {"input": {"policy": {"categories": [{"slug": "other"}]}}},
    "sessionTrace": {"id": "$session_row", "userId": MARA.user_id},
    "replay": {"sessionId": "$session"},
    "recover": {"sessionId": "$session"},
    "neighbourhood": {"id": "$entity"},
    "summary": {"category": "other"},
    "summaryVersions": {"category": "other"},
    "previewCategory": {"slug": "other", "input": {"ttlDays": 9}},
    "createCategory": {"input": CATEGORY},
    "updateCategory": {"slug": "other", "input": {"label": "Other"}},
    "startSession": {"input": {"sessionId": "s"}},
    "heartbeat": {"sessionId": "s"},
    "endSession": {"sessionId": "s", "options": {"waitSeconds": 0}},
    "branchSession": {"sessionId": "$session", "input": {"newSessionId": "$branch"}},
    "observe": {"input": {**in_graphql(OBSERVED), "waitSeconds": 0}},
    "ingest": {"lines": [in_graphql(LINE)]},
    "rememberShared": {"input": {"text": "The bakery opens at seven."}},
    "decideProposal": {"id": "$proposal", "input": in_graphql(DECIDED)},
    "restoreCuratedMemory": {"input": {"entries": [in_graphql(RESTORED_LINE)], "log": [in_graphql(LOGGED_LINE)]}},
    "retryJob": {"id": "$job"},
    "runMaintenance": {"input": {"job": "nightly", "dryRun": True}},
    "runSchedule": {"name": "nightly"},
    "changeSchedule": {"name": "nightly", "input": {"enabled": True}},
    "setBudget": {"input": in_graphql(BUDGET)},
    "deleteBudget": {"id": "$budget"},
    "dismissLesson": {"id": "$lesson"},
    "erasure": {"id": "$erasure"},
    "approveErasure": {"id": "$erasure"},
    "rejectErasure": {"id": "$erasure"},
    "recall": {"query": "Where is the safe combination?"},
    "memory": {"id": "$memory"},
    "explainMemory": {"id": "$memory"},
    "session": {"sessionId": "$session"},
    "checkpoint": {"sessionId": "$session"},
    "jobs": {"ids": ["$job"]},
    "entity": {"id": "$entity"},
    "path": {"from": "$entity", "to": "$entity"},
    "captureTurn": {"input": {"sessionId": "s", "userInput": "Hello there."}},
    "remember": {"input": {"text": "The bakery opens at seven."}},
    "correct": {"id": "$fresh", "text": "Mara Lindqvist works for Südwind Logistics in Lund."},
    "confirm": {"id": "$memory"},
    "withdrawConfirmation": {"id": "$memory"},
    "unmerge": {"id": "$memory"},
    "giveFeedback": {"memoryId": "$memory", "kind": "HELPFUL"},
    "withdrawFeedback": {"memoryId": "$memory"},
    "share": {"id": "$memory"},
    "mergeEntities": {"into": "$entity", "from": ["$entity"]},
    "splitEntity": {"id": "$entity", "aliases": ["Mara"]},
    "forget": {"input": {"query": "Where is the safe combination?", "dryRun": True}},
    "restore": {"batchId": "$batch"},
    "reportOutput": {"recallId": "$recall", "output": "nothing"},
    "createTrigger": {"input": {"text": "Call the bank.", "day": "2040-06-12"}},
    "snoozeTrigger": {"id": "$trigger", "until": "2040-06-12T09:00:00Z"},
    "completeTrigger": {"id": "$trigger"},
    "dismissTrigger": {"id": "$trigger"},
    "previewErasure": {"input": {"userId": "nobody"}},
    "requestErasure": {"input": {"fingerprint": "0.0", "userId": "nobody"}},
    "exportAbout": {"input": {"userId": "nobody"}},
    "importLines": {"input": {"lines": []}},
    "verifyReceipt": {"input": {"receipt": {}}},
    "logAction": {"input": {"action": "looked"}},
    "createApiKey": {"input": {"scopes": ["READ"], "agentId": "planted"}},
    "rotateApiKey": {"id": "$key"},
    "revokeApiKey": {"id": "$key"},
}
BODIES = {
    "/sessions": {"session_id": "s"},
    "/sessions/{session_id}/heartbeat": {},
    "/sessions/{session_id}/end": {"wait_seconds": 0},
    "/sessions/{session_id}/branch": {"new_session_id": "$branch"},
    "/observe": {**OBSERVED, "wait_seconds": 0},
    "/proposals/{proposal_id}/decide": DECIDED,
    "/curated-memory/restore": {"entries": [RESTORED_LINE], "log": [LOGGED_LINE]},
    "/policy/simulate": {"policy": {"categories": [{"slug": "other"}]}},
    "/recall/try": VARIABLES["recall"],
    "/maintenance": {"job": "nightly", "dry_run": True},
    "/schedules/{name}": {"enabled": True},
    "/budgets": BUDGET,
    "/categories": CATEGORY,
    "/categories/{slug}": {"label": "Other"},
    "/categories/{slug}/preview": {"ttl_days": 9},
    "/erasures/preview": {"user_id": "nobody"},
    "/erasures/verify": {"receipt": {}},
    "/exports": {"user_id": "nobody"},
    "/capture": {"session_id": "s", "user_input": "Hello there."},
    "/ingest": LINE,
    "/recall": VARIABLES["recall"],
    "/memories": VARIABLES["remember"]["input"],
    "/memories/{memory_id}/correct": {"text": "Nothing of the sort is written there."},
    "/memories/{memory_id}/feedback": {"kind": "helpful"},
    "/shared-memory": VARIABLES["remember"]["input"],
    "/shared-memory/query": VARIABLES["recall"],
    "/entities/{entity_id}/merge": {"from": ["$entity"]},
    "/entities/{entity_id}/split": {"aliases": ["Mara"]},
    "/forget": {"query": "Where is the safe combination?", "dry_run": True},
    "/restore": {"batch_id": "$batch"},
    "/recalls/{recall_id}/output": {"output": "nothing"},
    "/journal": {"action": "looked"},
    "/triggers": {"text": "Call the bank.", "day": "2040-06-12"},
    "/triggers/{trigger_id}/snooze": {"until": "2040-06-12T09:00:00Z"},
    "/erasures": {"fingerprint": "0.0", "user_id": "nobody"},
    "/imports": {"lines": []},
    "/keys": {"scopes": ["read"], "agent_id": "planted"},
}
ARGUMENTS = {
    "search_memory": VARIABLES["recall"],
    "remember_fact": VARIABLES["remember"]["input"],
    "correct_fact": {"id": "$fresh", "text": "Nothing of the sort is written there."},
    "confirm_fact": {"id": "$memory"},
    "give_feedback": {"memory_id": "$memory", "kind": "helpful"},
    "withdraw_feedback": {"memory_id": "$memory"},
    "forget": {"query": "Where is the safe combination?"},
    "explain_fact": {"id": "$memory"},
    "get_entity_info": {"id": "$entity"},
    "capture_turn": BODIES["/capture"],
    "start_session": {"session_id": "s"},
    "heartbeat": {"session_id": "s"},
    "end_session": {"session_id": "s", "wait_seconds": 0},
    "branch_session": {"session_id": "$session", "new_session_id": "$branch"},
    "recover_session": {"session_id": "$session"},
    "observe_text": BODIES["/observe"],
    "create_trigger": BODIES["/triggers"],
    "complete_trigger": {"id": "$trigger"},
}
QUERIES = {
    "/shared-memory": {"query": "Where is the safe combination?"},
    "/entities/named": {"name": NAME},
    "/path": {"from": "$entity", "to": "$entity"},
    "/jobs": {"ids": "$job"},
}
# Where the calls' words lie afterwards, without the secret.
KEPT = {
    "index_document.text",
    "journal_log_text.detail",
    "journal_log_text.reason",
    "memory_item.entity_names",
    "memory_item.service",
    "memory_item.text",
    "memory_item_feedback.note",
    "memory_item_version.reason",
    "resources_checkpoint.internal_state",
    "resources_checkpoint.tool_calls",
    "resources_resource.raw_content",
    "resources_resource.speaker",
    "retrieval_recall.query",
    "tenants_api_key.name",
    "triggers_future_trigger.text",
}
# Of these a call may hold one.
EXCLUSIVE = (
    {"ids", "userId", "query"},
    {"ids", "user_id", "query"},
    {"entity", "userId"},
    {"entity", "user_id"},
    {"id", "name"},
    {"at", "day"},
)


def graphql_inputs():
    for kind in (schema._schema.query_type, schema._schema.mutation_type):
        for name, field in kind.fields.items():
            for argument, given in field.args.items():
                yield from (Input(name, (argument, *path)) for path in _texts_of(given.type))


def _texts_of(given):
    if isinstance(given, GraphQLNonNull):
        yield from _texts_of(given.of_type)
    elif isinstance(given, GraphQLList):
        yield from ((0, *path) for path in _texts_of(given.of_type))
    elif isinstance(given, GraphQLInputObjectType):
        for name, field in given.fields.items():
            yield from ((name, *path) for path in _texts_of(field.type))
    elif is_leaf_type(given) and given.name in {"String", "ID", "JSON", "DateTime"}:
        yield ("json",) if given.name == "JSON" else ()


def rest_inputs():
    openapi = document()
    for path, operations in openapi["paths"].items():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", ()):
                for inner in _texts_in(parameter["schema"], openapi):
                    yield Input(f"{method} {path}", (parameter["in"], parameter["name"], *inner))
            for content in operation.get("requestBody", {"content": {}})["content"].values():
                for inner in _texts_in(content["schema"], openapi):
                    yield Input(f"{method} {path}", ("body", *inner))


def tool_inputs():
    for name, tool in TOOLS.items():
        given = tool.description.input_schema
        shapes = {"components": {"schemas": given.get("$defs", {})}}
        yield from (Input(f"mcp {name}", path) for path in _texts_in(given, shapes))


def _texts_in(given, openapi):
    if "$ref" in given:
        *_, name = given["$ref"].split("/")
        given = openapi["components"]["schemas"].get(name, {})
    for choice in given.get("anyOf", ()) or given.get("allOf", ()):
        yield from _texts_in(choice, openapi)
    if given.get("type") == "array":
        yield from ((0, *path) for path in _texts_in(given["items"] or {"type": "string"}, openapi))
    elif given.get("type") == "object":
        for name, inner in given.get("properties", {}).items():
            yield from ((name, *path) for path in _texts_in(inner, openapi))
    elif given.get("type") == "string" and "enum" not in given:
        yield ()
    elif set(given) <= {"title", "default", "description"}:
        yield ("json",)


def put(held, path, value):
    """`held` with `value` at `path`, and without what a call may not hold beside it."""
    if not path:
        return value
    key, *rest = path
    if key == "json":
        return {"name": "look", "a": [{"note": value}, 1], value: True}
    if key == 0:
        return [put(held[0] if held else None, rest, value)]
    kept = dict(held or {})
    for group in EXCLUSIVE:
        if key in group:
            kept = {name: each for name, each in kept.items() if name not in group}
    kept[key] = put(kept.get(key), rest, value)
    return kept


def completed(held, role):
    """`held` where every message of a conversation says whose it is, and every memory as it was seen its version."""
    if isinstance(held, dict):
        return {name: completed(each, role) for name, each in held.items()}
    if not isinstance(held, list):
        return held
    beside = {frozenset({"content"}): {"role": role}, frozenset({"id"}): {"version": 1}}
    return [
        {**beside.get(frozenset(each), {}), **completed(each, role)} if isinstance(each, dict) else each
        for each in held
    ]


def test_every_kind_of_input_is_found():
    found = {str(each) for each in (*graphql_inputs(), *rest_inputs(), *tool_inputs())}

    assert {
        "recall query",
        "recall options.filter.categories.0",
        "recall options.messages.0.content",
        "captureTurn input.toolCalls.json",
        "entity name",
        "splitEntity aliases.0",
        "post /capture body.internal_state.json",
        "post /ingest body.speaker",
        "get /memories query.category.0",
        "get /sessions/{session_id}/replay path.session_id",
        "post /journal body.detail",
        "post /keys body.name",
        "mcp search_memory filter.categories.0",
        "mcp capture_turn tool_calls.json",
    } <= found


@pytest.mark.timeout(600)
def test_no_secret_that_came_in_by_any_input_is_kept_anywhere(victim, postgres, log):
    without_limits(victim)
    inputs = list(dict.fromkeys([*graphql_inputs(), *rest_inputs(), *tool_inputs()]))
    tried = [(each, word) for each in inputs for word in WORDINGS]
    client = Client()
    answers = [send(client, request(each, word(at), victim), at, victim) for at, (each, word) in enumerate(tried)]
    jobs.drain(worker="test", tenant_id=victim.tenant_id)
    metrics = client.get("/metrics").content.decode()
    named = [str(each) for each, _ in tried]
    answered = list(zip((each for each, _ in tried), answers, strict=True))

    assert [str(each) for each, answer in answered if answer.status_code >= 500] == []
    assert [(str(each), answer.content) for each, answer in answered if refuses_another(each, answer)] == []
    assert leaks([("answer", answer.content.decode()) for answer in answers], named) == {}
    assert leaks(stored(postgres, MARK), named) == {}
    assert {place for place, _ in stored(postgres, "[redacted:api_key]")} >= KEPT
    assert leaks([("log", line) for line in log.getvalue().splitlines()], named) == {}
    assert leaks([("metrics", metrics)], named) == {}


def test_a_user_who_is_named_by_a_secret_is_refused(victim):
    headers = {"Authorization": f"Bearer {victim.token}", "Memory-User": secret(0)}
    body = json.dumps({"query": "Where is the safe combination?"})

    answer = Client().post("/api/v1/recall", data=body, content_type="application/json", headers=headers)

    assert answer.status_code == 422
    assert "userId holds a secret" in answer.content.decode()


def without_limits(victim):
    """What is refused for its number is not tried."""
    with tenant_scope(victim.tenant_id):
        Policy.objects.update(writes_per_minute=10_000)


@pytest.fixture
def log():
    """What the configured handler would have written meanwhile."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    (handler.formatter,) = {
        each.formatter for each in logging.getLogger().handlers
        if isinstance(each.formatter, structlog.stdlib.ProcessorFormatter)
    }  # fmt: skip
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def refuses_another(tried, answer):
    """Whether a value is refused, and it is not said to be the one that was tried."""
    told = answer.content.decode()
    if "INVALID" not in told and '"status": "invalid"' not in told:
        return False
    places = re.findall(r'"field\\?": ?\\?"([\w.]+)|invalid value at ([\w.\[\]]+)|Variable \'\$(\w+)\'', told)
    named = {camel_case(re.findall(r"[a-zA-Z_]+", place)[-1]) for each in places for place in each if place}
    *_, field = (each for each in tried.path if each not in {0, "json"})
    return camel_case(field) not in named


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: object = None


def send(client, asked, number, victim):
    """Every call names itself by a secret, too."""
    accepted = "application/json, text/event-stream"
    headers = {"Authorization": f"Bearer {victim.token}", "X-Request-ID": secret(number), "Accept": accepted}
    if asked.method == "get":
        return client.get(asked.path, headers=headers)
    body = "" if asked.body is None else json.dumps(asked.body)
    return client.post(asked.path, data=body, content_type="application/json", headers=headers)


def request(tried, text, victim):
    if tried.operation.startswith("mcp "):
        made = _tool(tried, text)
    else:
        made = _graphql(tried, text) if " " not in tried.operation else _rest(tried, text, victim)
    return replace(made, body=filled(made.body, victim))


def _graphql(tried, text):
    field = schema._schema.query_type.fields.get(tried.operation)
    kind = "query" if field else "mutation"
    field = field or schema._schema.mutation_type.fields[tried.operation]
    variables = completed(put(VARIABLES.get(tried.operation), tried.path, text), "USER")
    declared = ", ".join(f"${name}: {field.args[name].type}" for name in variables)
    passed = ", ".join(f"{name}: ${name}" for name in variables)
    selected = "" if is_leaf_type(get_named_type(field.type)) else "{ __typename }"
    query = f"{kind}({declared}) {{ {tried.operation}({passed}) {selected} }}"
    return Request("post", "/graphql", {"query": query, "variables": variables})


def _rest(tried, text, victim):
    method, path = tried.operation.split()
    where, *inner = tried.path
    parts = {"path": {}, "query": QUERIES.get(path, {}) if method == "get" else {}, "body": BODIES.get(path)}
    parts[where] = completed(put(parts[where], inner, text), "user")
    named = {**_ids_of(path, victim), **{name: quote(value, safe="") for name, value in parts["path"].items()}}
    there = f"/api/v1{path.format(**named)}?{urlencode(filled(parts['query'], victim), doseq=True)}"
    return Request(method, there, parts["body"])


def _tool(tried, text):
    name = tried.operation.removeprefix("mcp ")
    arguments = completed(put(ARGUMENTS.get(name), tried.path, text), "user")
    called = {"name": name, "arguments": arguments}
    return Request("post", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called})


def _ids_of(path, victim):
    corrected = {"memory": "fresh"} if path.endswith("/correct") else {}

    def of(name):
        held = corrected.get(name, name)
        return SLUGS.get(held) or (_id_of(held, victim) if held in {*NEW, *victim.ids} else str(uuid4()))

    return {name: of(name.removesuffix("_id")) for name in re.findall(r"{(\w+)}", path)}


def filled(value, victim):
    text = re.sub(r'"\$(\w+)"', lambda found: json.dumps(_id_of(found[1], victim)), json.dumps(value))
    return json.loads(text)


def _id_of(name, victim):
    if name in NEW:
        return NEW[name](victim)
    return victim.ids[name]


def remembered(victim):
    text = f"Locker {uuid4().hex[:8]} holds the spare bicycle of the harbour office."
    body = {"text": text, "external_id": text}
    return post("/api/v1/memories", body, victim.token).json()["memory"]["id"]


NEW = {
    "fresh": remembered,
    "proposal": waiting_proposal,
    "line": lambda _: uuid4().hex,
    "branch": lambda _: uuid4().hex,
    "slug": lambda _: f"s-{uuid4().hex[:12]}",
}
"""What can be used once."""
SLUGS = {"name": "nightly", "slug": "other", "category": "other"}
"""What a path names that is no id."""


def stored(postgres, wanted):
    """The values that hold `wanted`, with their columns: of every column of text in the database."""
    with psycopg.connect(postgres.superuser_url()) as connection:
        columns = connection.execute(
            "SELECT table_schema, table_name, column_name FROM information_schema.columns"
            " JOIN information_schema.tables USING (table_catalog, table_schema, table_name)"
            " WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')"
            " AND data_type IN ('text', 'character varying', 'jsonb', 'json', 'ARRAY', 'character')"
        ).fetchall()
        assert len(columns) > 100
        for schema_name, table, column in columns:
            rows = connection.execute(
                f'SELECT "{column}"::text FROM "{schema_name}"."{table}" WHERE "{column}"::text LIKE %s',
                [f"%{wanted}%"],
            )
            yield from ((f"{table}.{column}", text) for (text,) in rows)


def leaks(texts, tried):
    """Where the mark was found, and by which inputs it came."""
    found = {}
    for place, text in texts:
        for number in re.findall(rf"{MARK}(\d{{6}})", text):
            found.setdefault(place, set()).add(tried[int(number)])
    return found
