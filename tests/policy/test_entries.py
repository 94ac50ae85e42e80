"""Every GraphQL field, REST route and tool, called by those who may not: the right code, no leak, no change.

The lists below are compared with the schemas themselves: a new field, route or tool without an entry fails.
"""

import json
import re
from dataclasses import dataclass
from uuid import uuid4

import pytest

from apps.api.graphql.schema import schema
from apps.api.verbs import VERBS
from tests.cast import MARA
from tests.openapi import paths
from tests.policy.conftest import NAME, SECRET, ask, get, post


@dataclass(frozen=True)
class Field:
    """A root field: the scope it needs, the arguments of a harmless call, and which of the victim's ids it takes."""

    needs: str | None
    call: str
    takes: str | None = None
    private: bool = True  # what it names belongs to one agent, not to the tenant


QUERIES = {
    "viewer": Field(None, "viewer { tenant }"),
    "recall": Field("read", 'recall(query: "Where is the safe combination?") { hits { text } }'),
    "context": Field("read", 'context(query: "Where is the safe combination?") { text }'),
    "memory": Field("read", "memory(id: $id) { id text }", "memory"),
    "memories": Field("read", "memories { edges { node { id text } } }"),
    "explainMemory": Field("read", "explainMemory(id: $id) { memory { text } }", "memory"),
    "weakMemories": Field("read", "weakMemories { edges { node { text } } }"),
    "rejections": Field("read", "rejections { edges { node { text } } }"),
    "rejectionCounts": Field("read", "rejectionCounts { week stage reason count }"),
    "recallShared": Field("share", 'recallShared(query: "Where is the safe combination?") { hits { text } }'),
    "recover": Field("read", "recover(sessionId: $id) { state turns { userInput } }", "session"),
    "replay": Field("read", "replay(sessionId: $id) { userInput }", "session"),
    "graphStatus": Field("admin", "graphStatus { state }"),
    "keys": Field("admin", "keys { id agentId }"),
    "usage": Field("billing", "usage { edges { node { calls costUsd } } }"),
    "budgets": Field("billing", "budgets { agentId spentUsd state }"),
    "categories": Field("read", "categories { slug ttlDays }"),
    "previewCategory": Field("admin", 'previewCategory(slug: "other", input: {ttlDays: 1}) { archived }'),
    "previewErasure": Field("erase", 'previewErasure(input: {userId: "mara"}) { memories samples { text } }'),
    "exportAbout": Field("erase", 'exportAbout(input: {userId: "mara"}) { edges { node { content markdown } } }'),
    "erasures": Field("erase", "erasures { edges { node { id about } } }"),
    "erasure": Field("erase", "erasure(id: $id) { id about }", "erasure", private=False),
    "verifyReceipt": Field("erase", "verifyReceipt(input: {receipt: {a: 1}}) { valid }"),
    "tryRecall": Field("read", 'tryRecall(query: "Where is the safe combination?") { hits { text } }'),
    "tryContext": Field("read", 'tryContext(query: "Where is the safe combination?") { text }'),
    "simulatePolicy": Field("read", "simulatePolicy(input: {policy: {relevanceFloor: 0.5}}) { recalls { recalls } }"),
    "memoryEvents": Field("read", 'memoryEvents(after: "0") { items { id subjectId } next }'),
    "schedules": Field("read", "schedules { name nextRunAt }"),
    "healthReport": Field("admin", "healthReport { at }"),
    "stats": Field("read", "stats { items episodes }"),
    "session": Field("read", "session(sessionId: $id) { id }", "session"),
    "sessions": Field("read", "sessions { edges { node { id sessionId } } }"),
    "sessionTrace": Field(
        "read", "sessionTrace(id: $id) { session { sessionId } turns { messages { text } } }", "session_row"
    ),
    "checkpoint": Field("read", "checkpoint(sessionId: $id) { userInput }", "session"),
    "jobs": Field("read", "jobs(ids: [$id]) { id name }", "job", private=False),
    "journal": Field("read", "journal(filter: {subjectId: $id}) { edges { node { id } } }", "memory"),
    "entity": Field("read", "entity(id: $id) { name summary facts { text } timeline { object } }", "entity"),
    "entities": Field("read", "entities { edges { node { name } } }"),
    "neighbourhood": Field("read", "neighbourhood(id: $id) { center { name } ties { predicate } }", "entity"),
    "path": Field("read", "path(from: $id, to: $id) { fact }", "entity"),
    "summaries": Field("read", "summaries { category items }"),
    "summary": Field("read", 'summary(category: "other") { text }'),
    "summaryVersions": Field("read", 'summaryVersions(category: "other") { text }'),
    "triggers": Field("read", "triggers { edges { node { id text } } }"),
    "lessons": Field("read", "lessons { edges { node { id text } } }"),
    "lessonsFile": Field("read", "lessonsFile { text tokens }"),
    "curatedMemory": Field("read", "curatedMemory { text lines { text } }"),
    "curatedHistory": Field("read", "curatedHistory { edges { node { id diff } } }"),
    "proposals": Field("review", "proposals { edges { node { id text } } }"),
    "reviewQueue": Field("review", "reviewQueue { edges { node { id texts } } }"),
    "checkCuratedMemory": Field("admin", "checkCuratedMemory { commit }"),
    "sharedDomains": Field("share", "sharedDomains { domain memories agents }"),
}
MUTATIONS = {
    "captureTurn": Field("write", 'captureTurn(input: {sessionId: "s", userInput: "Hello there."}) { duplicate }'),
    "startSession": Field("write", 'startSession(input: {sessionId: "s"}) { text previous { pending } }'),
    "heartbeat": Field("write", "heartbeat(sessionId: $id) { sessionId pending }", "session"),
    "endSession": Field(
        "write", "endSession(sessionId: $id, options: {waitSeconds: 0}) { pending session { userId } }", "session"
    ),
    "branchSession": Field(
        "write", 'branchSession(sessionId: $id, input: {newSessionId: "branched"}) { turns }', "session"
    ),
    "observe": Field(
        "write", 'observe(input: {sessionId: "s", text: "Hello there.", waitSeconds: 0}) { segments { narrative } }'
    ),
    "remember": Field("write", 'remember(input: {text: "The bakery opens at seven."}) { outcome }'),
    "rememberShared": Field("share", 'rememberShared(input: {text: "The bakery opens at seven."}) { outcome }'),
    "ingest": Field(
        "write", 'ingest(lines: [{externalId: "1", sessionId: "s", content: "Hello there, all."}]) { accepted }'
    ),
    "backfillGraph": Field("admin", "backfillGraph { jobs }"),
    "checkGraph": Field("admin", "checkGraph { jobId }"),
    "repairGraph": Field("admin", "repairGraph { jobId }"),
    "rebuildGraph": Field("admin", "rebuildGraph { jobId }"),
    "runMaintenance": Field("admin", 'runMaintenance(input: {job: "nightly", dryRun: true}) { jobId }'),
    "runSchedule": Field("admin", 'runSchedule(name: "triage") { jobId }'),
    "changeSchedule": Field("admin", 'changeSchedule(name: "triage", input: {enabled: false}) { enabled }'),
    "retryJob": Field("review", "retryJob(id: $id) { state }", "job", private=False),
    "correct": Field("write", 'correct(id: $id, text: "Nothing of the sort is written there.") { outcome }', "memory"),
    "confirm": Field("write", "confirm(id: $id) { id text }", "memory"),
    "withdrawConfirmation": Field("write", "withdrawConfirmation(id: $id) { id text }", "memory"),
    "unmerge": Field("write", "unmerge(id: $id) { id text }", "memory"),
    "giveFeedback": Field("write", "giveFeedback(memoryId: $id, kind: WRONG) { memory { text } }", "memory"),
    "withdrawFeedback": Field("write", "withdrawFeedback(memoryId: $id) { text }", "memory"),
    "share": Field("share", "share(id: $id) { id text }", "memory"),
    "mergeEntities": Field("write", "mergeEntities(into: $id, from: [$id]) { name }", "entity"),
    "splitEntity": Field("write", 'splitEntity(id: $id, aliases: ["Mara"]) { name }', "entity"),
    "forget": Field("write", "forget(input: {ids: [$id]}) { batchId items { text } }", "memory"),
    "restore": Field("write", "restore(batchId: $id) { items { text } }", "batch"),
    "reportOutput": Field("write", 'reportOutput(recallId: $id, output: "nothing") { used }', "recall"),
    "createTrigger": Field("write", 'createTrigger(input: {text: "Call the bank.", day: "2040-06-12"}) { id }'),
    "snoozeTrigger": Field("write", 'snoozeTrigger(id: $id, until: "2040-06-12T09:00:00Z") { text }', "trigger"),
    "completeTrigger": Field("write", "completeTrigger(id: $id) { text }", "trigger"),
    "dismissTrigger": Field("write", "dismissTrigger(id: $id) { text }", "trigger"),
    "dismissLesson": Field("write", "dismissLesson(id: $id) { text }", "lesson"),
    "decideProposal": Field(
        "review", "decideProposal(id: $id, input: {decision: REJECT, version: 7}) { text }", "proposal", private=False
    ),
    "reflect": Field("review", "reflect { jobId }"),
    "rebuildCuratedMemory": Field("admin", "rebuildCuratedMemory { commit }"),
    "restoreCuratedMemory": Field("admin", "restoreCuratedMemory(input: {entries: []}) { commit }"),
    "logAction": Field("write", 'logAction(input: {action: "looked"}) { operation }'),
    "createCategory": Field("admin", 'createCategory(input: {slug: "planted", label: "Planted"}) { slug }'),
    "updateCategory": Field("admin", 'updateCategory(slug: "other", input: {label: "Else"}) { label }'),
    "setBudget": Field("admin", "setBudget(input: {period: MONTH, hardUsd: 1000}) { id }"),
    "requestErasure": Field("erase", 'requestErasure(input: {userId: "mara", fingerprint: "0.0"}) { id }'),
    "importLines": Field("write", "importLines(input: {lines: []}) { accepted }"),
    "approveErasure": Field("admin", "approveErasure(id: $id) { id }", "erasure", private=False),
    "rejectErasure": Field("admin", "rejectErasure(id: $id) { id }", "erasure", private=False),
    "deleteBudget": Field("admin", "deleteBudget(id: $id) { id }", "budget", private=False),
    "createApiKey": Field("admin", 'createApiKey(input: {scopes: [READ], agentId: "planted"}) { token }'),
    "rotateApiKey": Field("admin", "rotateApiKey(id: $id) { token }", "key", private=False),
    "revokeApiKey": Field("admin", "revokeApiKey(id: $id) { id }", "key", private=False),
}
# What opens a verb instead of the scope it needs.
INSTEAD = {"billing": ("admin",), "erase": ("admin",), "review": ("admin",)}
# Whoever may erase sees what would go and may take it along, whichever agent remembers it.
OF_THE_WHOLE_TENANT = {
    "graphql:exportAbout", "graphql:previewErasure", "rest:post:/erasures/preview", "rest:post:/exports"
}  # fmt: skip
FIELDS = [("query", name, entry) for name, entry in QUERIES.items()] + [
    ("mutation", name, entry) for name, entry in MUTATIONS.items()
]


