import json
import re

import pytest
from django.test import Client

from apps.api.admission import LONGEST_TEXT, camel_case
from apps.api.sessions.ingesting import MOST_LINES
from apps.core.clock import now
from apps.core.scope import tenant_scope
from apps.resources.models import Resource
from apps.tenants import services
from apps.tenants.models import Policy
from tests.openapi import paths

NDJSON = "application/x-ndjson"
ID = "00000000-0000-7000-8000-000000000000"


def _line(number, **fields):
    return {
        "external_id": f"m{number}",
        "session_id": "import",
        "speaker": "Mara",
        "content": f"I planted {number} apple trees behind the house.",
        "content_at": "2026-03-01T09:00:00Z",
        **fields,
    }


def _ndjson(*lines):
    return "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)


def test_ingest_answers_each_line_and_is_idempotent(caller):
    body = _ndjson(_line(1), _line(2), "", "{broken", _line(3, content=" "), _line(4, surprise=1), {"external_id": "5"})

    first = caller.post("/api/v1/ingest", body, NDJSON).json()
    again = caller.post("/api/v1/ingest", body, NDJSON).json()
    other = caller.post("/api/v1/ingest", _ndjson(_line(1, content="Something else.")), NDJSON).json()

    assert [(each["line"], each["status"]) for each in first["results"]] == [
        (1, "accepted"),
        (2, "accepted"),
        (4, "invalid"),
        (5, "invalid"),
        (6, "invalid"),
        (7, "invalid"),
    ]
    assert [each["field"] for each in first["results"]][3:5] == ["content", "surprise"]
    assert (first["accepted"], first["invalid"], first["refused"]) == (2, 4, 0)
    assert (again["accepted"], again["duplicate"]) == (0, 2)
    assert again["results"][0]["resource_id"] == first["results"][0]["resource_id"]
    assert (other["conflict"], other["results"][0]["status"]) == (1, "conflict")


def test_ingest_can_answer_line_by_line(caller):
    response = caller.post("/api/v1/ingest", _ndjson(_line(1), _line(2)), NDJSON, Accept=NDJSON)

    lines = [json.loads(line) for line in response.content.splitlines()]
    assert response.headers["Content-Type"] == NDJSON
    assert [(line["line"], line["status"]) for line in lines] == [(1, "accepted"), (2, "accepted")]


def test_ingest_takes_more_lines_than_a_chunk(caller, tenant):
    answer = caller.post("/api/v1/ingest", _ndjson(*(_line(number) for number in range(1_100))), NDJSON).json()

    assert answer["accepted"] == 1_100
    with tenant_scope(tenant.id):
        assert Resource.objects.filter(tenant_id=tenant.id).count() == 1_100


@pytest.mark.parametrize("junk", [b"\n", b" \r\n", b"{\n"])
def test_ingest_reads_no_more_lines_than_a_request_may_have(caller, tenant, junk):
    body = junk * (MOST_LINES - 1) + _ndjson(_line(1)).encode() + b"\n" * 1_000 + _ndjson(_line(2)).encode()

    answer = caller.post("/api/v1/ingest", body, NDJSON).json()

    last = answer["results"][-1]
    assert answer["accepted"] == 1
    assert (last["line"], last["status"]) == (MOST_LINES + 1, "invalid")
    assert last["error"] == "A request has at most 50000 lines, blank ones included; the rest was not read."
    with tenant_scope(tenant.id):
        assert Resource.objects.filter(tenant_id=tenant.id).count() == 1


def test_the_ingest_limit_admits_a_part_and_says_when_to_come_back(caller, tenant):
    with tenant_scope(tenant.id):
        services.change(Policy.objects.get(tenant_id=tenant.id), {"ingest_lines_per_minute": 5})

    first = caller.post("/api/v1/ingest", _ndjson(*(_line(number) for number in range(8))), NDJSON)
    second = caller.post("/api/v1/ingest", _ndjson(_line(9)), NDJSON)

    assert first.status_code == 200
    assert (first.json()["accepted"], first.json()["refused"]) == (5, 3)
    assert 0 < first.json()["retry_after"] <= 60
    assert (second.status_code, second.json()["error"]["code"]) == (429, "RATE_LIMITED")
    assert int(second.headers["Retry-After"]) >= 1


