"""Every verb through GraphQL, on real services."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core import providers
from apps.core.clock import now
from apps.core.scope import tenant_scope
from apps.memory.models import Item
from apps.tenants import services
from apps.tenants.models import Policy
from tests.cast import MARA

TURN = (
    "mutation($input: TurnInput!) { captureTurn(input: $input) { sessionId turnNumber resourceIds jobIds duplicate } }"
)
REMEMBER = """mutation($input: RememberInput!) { remember(input: $input) {
  outcome reason pending memory { id text agentId visibility } supersedes { id } } }"""


def test_a_turn_is_captured_once_and_becomes_memory(caller, run_jobs):
    turn = {
        "sessionId": "chat-1",
        "turnNumber": 1,
        "userInput": "I moved to Lisbon in February 2026.",
        "userId": MARA.user_id,
    }

    first = caller.field(TURN, input=turn)
    again = caller.field(TURN, input=turn)
    run_jobs()
    jobs = caller.field(
        "query($ids: [ID!]!) { jobs(ids: $ids) { name state outcome { name count } codes { name code } } }",
        ids=first["jobIds"],
    )

    assert (first["sessionId"], first["turnNumber"], first["duplicate"]) == ("chat-1", 1, False)
    assert again["duplicate"]
    assert again["resourceIds"] == first["resourceIds"]
    assert {job["state"] for job in jobs} == {"DONE"}
    (observed,) = [job for job in jobs if job["name"] == "memory.observe"]
    assert {"name": "extracted", "count": 1} in observed["outcome"]
    assert observed["codes"] == [{"name": "extractor", "code": providers.extractor().version}]
    assert caller.code(TURN, input={**turn, "userInput": "Something else entirely."}) == "CONFLICT"


def test_what_was_captured_can_be_recalled_with_its_source(caller, run_jobs):
    caller.field(
        TURN, input={"sessionId": "chat-1", "userInput": "My sister Ines is getting married in Porto in June."}
    )
    run_jobs()

    recall = caller.field(
        """{ recall(query: "Where is Ines getting married?", options: {explain: true}) {
          id hits { rank unit id text score scores { vector keyword } confidence ageDays tags
                    role sources { resourceId externalId role speaker saidAt quote } memory { id } }
          rewrittenQuery intent profile tier degraded tookMs explanation { stages { name milliseconds } } } }"""
    )

    assert "Porto" in recall["hits"][0]["text"]
    assert (recall["hits"][0]["role"], recall["hits"][0]["sources"][0]["role"]) == ("USER", "USER")
    assert recall["intent"] in {"WHY", "WHEN", "WHO", "WHAT", "GENERAL"}
    assert recall["explanation"]["stages"]
    feedback = caller.field(
        'mutation($id: ID!) { reportOutput(recallId: $id, output: "Ines marries in Porto in June.") { used ignored } }',
        id=recall["id"],
    )
    assert feedback["used"] + feedback["ignored"] == len(recall["hits"])


IN_SESSION = """query($options: ContextOptions) {
  context(query: "Which PostgreSQL does Harbor run on?", options: $options) {
  included available hits { id alreadyGiven givenAt }
  changed { id text givenAt became tag replacedBy replacement }
  explanation { floor arms { name } leftOut { unit id text role reason } } } }"""


def test_a_session_is_told_what_is_new_and_what_changed(caller):
    said = "Harbor runs on PostgreSQL 15."
    old = caller.field(REMEMBER, input={"text": said})["memory"]["id"]
    options = {"sessionId": "chat-1", "explain": True}

    first = caller.field(IN_SESSION, options=options)
    again = caller.field(IN_SESSION, options=options)
    repeated = caller.field(IN_SESSION, options={**options, "repeat": True})
    recalled = caller.field(
        """{ recall(query: "Which PostgreSQL does Harbor run on?", options: {sessionId: "chat-1"}) {
          hits { id alreadyGiven givenAt } } }"""
    )
    corrected = caller.field(
        """mutation($id: ID!) { correct(id: $id, text: "Harbor runs on PostgreSQL 17.") { memory { id } } }""", id=old
    )
    changed = caller.field(IN_SESSION, options=options)

    assert first["hits"] == [{"id": old, "alreadyGiven": False, "givenAt": None}]
    assert (again["included"], again["available"], again["hits"]) == (0, 0, [])
    assert again["explanation"]["leftOut"] == [
        {"unit": "ITEM", "id": old, "text": said, "role": "USER", "reason": "ALREADY_GIVEN"}
    ]
    assert {arm["name"] for arm in again["explanation"]["arms"]} == {"keyword", "vector", "graph", "time"}
    (hit,) = recalled["hits"]
    assert repeated["hits"] == [hit] == [{"id": old, "alreadyGiven": True, "givenAt": hit["givenAt"]}]
    new = corrected["memory"]["id"]
    assert changed["changed"] == [
        {
            "id": old,
            "text": said,
            "givenAt": hit["givenAt"],
            "became": "REPLACED",
            "tag": "SUPERSEDED",
            "replacedBy": new,
            "replacement": "Harbor runs on PostgreSQL 17.",
        }
    ]
    assert [each["id"] for each in changed["hits"]] == [new]


UNMERGE = "mutation($id: ID!) { unmerge(id: $id) { id text status statusReason } }"
MERGES = """query($id: ID!) { explainMemory(id: $id) {
  memory { mergedCount } merged { id text open } mergedInto { id } versions { operation } } }"""


def test_a_merge_is_undone_once_by_whoever_may_write(caller, make_caller, stranger):
    text = "Mara works as a nurse at the Santa Maria hospital."
    kept, again = (caller.field(REMEMBER, input={"text": text})["memory"]["id"] for _ in range(2))
    (wording,) = caller.field(MERGES, id=kept)["merged"]
    assert (kept, wording["open"]) == (again, True)
    for nobody, code in ((stranger, "NOT_FOUND"), (make_caller("read"), "FORBIDDEN")):
        assert nobody.code(UNMERGE, id=wording["id"]) == code
    assert caller.field(MERGES, id=wording["id"])["mergedInto"] == {"id": kept}

    back = caller.field(UNMERGE, id=wording["id"])

    assert back == {"id": wording["id"], "text": text, "status": "ACTIVE", "statusReason": ""}
    why = caller.field(MERGES, id=kept)
    assert (why["memory"], [each["open"] for each in why["merged"]]) == ({"mergedCount": 0}, [False])
    assert [each["operation"] for each in why["versions"]] == ["stored", "merged", "unmerged"]
    journal = """query($id: ID!) { journal(filter: {subjectId: $id, operation: "memory.unmerged"}) {
      edges { node { actor agentId } } } }"""
    for one in (kept, wording["id"]):
        (entry,) = caller.field(journal, id=one)["edges"]
        assert entry["node"] == {"actor": "agent", "agentId": "assistant"}
    assert [caller.code(UNMERGE, id=one) for one in (wording["id"], kept)] == ["CONFLICT"] * 2
    assert caller.code(UNMERGE, id="no id") == "INVALID"


def test_remember_correct_confirm_explain(caller):
    told = caller.field(REMEMBER, input={"text": "Mara works as a nurse at the Santa Maria hospital."})
    memory_id = told["memory"]["id"]
    corrected = caller.field(
        """mutation($id: ID!) { correct(id: $id, text: "Mara works as a doctor at the Santa Maria hospital.") {
          outcome memory { id text } supersedes { id } } }""",
        id=memory_id,
    )
    new_id = corrected["memory"]["id"]
    confirmed = caller.field("mutation($id: ID!) { confirm(id: $id) { id protected } }", id=new_id)
    why = caller.field(
        "query($id: ID!) { explainMemory(id: $id) { memory { id } versions { operation } supersedes { id } } }",
        id=new_id,
    )
    old = caller.field(
        """query($id: ID!) { memory(id: $id) { status supersededBy { id }
          versions(first: 1) { edges { node { operation } } } } }""",
        id=memory_id,
    )

    assert told["outcome"] == "STORED"
    assert told["memory"]["agentId"] == "assistant"
    assert corrected["outcome"] == "SUPERSEDED"
    assert corrected["supersedes"]["id"] == memory_id
    assert confirmed == {"id": new_id, "protected": True}
    assert [link["id"] for link in why["supersedes"]] == [memory_id]
    assert old["status"] == "SUPERSEDED"
    assert old["supersededBy"]["id"] == new_id
    assert len(old["versions"]["edges"]) == 1


@pytest.mark.usefixtures("unhurried")
def test_what_replaced_each_row_is_read_for_all_rows_at_once(caller):
    counted = []
    replaced = {}
    for name, city in (("Mara", "Oslo"), ("Ada", "Turin"), ("Ben", "Porto")):
        first = caller.field(REMEMBER, input={"text": f"{name} lives in {city}."})["memory"]["id"]
        correction = "mutation($id: ID!, $text: String!) { correct(id: $id, text: $text) { memory { id } } }"
        second = caller.field(correction, id=first, text=f"{name} lives in Lima.")["memory"]["id"]
        replaced[first] = second
        with CaptureQueriesContext(connection) as captured:
            page = caller.field(
                """{ memories(filter: {statuses: [SUPERSEDED]}) { edges { node {
                  id supersededBy { id supersedes { id } } } } } }"""
            )
        counted.append(len(captured))

    nodes = [edge["node"] for edge in page["edges"]]
    assert {node["id"]: node["supersededBy"]["id"] for node in nodes} == replaced
    assert all(node["supersededBy"]["supersedes"] == [{"id": node["id"]}] for node in nodes)
    assert counted[1] == counted[2]


@pytest.mark.usefixtures("unhurried")
def test_the_memories_of_hits_are_read_at_once(caller):
    counted = []
    for text in ("Mara lives in Oslo.", "Mara has a red bicycle.", "Mara works as a nurse in a hospital."):
        caller.field(REMEMBER, input={"text": text})
        with CaptureQueriesContext(connection) as captured:
            hits = caller.field('{ recall(query: "Mara") { hits { text memory { text } } } }')["hits"]
        counted.append(len(captured))

    assert [hit["memory"]["text"] for hit in hits] == [hit["text"] for hit in hits]
    assert len(hits) == 3
    assert counted[1] == counted[2]


def test_memories_page_by_cursor(caller):
    texts = [
        f"The {animal} at the farm is called number {number}." for number, animal in enumerate(("cow", "horse", "goat"))
    ]
    for text in texts:
        caller.field(REMEMBER, input={"text": text})
    page = """query($after: String) { memories(first: 2, after: $after) {
      edges { cursor node { text } } pageInfo { hasNextPage endCursor } } }"""

    first = caller.field(page)
    second = caller.field(page, after=first["pageInfo"]["endCursor"])

    listed = [edge["node"]["text"] for edge in first["edges"] + second["edges"]]
    assert sorted(listed) == sorted(texts)
    assert (first["pageInfo"]["hasNextPage"], second["pageInfo"]["hasNextPage"]) == (True, False)
    assert caller.code(page, after="no cursor") == "INVALID"
    assert caller.code("{ memories(first: 101) { edges { cursor } } }") == "INVALID"


def test_memories_as_of_a_moment_are_those_that_held_then(caller, tenant):
    correct = "mutation($id: ID!, $text: String!) { correct(id: $id, text: $text) { memory { id } } }"
    texts = ("Mara lives in Oslo.", "The cow at the farm is called Emma.", "Ben owes the tailor forty euros.")
    ids = [caller.field(REMEMBER, input={"text": text})["memory"]["id"] for text in texts]
    moment = now()
    caller.field(correct, id=ids[0], text="Mara lives in Lima.")
    with tenant_scope(tenant.id):
        Item.objects.filter(id=ids[1]).update(status="archived", status_reason="expired")
    page = """query($asOf: DateTime, $after: String) { memories(asOf: $asOf, first: 2, after: $after) {
      edges { node { text } } pageInfo { endCursor } } }"""

    first = caller.field(page, asOf=moment.isoformat())
    caller.field(REMEMBER, input={"text": "The spare key lies under the blue flower pot."})
    second = caller.field(page, asOf=moment.isoformat(), after=first["pageInfo"]["endCursor"])

    assert [edge["node"]["text"] for edge in first["edges"] + second["edges"]] == list(reversed(texts))
    now_held = caller.field("{ memories(first: 10) { edges { node { text } } } }")["edges"]
    assert texts[2] in [edge["node"]["text"] for edge in now_held]
    assert not {texts[0], texts[1]} & {edge["node"]["text"] for edge in now_held}
    assert caller.code(page, asOf="2026-03-01T09:00:00") == "INVALID"


def test_forget_by_id_and_restore(caller):
    memory_id = caller.field(REMEMBER, input={"text": "The spare key lies under the blue flower pot."})["memory"]["id"]
    forget = "mutation($input: ForgetInput!) { forget(input: $input) { batchId dryRun items { id text } episodes } }"
    count = "{ stats { items byStatus { name count } } }"

    tried = caller.field(forget, input={"ids": [memory_id], "dryRun": True})
    gone = caller.field(forget, input={"ids": [memory_id]})
    after = caller.field("query($id: ID!) { memory(id: $id) { status } }", id=memory_id)
    back = caller.field("mutation($id: ID!) { restore(batchId: $id) { items { id } } }", id=gone["batchId"])

    assert (tried["batchId"], tried["dryRun"], [item["id"] for item in tried["items"]]) == (None, True, [memory_id])
    assert gone["batchId"]
    assert after is None or after["status"] == "DELETED"
    assert [item["id"] for item in back["items"]] == [memory_id]
    assert {"name": "active", "count": 1} in caller.field(count)["byStatus"]


def test_forget_by_query_takes_what_the_query_finds_and_nothing_else(caller):
    keep = caller.field(REMEMBER, input={"text": "Harbor runs on PostgreSQL 18 in the Frankfurt region."})["memory"][
        "id"
    ]
    drop = caller.field(REMEMBER, input={"text": "Mara is allergic to penicillin."})["memory"]["id"]

    gone = caller.field(
        'mutation { forget(input: {query: "What is Mara allergic to?", dryRun: true}) { items { id } } }'
    )

    assert drop in {item["id"] for item in gone["items"]}
    assert keep not in {item["id"] for item in gone["items"]}


@pytest.mark.parametrize(("sure_from", "relevance"), [(0.0, "HIGH"), (1.0, "LOW")])
def test_forget_by_query_takes_only_what_surely_answers(caller, tenant, sure_from, relevance):
    with tenant_scope(tenant.id):
        services.change(Policy.objects.get(tenant_id=tenant.id), {"relevance_sure": sure_from})
    known = caller.field(REMEMBER, input={"text": "The old office was in Harbour Street."})["memory"]["id"]

    found = caller.field('{ recall(query: "Where was the old office?") { hits { id relevance } } }')["hits"]
    gone = caller.field(
        'mutation { forget(input: {query: "Where was the old office?"}) { batchId items { id } episodes } }'
    )

    assert found == [{"id": known, "relevance": relevance}]
    assert [item["id"] for item in gone["items"]] == ([known] if relevance == "HIGH" else [])
    assert (gone["batchId"] is None, gone["episodes"]) == (relevance == "LOW", 0)


def test_forget_by_query_tells_that_more_may_answer(caller):
    forget = "mutation($input: ForgetInput!) { forget(input: $input) { items { id } truncated } }"
    for name in ("Anna", "Bob", "Carla"):
        caller.field(REMEMBER, input={"text": f"{name} is allergic to penicillin."})
    asked = {"query": "Who is allergic to penicillin?", "dryRun": True}

    some, everything = (caller.field(forget, input={**asked, **limit}) for limit in ({"limit": 2}, {}))

    assert (len(some["items"]), some["truncated"]) == (2, True)
    assert (len(everything["items"]), everything["truncated"]) == (3, False)


@pytest.mark.parametrize("what", [{}, {"userId": "a", "query": "b"}, {"ids": []}, {"query": "x", "limit": 0}])
def test_forget_wants_exactly_one_way(caller, what):
    assert caller.code("mutation($input: ForgetInput!) { forget(input: $input) { batchId } }", input=what) == "INVALID"


@pytest.mark.parametrize("narrowed", [{"filter": {"categories": ["home"]}}, {"limit": 1}])
def test_what_narrows_a_query_is_not_taken_for_a_part_of_a_users_memories(caller, narrowed):
    known = caller.field(REMEMBER, input={"text": "Mara is allergic to penicillin.", "userId": MARA.user_id})["memory"]
    forget = "mutation($input: ForgetInput!) { forget(input: $input) { batchId } }"

    for way in ({"userId": MARA.user_id}, {"ids": [known["id"]]}):
        assert caller.code(forget, input={**way, **narrowed}) == "INVALID"
        refused = caller.post("/api/v1/forget", {"ids": None, **_snake(way), **narrowed}).json()["error"]
        assert (refused["code"], "narrow a query" in refused["message"]) == ("INVALID", True)

    kept = caller.field("query($id: ID!) { memory(id: $id) { status } }", id=known["id"])
    assert kept == {"status": "ACTIVE"}


def _snake(way):
    return {{"userId": "user_id"}.get(name, name): value for name, value in way.items()}


@pytest.mark.parametrize(
    "outside", [{"verdicts": ["HOLD"]}, {"verdicts": ["ALLOW", "DISCARD"]}, {"statuses": ["ACTIVE", "DELETED"]}]
)
@pytest.mark.parametrize(
    "ask",
    [
        'query($filter: MemoryFilter!) { recall(query: "Who is allergic?", options: {filter: $filter}) { id } }',
        'query($filter: MemoryFilter!) { context(query: "Who is allergic?", options: {filter: $filter}) { text } }',
        'mutation($filter: MemoryFilter!) { forget(input: {query: "Who?", filter: $filter}) { batchId } }',
    ],
    ids=["recall", "context", "forget"],
)
def test_what_answers_no_question_is_not_asked_for(caller, ask, outside):
    (refused,) = caller.ask(ask, filter=outside)["errors"]

    assert refused["extensions"]["code"] == "INVALID"
    assert "answers no question" in refused["message"]
    assert caller.field(
        "query($filter: MemoryFilter!) { memories(filter: $filter) { edges { cursor } } }", filter=outside
    )


def test_a_context_block_comes_with_its_numbers(caller):
    caller.field(REMEMBER, input={"text": "Mara is allergic to penicillin."})

    block = caller.field('{ context(query: "What is Mara allergic to?") { recallId text tokens included available } }')

    assert "penicillin" in block["text"]
    assert block["included"] == 1
    assert block["tokens"] > 0


def test_sessions_and_checkpoints_go_by_the_callers_own_ids(caller):
    for number in (1, 2):
        caller.field(TURN, input={"sessionId": "chat/9", "userInput": f"This is what I say in turn {number}."})

    session = caller.field('{ session(sessionId: "chat/9") { sessionId agentId userId turns } }')
    latest = caller.field('{ checkpoint(sessionId: "chat/9") { turnNumber userInput } }')
    first = caller.field('{ checkpoint(sessionId: "chat/9", turn: 1) { turnNumber } }')

    assert session == {"sessionId": "chat/9", "agentId": "assistant", "userId": None, "turns": 2}
    assert latest == {"turnNumber": 2, "userInput": "This is what I say in turn 2."}
    assert first == {"turnNumber": 1}
    assert caller.field('{ session(sessionId: "unknown") { id } }') is None


def test_the_operations_log(caller):
    entry = caller.field(
        """mutation { logAction(input: {action: "restarted", tool: "worker", detail: "after a hang", reason: "lag"}) {
          id operation actor agentId action tool detail reason } }"""
    )
    listed = caller.field('{ journal(filter: {operation: "agent.logged"}) { edges { node { id detail } } } }')

    assert (entry["operation"], entry["actor"], entry["agentId"]) == ("agent.logged", "agent", "assistant")
    assert (entry["action"], entry["tool"], entry["detail"], entry["reason"]) == (
        "restarted",
        "worker",
        "after a hang",
        "lag",
    )
    assert [edge["node"] for edge in listed["edges"]] == [{"id": entry["id"], "detail": "after a hang"}]


def test_without_review_an_agent_reads_its_own_entries_only(make_caller, caller):
    caller.field('mutation { createApiKey(input: {scopes: [WRITE], agentId: "other", name: "x"}) { token } }')
    operations_of = lambda who: {  # noqa: E731
        edge["node"]["operation"] for edge in who.field("{ journal { edges { node { operation } } } }")["edges"]
    }

    assert "tenant.created" in operations_of(caller)
    assert "tenant.created" not in operations_of(make_caller("read"))
    assert make_caller("read").code('{ journal(filter: {agentId: "other"}) { edges { cursor } } }') == "FORBIDDEN"


def test_keys_are_created_shown_once_rotated_and_revoked(caller):
    made = caller.field(
        """mutation { createApiKey(input: {scopes: [READ, WRITE], agentId: "scribe", name: "laptop"}) {
          token key { id prefix name scopes agentId expiresAt } } }"""
    )
    rotated = caller.field("mutation($id: ID!) { rotateApiKey(id: $id) { token key { id } } }", id=made["key"]["id"])
    revoked = caller.field("mutation($id: ID!) { revokeApiKey(id: $id) { revokedAt } }", id=rotated["key"]["id"])

    assert made["token"].startswith(f"mp_{made['key']['prefix']}_")
    assert made["key"]["agentId"] == "scribe"
    assert sorted(made["key"]["scopes"]) == ["READ", "WRITE"]
    assert revoked["revokedAt"]


def test_the_viewer_knows_itself(tenant, make_caller):
    viewer = make_caller("read", "share").field("{ viewer { tenant agentId domain scopes limits { name perMinute } } }")

    assert (viewer["tenant"], viewer["agentId"], viewer["domain"]) == (tenant.slug, "assistant", None)
    assert viewer["scopes"] == ["READ", "SHARE"]
    assert {"name": "writes", "perMinute": 60} in viewer["limits"]


def test_weak_memories_and_rejections_are_lists(caller):
    caller.ask(REMEMBER, input={"text": "Hi."})

    assert caller.field("{ weakMemories { edges { node { id } } } }")["edges"] == []
    assert "edges" in caller.field(
        "{ rejections { edges { node { id text reason verdict at sources { speaker } } } } }"
    )


def test_shared_memories_need_the_scope_share(make_caller):
    both = make_caller("read", "write", "share")
    told = both.field(REMEMBER, input={"text": "The office closes at six on Fridays.", "visibility": "SHARED"})

    assert told["memory"]["visibility"] == "SHARED"
    assert (
        make_caller("read", "write").code(REMEMBER, input={"text": "Another shared fact.", "visibility": "SHARED"})
        == "FORBIDDEN"
    )


def test_an_unknown_memory_is_null(caller):
    assert caller.field("query($id: ID!) { memory(id: $id) { id } }", id=str(uuid4())) is None
    assert caller.field("query($id: ID!) { explainMemory(id: $id) { memory { id } } }", id=str(uuid4())) is None
    assert caller.code('{ memory(id: "no uuid") { id } }') == "INVALID"


@pytest.mark.parametrize("units", [["NOTE"], ["EPISODE", "SUMMARY"], []])
def test_units_that_answer_no_question_are_not_asked_for(caller, units):
    ask = 'query($units: [Unit!]!) { recall(query: "Who is allergic?", options: {units: $units}) { id } }'

    (refused,) = caller.ask(ask, units=units)["errors"]

    assert refused["extensions"]["code"] == "INVALID"
    assert "ITEM, EPISODE or both" in refused["message"]