@dataclass(frozen=True)
class Route:
    """A REST operation, with a body that would be accepted."""

    needs: str | None
    body: object = None
    takes: str | None = None
    query: str = ""
    private: bool = True


QUESTION = {"query": "Where is the safe combination?"}
ROUTES = {
    ("post", "/capture"): Route("write", {"session_id": "s", "user_input": "Hello there."}),
    ("post", "/ingest"): Route("write", {"external_id": "1", "session_id": "s", "content": "Hello there, all of you."}),
    ("post", "/recall"): Route("read", QUESTION),
    ("post", "/context"): Route("read", QUESTION),
    ("post", "/recalls/{recall_id}/output"): Route("write", {"output": "nothing"}, "recall"),
    ("get", "/memories"): Route("read"),
    ("post", "/memories"): Route("write", {"text": "The bakery opens at seven."}),
    ("get", "/memories/weak"): Route("read"),
    ("get", "/memories/{memory_id}"): Route("read", takes="memory"),
    ("get", "/memories/{memory_id}/explain"): Route("read", takes="memory"),
    ("post", "/memories/{memory_id}/correct"): Route("write", {"text": "Nothing of the sort is there."}, "memory"),
    ("post", "/memories/{memory_id}/confirm"): Route("write", {}, "memory"),
    ("post", "/memories/{memory_id}/confirm/withdraw"): Route("write", {}, "memory"),
    ("post", "/memories/{memory_id}/unmerge"): Route("write", {}, "memory"),
    ("post", "/memories/{memory_id}/feedback"): Route("write", {"kind": "wrong"}, "memory"),
    ("post", "/memories/{memory_id}/feedback/withdraw"): Route("write", {}, "memory"),
    ("post", "/memories/{memory_id}/share"): Route("share", {}, "memory"),
    ("post", "/shared-memory"): Route("share", {"text": "The bakery opens at seven."}),
    ("get", "/shared-memory"): Route("share", query="?query=Where+is+the+safe+combination"),
    ("post", "/shared-memory/query"): Route("share", QUESTION),
    ("get", "/shared-memory/domains"): Route("share"),
    ("get", "/entities"): Route("read"),
    ("get", "/entities/named"): Route("read", query=f"?name={NAME}"),
    ("get", "/entities/{entity_id}"): Route("read", takes="entity"),
    ("post", "/entities/{entity_id}/merge"): Route("write", {"from": ["$id"]}, "entity"),
    ("post", "/entities/{entity_id}/split"): Route("write", {"aliases": ["Mara"]}, "entity"),
    ("get", "/entities/{entity_id}/neighbourhood"): Route("read", takes="entity"),
    ("get", "/path"): Route("read", takes="entity", query="?from=$id&to=$id"),
    ("post", "/forget"): Route("write", {"ids": ["$id"]}, "memory"),
    ("post", "/restore"): Route("write", {"batch_id": "$id"}, "batch"),
    ("get", "/rejections"): Route("read"),
    ("get", "/rejections/counts"): Route("read"),
    ("post", "/sessions"): Route("write", {"session_id": "s"}),
    ("post", "/sessions/{session_id}/heartbeat"): Route("write", {}, "session"),
    ("post", "/observe"): Route("write", {"session_id": "s", "text": "Hello there.", "wait_seconds": 0}),
    ("post", "/sessions/{session_id}/branch"): Route("write", {"new_session_id": "branched"}, "session"),
    ("get", "/sessions/{session_id}/recover"): Route("read", takes="session"),
    ("post", "/sessions/{session_id}/end"): Route("write", {"wait_seconds": 0}, "session"),
    ("get", "/sessions/{session_id}"): Route("read", takes="session"),
    ("get", "/sessions"): Route("read"),
    ("get", "/session-traces/{trace_id}"): Route("read", takes="session_row"),
    ("get", "/sessions/{session_id}/checkpoint"): Route("read", takes="session"),
    ("get", "/sessions/{session_id}/replay"): Route("read", takes="session"),
    ("get", "/jobs"): Route("read", takes="job", query="?ids=$id", private=False),
    ("get", "/journal"): Route("read", takes="memory", query="?subject_id=$id"),
    ("post", "/journal"): Route("write", {"action": "looked"}),
    ("get", "/categories"): Route("read"),
    ("post", "/categories"): Route("admin", {"slug": "planted-too", "label": "Planted"}),
    ("post", "/categories/{slug}"): Route("admin", {"label": "Else"}),
    ("post", "/categories/{slug}/preview"): Route("admin", {"ttl_days": 1}),
    ("post", "/erasures/preview"): Route("erase", {"user_id": MARA.user_id}),
    ("post", "/erasures/verify"): Route("erase", {"receipt": {"a": 1}}),
    ("post", "/erasures"): Route("erase", {"user_id": MARA.user_id, "fingerprint": "0.0"}),
    ("post", "/exports"): Route("erase", {"user_id": MARA.user_id}),
    ("post", "/imports"): Route("write", {"lines": []}),
    ("get", "/erasures"): Route("erase"),
    ("get", "/erasures/{erasure_id}"): Route("erase", takes="erasure", private=False),
    ("post", "/erasures/{erasure_id}/approve"): Route("admin", {}, "erasure", private=False),
    ("post", "/erasures/{erasure_id}/reject"): Route("admin", {}, "erasure", private=False),
    ("post", "/recall/try"): Route("read", {"query": "Where is the safe combination?"}),
    ("post", "/context/try"): Route("read", {"query": "Where is the safe combination?"}),
    ("post", "/policy/simulate"): Route("read", {"policy": {"relevance_floor": 0.5}}),
    ("get", "/events"): Route("read", query="?after=0"),
    ("get", "/schedules"): Route("read"),
    ("get", "/health-report"): Route("admin"),
    ("post", "/maintenance"): Route("admin", {"job": "nightly", "dry_run": True}),
    ("post", "/schedules/{name}"): Route("admin", {"enabled": False}),
    ("post", "/schedules/{name}/run"): Route("admin", {}),
    ("post", "/jobs/{job_id}/retry"): Route("review", {}, "job", private=False),
    ("get", "/summaries"): Route("read"),
    ("get", "/summaries/{category}"): Route("read"),
    ("get", "/summaries/{category}.md"): Route("read"),
    ("get", "/summaries/{category}/versions"): Route("read"),
    ("get", "/triggers"): Route("read"),
    ("post", "/triggers"): Route("write", {"text": "Call the bank.", "day": "2040-06-12"}),
    ("post", "/triggers/{trigger_id}/snooze"): Route("write", {"until": "2040-06-12T09:00:00Z"}, "trigger"),
    ("post", "/triggers/{trigger_id}/complete"): Route("write", {}, "trigger"),
    ("post", "/triggers/{trigger_id}/dismiss"): Route("write", {}, "trigger"),
    ("get", "/lessons"): Route("read"),
    ("get", "/lessons.md"): Route("read"),
    ("post", "/lessons/{lesson_id}/dismiss"): Route("write", {}, "lesson"),
    ("get", "/curated-memory"): Route("read"),
    ("get", "/curated-memory/history"): Route("read"),
    ("get", "/memory.md"): Route("read"),
    ("get", "/proposals"): Route("review"),
    ("post", "/proposals/{proposal_id}/decide"): Route(
        "review", {"decision": "reject", "version": 7}, "proposal", private=False
    ),
    ("get", "/review-queue"): Route("review"),
    ("post", "/reflect"): Route("review", {}),
    ("get", "/curated-memory/check"): Route("admin"),
    ("post", "/curated-memory/rebuild"): Route("admin", {}),
    ("post", "/curated-memory/restore"): Route("admin", {"entries": []}),
    ("get", "/stats"): Route("read"),
    ("get", "/viewer"): Route(None),
    ("get", "/graph"): Route("admin"),
    ("post", "/graph/backfill"): Route("admin", {}),
    ("post", "/graph/check"): Route("admin", {}),
    ("post", "/graph/repair"): Route("admin", {}),
    ("post", "/graph/rebuild"): Route("admin", {}),
    ("get", "/usage"): Route("billing", query="?group_by=session&group_by=agent"),
    ("get", "/budgets"): Route("billing"),
    ("post", "/budgets"): Route("admin", {"period": "month", "hard_usd": 1000}),
    ("post", "/budgets/{budget_id}/delete"): Route("admin", {}, "budget", private=False),
    ("get", "/keys"): Route("admin"),
    ("post", "/keys"): Route("admin", {"scopes": ["read"], "agent_id": "planted"}),
    ("post", "/keys/{key_id}/rotate"): Route("admin", {}, "key", private=False),
    ("post", "/keys/{key_id}/revoke"): Route("admin", {}, "key", private=False),
}
# Tools of MCP, with the arguments of a harmless call.
TOOLS = {
    "search_memory": Route("read", QUESTION),
    "context": Route("read", QUESTION),
    "remember_fact": Route("write", {"text": "The bakery opens at seven."}),
    "correct_fact": Route("write", {"id": "$id", "text": "Nothing of the sort is there."}, "memory"),
    "confirm_fact": Route("write", {"id": "$id"}, "memory"),
    "give_feedback": Route("write", {"memory_id": "$id", "kind": "wrong"}, "memory"),
    "withdraw_feedback": Route("write", {"memory_id": "$id"}, "memory"),
    "forget": Route("write", {"ids": ["$id"], "dry_run": False}, "memory"),
    "explain_fact": Route("read", {"id": "$id"}, "memory"),
    "weak_facts": Route("read", {}),
    "get_entity_info": Route("read", {"id": "$id"}, "entity"),
    "memory_stats": Route("read", {}),
    "start_session": Route("write", {"session_id": "s"}),
    "capture_turn": Route("write", {"session_id": "s", "user_input": "Hello there."}),
    "heartbeat": Route("write", {"session_id": "$id"}, "session"),
    "branch_session": Route("write", {"session_id": "$id", "new_session_id": "branched"}, "session"),
    "recover_session": Route("read", {"session_id": "$id"}, "session"),
    "observe_text": Route("write", {"session_id": "s", "text": "Hello there.", "wait_seconds": 0}),
    "end_session": Route("write", {"session_id": "$id", "wait_seconds": 0}, "session"),
    "list_triggers": Route("read", {}),
    "create_trigger": Route("write", {"text": "Call the bank.", "day": "2040-06-12"}),
    "complete_trigger": Route("write", {"id": "$id"}, "trigger"),
}
# Their other requests, with their parameters.
MESSAGES = {
    "tools/list": Route(None, {}),
    "resources/list": Route(None, {}),
    "resources/read": Route("read", {"uri": "memory://context"}),
}