def test_a_body_over_the_limit_is_refused(caller, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 2_000

    for path, body, kind in (
        ("/api/v1/ingest", _ndjson(*(_line(number) for number in range(50))), NDJSON),
        ("/api/v1/recall", {"query": "x" * 3_000}, "application/json"),
    ):
        refused = caller.post(path, body, kind)
        assert (refused.status_code, refused.json()["error"]["code"]) == (413, "INVALID")
    assert caller.post("/graphql", {"query": f"{{ viewer {{ tenant }} }} #{'x' * 3_000}"}).status_code == 413


def test_recall_names_unit_scores_and_external_ids(caller, run_jobs):
    caller.post("/api/v1/ingest", _ndjson(_line(1, content="My sister Ines is getting married in Porto.")), NDJSON)
    run_jobs()

    answer = caller.post("/api/v1/recall", {"query": "Where is Ines getting married?"}).json()

    hit = answer["hits"][0]
    assert hit["unit"] in {"item", "episode"}
    assert hit["scores"]["keyword"] is not None
    assert hit["sources"][0]["external_id"] == "m1"
    used = caller.post(f"/api/v1/recalls/{answer['id']}/output", {"output": "Ines marries in Porto."}).json()
    assert used["used"] + used["ignored"] == len(answer["hits"])


def test_the_verbs_on_memories(caller):
    told = caller.post("/api/v1/memories", {"text": "Mara works as a nurse at the Santa Maria hospital."}).json()
    there = f"/api/v1/memories/{told['memory']['id']}"

    assert told["outcome"] == "stored"
    assert caller.get(there).json()["agent_id"] == "assistant"
    assert caller.post(f"{there}/confirm", {}).json()["protected"] is True
    assert caller.get(f"{there}/explain").json()["memory"]["id"] == told["memory"]["id"]
    assert caller.get("/api/v1/memories", first=1).json()["items"][0]["id"] == told["memory"]["id"]
    assert caller.get("/api/v1/memories", kind=["opinion"]).json()["items"] == []
    short = told["memory"]["id"][-8:]
    assert [each["id"] for each in caller.get("/api/v1/memories", id_part=short).json()["items"]] == [
        told["memory"]["id"]
    ]
    assert caller.get("/api/v1/memories", id_part=f"{short}0").json()["items"] == []
    assert caller.get("/api/v1/memories", id_part="%%%%").json()["items"] == []
    assert caller.get("/api/v1/memories", id_part="abc").json()["error"]["code"] == "INVALID"
    assert caller.post(f"{there}/unmerge", "").status_code == 409
    caller.post("/api/v1/memories", {"text": "Mara works as a nurse at the Santa Maria hospital."})
    (wording,) = caller.get(f"{there}/explain").json()["merged"]
    superseded = {"status": ["superseded"]}
    named = caller.get("/api/v1/memories", id_part=wording["id"][-8:], **superseded).json()["items"]
    assert [each["id"] for each in named] == [wording["id"]]
    assert caller.get("/api/v1/memories", **superseded).json()["items"] == []
    assert caller.post(f"/api/v1/memories/{wording['id']}/unmerge", "").json()["status"] == "active"
    assert caller.post("/api/v1/forget", {"ids": [wording["id"]]}).status_code == 200
    assert "nurse" in caller.post("/api/v1/context", {"query": "Where does Mara work?"}).json()["text"]
    gone = caller.post("/api/v1/forget", {"ids": [told["memory"]["id"]]}).json()
    assert [item["id"] for item in gone["items"]] == [told["memory"]["id"]]
    assert caller.post("/api/v1/restore", {"batch_id": gone["batch_id"]}).status_code == 200
    corrected = caller.post(f"{there}/correct", {"text": "Mara works as a doctor at the Santa Maria hospital."}).json()
    assert (corrected["outcome"], corrected["supersedes"]["id"]) == ("superseded", told["memory"]["id"])


def test_memories_are_listed_as_of_a_moment(caller):
    told = caller.post("/api/v1/memories", {"text": "Harbor runs on PostgreSQL 15."}).json()["memory"]
    moment = now().isoformat()
    caller.post(f"/api/v1/memories/{told['id']}/correct", {"text": "Harbor runs on PostgreSQL 17."})

    then = caller.get("/api/v1/memories", as_of=moment).json()["items"]
    (held,) = caller.get("/api/v1/memories").json()["items"]

    assert [each["id"] for each in then] == [told["id"]]
    assert held["id"] != told["id"]
    assert caller.get("/api/v1/memories", as_of="2026-03-01T09:00:00").json()["error"]["field"] == "as_of"


def test_a_session_is_told_what_was_forgotten_without_its_words(caller):
    told = caller.post("/api/v1/memories", {"text": "Harbor runs on PostgreSQL 15."}).json()["memory"]["id"]
    asked = {"query": "Which PostgreSQL does Harbor run on?", "session_id": "chat/1"}
    caller.post("/api/v1/context", asked)
    gone = caller.post("/api/v1/forget", {"ids": [told], "dry_run": False}).json()
    assert gone["batch_id"] is not None

    then, again = (caller.post("/api/v1/context", asked) for _ in range(2))

    (change,) = then.json()["changed"]
    assert "PostgreSQL 15" not in then.content.decode()
    assert (change["id"], change["became"], change["text"], change["tag"]) == (told, "forgotten", None, None)
    assert again.json()["changed"] == []


def test_a_session_is_not_given_a_memory_twice(caller):
    told = caller.post("/api/v1/memories", {"text": "Harbor runs on PostgreSQL 15."}).json()["memory"]["id"]
    asked = {"query": "Which PostgreSQL does Harbor run on?", "session_id": "chat/1"}

    first, again = (caller.post("/api/v1/context", asked).json() for _ in range(2))
    opened = caller.post("/api/v1/context", {"session_id": "chat/1", "explain": True}).json()
    (hit,) = caller.post("/api/v1/recall", asked).json()["hits"]

    assert [each["id"] for each in first["hits"]] == [told]
    assert (again["hits"], again["available"], again["changed"], again["explanation"]) == ([], 0, [], None)
    assert [(each["id"], each["reason"]) for each in opened["explanation"]["left_out"]] == [(told, "already_given")]
    assert (hit["id"], hit["already_given"]) == (told, True)


def test_sessions_jobs_journal_stats_and_viewer(caller, tenant):
    turn = caller.post("/api/v1/capture", {"session_id": "chat/1", "user_input": "I live in Porto."}).json()

    assert (turn["session_id"], turn["turn_number"]) == ("chat/1", 1)
    assert caller.get("/api/v1/sessions/chat/1").json()["turns"] == 1
    assert caller.get("/api/v1/sessions/chat/1/checkpoint").json()["user_input"] == "I live in Porto."
    assert len(caller.get("/api/v1/sessions/chat/1/replay", turn=1).json()["items"]) == 1
    assert {job["state"] for job in caller.get("/api/v1/jobs", ids=turn["job_ids"]).json()["items"]} == {"queued"}
    assert caller.get("/api/v1/stats").json()["episodes"] == 1
    assert caller.get("/api/v1/viewer").json()["tenant"] == tenant.slug
    assert caller.post("/api/v1/journal", {"action": "looked", "detail": "why not"}).json()["detail"] == "why not"
    listed = caller.get("/api/v1/journal", operation="agent.logged").json()
    assert [entry["action"] for entry in listed["items"]] == ["looked"]


def test_keys_are_listed_rotated_with_an_overlap_and_revoked(caller):
    made = caller.post("/api/v1/keys", {"scopes": ["read"], "agent_id": "scribe", "name": "ci"}).json()
    rotated = caller.post(f"/api/v1/keys/{made['key']['id']}/rotate", {"overlap_seconds": 60}).json()
    revoked = caller.post(f"/api/v1/keys/{rotated['key']['id']}/revoke", {}).json()
    listed = caller.get("/api/v1/keys").json()["items"]

    assert revoked["revoked_at"]
    assert {key["agent_id"] for key in listed} == {"assistant", "scribe"}
    assert not any("token" in key or "secret" in str(key) for key in listed)
    as_scribe = {"Authorization": f"Bearer {made['token']}"}
    assert Client().get("/api/v1/viewer", headers=as_scribe).status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/api/v1/recall", {}, "query"),
        ("/api/v1/recall", {"query": "x", "limit": 101}, "limit"),
        ("/api/v1/recall", {"query": "x", "as_of": "2026-03-01T09:00:00"}, "as_of"),
        ("/api/v1/memories", {"text": "x", "surprise": 1}, "surprise"),
        ("/api/v1/keys", {"scopes": ["everything"]}, "scopes.0"),
    ],
)
def test_wrong_input_names_its_field(caller, path, body, field):
    refused = caller.post(path, body)

    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "INVALID")
    assert refused.json()["error"]["field"].endswith(field)