def test_every_graphql_field_has_an_entry():
    graphql = schema._schema

    assert set(graphql.query_type.fields) == set(QUERIES)
    assert set(graphql.mutation_type.fields) == set(MUTATIONS)


def test_the_scope_that_a_verb_needs_is_what_is_tried_here():
    """What is shared needs its own scope beside the verb's, whichever verb asks for it."""
    others = {name: entry.needs for _, name, entry in FIELDS if entry.needs != VERBS[name].scope}

    assert others == dict.fromkeys(["share", "rememberShared", "recallShared", "sharedDomains"], "share")


def test_every_rest_route_has_an_entry():
    assert {(method, path) for path, methods in paths().items() for method in methods} == set(ROUTES)


def test_every_tool_has_an_entry(victim):
    listed = _mcp("tools/list", {}, victim.token).json()["result"]["tools"]

    assert {each["name"] for each in listed} == set(TOOLS)


def _graphql(kind, entry, row_id, token):
    if entry.takes is None:
        return ask(f"{kind} {{ {entry.call} }}", {}, token)
    type_of = "String!" if entry.takes == "session" else "ID!"
    return ask(f"{kind}($id: {type_of}) {{ {entry.call} }}", {"id": row_id}, token)


def _rest(method, path, entry, row_id, token):
    there = f"/api/v1{path}" + entry.query.replace("$id", row_id)
    there = re.sub(r"\{\w+\}", row_id, _named(there))
    body = "" if entry.body is None else json.dumps(entry.body).replace("$id", row_id)
    return post(there, body, token) if method == "post" else get(there, token)