def _query_parameters():
    """Path and name of every query parameter there is, with those its route cannot do without."""
    for path, operations in _paths().items():
        for operation in operations.values():
            parameters = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
            needed = {each["name"]: ID for each in parameters if each["required"]}
            for each in parameters:
                yield re.sub(r"{\w+}", ID, path), each["name"], needed


def test_every_wrong_or_missing_query_parameter_is_named(caller):
    calls = {}
    for path, name, needed in _query_parameters():
        calls[path, name, "wrong"] = {**needed, name: "x" * (LONGEST_TEXT + 1)}
        if name in needed:
            calls[path, name, "missing"] = {other: value for other, value in needed.items() if other != name}

    told = {(path, name, why): caller.get(path, **query).json() for (path, name, why), query in calls.items()}

    assert {path for path, *_ in told} >= {"/api/v1/jobs", "/api/v1/memories", f"/api/v1/memories/{ID}", "/api/v1/path"}
    named = {asked: answer["error"].get("field", "").split(".")[0] for asked, answer in told.items()}
    assert {asked: camel_case(field) for asked, field in named.items()} == {
        asked: camel_case(asked[1]) for asked in calls
    }


def _routes():
    """Every route: method, path, the query parameters it has, and those it cannot do without."""
    for path, operations in _paths().items():
        for method, operation in operations.items():
            query = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
            needed = {each["name"]: ID for each in query if each["required"]}
            yield method, re.sub(r"{\w+}", ID, path), {each["name"] for each in query}, needed


def test_a_list_in_a_query_string_takes_a_single_value(caller):
    lists = [
        (re.sub(r"{\w+}", ID, path), each["name"])
        for path, operations in _paths().items()
        for each in operations.get("get", {}).get("parameters", ())
        if each["in"] == "query" and _is_list(each["schema"])
    ]

    told = {(path, name): caller.get(path, **{name: "x"}).json() for path, name in lists}

    assert len(lists) > 8
    assert [
        asked for asked, answer in told.items() if "valid tuple" in answer.get("error", {}).get("message", "")
    ] == []


def _is_list(schema):
    return any(each.get("type") == "array" for each in (schema, *schema.get("anyOf", ())))


def _paths():
    return {f"/api/v1{path}": operations for path, operations in paths().items()}


def test_a_query_parameter_that_a_route_does_not_have_is_refused_and_those_it_has_are_named(caller):
    tried = {}
    for method, path, known, needed in _routes():
        if method == "get":
            tried[path] = caller.get(path, **needed, surprise="1").json()["error"], known

    assert len(tried) > 20
    assert {path: (error["code"], error["field"]) for path, (error, _) in tried.items()} == dict.fromkeys(
        tried, ("INVALID", "surprise")
    )
    assert {path: error["hint"] for path, (error, _) in tried.items()} == {
        path: f"Known here: {', '.join(sorted(known))}." if known else "This route has none."
        for path, (_, known) in tried.items()
    }


@pytest.mark.parametrize(("path", "unknown"), [("/api/v1/usage", "by"), ("/api/v1/memories", "limit")])
def test_a_misspelt_parameter_is_not_taken_for_none(caller, path, unknown):
    refused = caller.get(path, **{unknown: "5"})

    assert (refused.status_code, refused.json()["error"]["field"]) == (422, unknown)
    assert "first" in refused.json()["error"]["hint"]


@pytest.mark.parametrize(
    ("narrowed", "elsewhere"),
    [
        ({"service": "billing"}, {"service": "search"}),
        ({"min_confidence": "0.75"}, {"min_confidence": "0.95"}),
        ({"agent_id": "assistant"}, {"agent_id": "nobody"}),
    ],
)
def test_a_list_of_memories_is_narrowed_as_graphql_narrows_it(caller, narrowed, elsewhere):
    said = {"text": "Invoices are sent on Fridays.", "service": "billing", "confidence": 0.8}
    stored = caller.post("/api/v1/memories", said).json()["memory"]["id"]

    assert [each["id"] for each in caller.get("/api/v1/memories", **narrowed).json()["items"]] == [stored]
    assert caller.get("/api/v1/memories", **elsewhere).json()["items"] == []