def _named(path):
    """With the name of something every tenant has in the place of a name."""
    for placeholder, name in {"{category}": "other", "{slug}": "other", "{name}": "triage"}.items():
        path = path.replace(placeholder, name)
    return path


def _mcp(method, params, token):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return post("/mcp", message, token, Accept="application/json, text/event-stream")


def _tool(name, entry, row_id, token):
    arguments = json.loads(json.dumps(entry.body).replace("$id", row_id))
    return _mcp("tools/call", {"name": name, "arguments": arguments}, token)


def _unknown(takes):
    return "no-such-chat" if takes == "session" else str(uuid4())


def _masked(response, row_id):
    text = response.content.decode().replace(row_id, "ID")
    return response.status_code, text


def _calls():
    """Every operation of every API as (name, entry, call(row_id, token))."""
    for kind, name, entry in FIELDS:
        yield f"graphql:{name}", entry, lambda row_id, token, k=kind, e=entry: _graphql(k, e, row_id, token)
    for (method, path), entry in ROUTES.items():
        yield (
            f"rest:{method}:{path}",
            entry,
            lambda row_id, token, m=method, p=path, e=entry: _rest(m, p, e, row_id, token),
        )
    for name, entry in TOOLS.items():
        yield f"mcp:{name}", entry, lambda row_id, token, n=name, e=entry: _tool(n, e, row_id, token)
    for method, entry in MESSAGES.items():
        yield f"mcp:{method}", entry, lambda _, token, m=method, e=entry: _mcp(m, e.body, token)