def test_what_is_sent_in_a_body_is_not_taken_from_the_address(caller):
    refused = caller.post("/api/v1/memories?visibility=shared", {"text": "Mara is a nurse."})

    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "visibility")
    assert caller.get("/api/v1/memories").json()["items"] == []


def test_what_a_caller_got_wrong_is_no_line_in_the_servers_log(caller, caplog):
    wrong = [caller.get("/api/v1/nowhere"), caller.get("/api/v1/memories/xyz"), caller.post("/api/v1/recall", {})]

    assert [answer.status_code for answer in wrong] == [404, 422, 422]
    assert [record.name for record in caplog.records if record.name.startswith("django")] == []


def test_a_method_that_a_route_does_not_have_is_told_in_json(nobody):
    there = {}
    for method, path, *_ in _routes():
        there.setdefault(path, set()).add(method.upper())

    told = {path: Client().put(path, headers={"Accept": "text/html"}) for path in there}

    assert {answer.status_code for answer in told.values()} == {405}
    assert {path: answer.headers["Allow"] for path, answer in told.items()} == {
        path: ", ".join(sorted(methods)) for path, methods in there.items()
    }
    assert {answer.json()["error"]["code"] for answer in told.values()} == {"INVALID"}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/api/v1/memories/xyz", "memory_id: this is no id; an id is a UUID, as answers give it"),
        ("/api/v1/usage?since=2030-01-01", "since: a time needs its time zone; an example is 2026-03-01T09:00:00Z"),
        ("/api/v1/usage?since=tomorrow", "since: this is no time; an example is 2026-03-01T09:00:00Z"),
    ],
)
def test_what_is_wrong_is_told_in_plain_words(caller, path, wanted):
    assert caller.get(path).json()["error"]["message"] == wanted


def test_a_wrong_part_of_the_path_is_named(caller):
    refused = caller.get("/api/v1/memories/nonsense").json()["error"]

    assert (refused["code"], refused["field"]) == ("INVALID", "memory_id")
    assert refused["message"].startswith("memory_id: ")


def test_unknown_ids_and_pages_are_refused_in_one_form(caller):
    assert caller.get(f"/api/v1/memories/{ID}").json()["error"]["code"] == "NOT_FOUND"
    assert caller.get("/api/v1/memories", first=101).json()["error"] == {
        "code": "INVALID",
        "message": "first: Input should be less than or equal to 100",
        "field": "first",
    }
    assert caller.get("/api/v1/memories", after="nonsense").json()["error"]["field"] == "after"
    assert caller.post("/api/v1/recall", "{broken").json()["error"]["code"] == "INVALID"


def test_the_documentation_needs_no_other_host(caller):
    page = Client().get("/api/v1/docs").content.decode()

    assert "//cdn" not in page
    assert "https://" not in page.replace('href="https://django-ninja', "")


def test_an_empty_user_is_refused_and_not_taken_for_none(caller):
    answer = caller.get("/api/v1/shared-memory", query="tea", user_id="")

    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "userId")


def test_the_last_turns_of_a_session_are_left_to_those_without_a_number(caller):
    last = caller.post("/api/v1/capture", {"session_id": "long", "turn_number": 2**30 - 1, "user_input": "Hello you."})
    next_ = caller.post("/api/v1/capture", {"session_id": "long", "user_input": "Hello again."})
    beyond = caller.post("/api/v1/capture", {"session_id": "long", "turn_number": 2**31 - 1, "user_input": "Oh."})

    assert [answer.status_code for answer in (last, next_, beyond)] == [200, 200, 422]
    assert next_.json()["turn_number"] == 2**30


@pytest.mark.parametrize("offset", ["+23:00", "-16:00", "+14:00"])
def test_an_offset_that_no_zone_has_is_refused_in_every_time(caller, offset):
    time = f"2030-05-01T12:00:00{offset}"
    calls = {
        "/api/v1/recall": {"query": "tea", "as_of": time, "valid_at": time},
        "/api/v1/memories": {"text": "Anna likes green tea.", "occurred_at": time},
        "/api/v1/keys": {"scopes": ["read"], "expires_at": time},
    }
    expected = 200 if offset == "+14:00" else 422

    assert {path: caller.post(path, body).status_code for path, body in calls.items()} == dict.fromkeys(calls, expected)
    in_words = caller.post("/api/v1/recall", {"query": "tea", "filter": {"after": time}})
    assert in_words.status_code == 200