def _every(calls):
    rows = list(calls)
    return pytest.mark.parametrize(("entry", "call"), [row[1:] for row in rows], ids=[row[0] for row in rows])


every_call = _every(_calls())
every_call_but_on_keys = _every(row for row in _calls() if row[1].takes != "key" and row[0] not in OF_THE_WHOLE_TENANT)
every_scoped_call = _every(row for row in _calls() if row[1].needs)
every_call_for_private_rows = _every(row for row in _calls() if row[1].takes and row[1].private)


def _code(response):
    body = response.json()
    if "jsonrpc" in body:
        return _code_of_message(body)
    return body["errors"][0]["extensions"]["code"] if "errors" in body else body.get("error", {}).get("code")


def _code_of_message(body):
    if "error" in body:
        return body["error"]["data"]["code"]
    if not body["result"].get("isError"):
        return None
    return json.loads(body["result"]["content"][0]["text"])["error"]["code"]


def _tells_nothing(response):
    text = response.content.decode()
    return SECRET not in text and NAME not in text


@every_call
def test_without_a_live_key_nothing_opens(victim, bad_tokens, entry, call):
    before = victim.counts()

    for token in bad_tokens.values():
        response = call(victim.ids.get(entry.takes, ""), token)
        assert (response.status_code, _code(response)) == (401, "UNAUTHENTICATED")
        assert _tells_nothing(response)

    assert victim.counts() == before


@every_scoped_call
def test_a_key_without_the_scope_is_refused(victim, token_without, entry, call):
    token = token_without(entry.needs, *INSTEAD.get(entry.needs, ()))
    before = victim.counts()

    response = call(victim.ids.get(entry.takes, ""), token)

    assert _code(response) == "FORBIDDEN"
    assert _tells_nothing(response)
    assert victim.counts() == before


@every_call
def test_another_tenants_key_finds_nothing_and_changes_nothing(victim, stranger_token, entry, call):
    before = victim.counts()

    foreign = call(victim.ids.get(entry.takes, ""), stranger_token)

    assert _tells_nothing(foreign)
    assert victim.counts() == before
    if entry.takes is not None:
        unknown_id = _unknown(entry.takes)
        unknown = call(unknown_id, stranger_token)
        assert _masked(foreign, victim.ids[entry.takes]) == _masked(unknown, unknown_id)


@every_call_for_private_rows
def test_another_agent_of_the_tenant_finds_nothing_private(victim, sibling_token, entry, call):
    before = victim.counts()
    unknown_id = _unknown(entry.takes)

    foreign = call(victim.ids[entry.takes], sibling_token)

    assert _masked(foreign, victim.ids[entry.takes]) == _masked(call(unknown_id, sibling_token), unknown_id)
    assert _tells_nothing(foreign)
    assert victim.counts() == before


@every_call_but_on_keys
def test_no_scope_of_another_agents_key_shows_what_is_private(victim, operator_token, entry, call):
    assert _tells_nothing(call(victim.ids.get(entry.takes, ""), operator_token))


def test_the_victims_own_key_reads_what_the_others_could_not(victim):
    answer = ask("query($id: ID!) { memory(id: $id) { text } }", {"id": victim.ids["memory"]}, victim.token)

    assert SECRET in answer.json()["data"]["memory"]["text"]


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics", "/api/v1/openapi.json", "/api/v1/docs"])
def test_what_is_open_to_all_names_no_tenant(victim, path):
    text = get(path, None).content.decode()

    for told in (str(victim.tenant_id), str(victim.agent_id), SECRET, *victim.ids.values()):
        assert told not in text
