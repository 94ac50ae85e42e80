"""What the clients send and make of the answers."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from memory_client import AsyncMemoryClient, MemoryClient, bulk, errors
from memory_client import watching as watching_module
from memory_client.contract import Capture, Checkpoint, Count, IngestedLine, Job, JobCode, Recall
from memory_client.decoding import one
from tests.cast import ADAM, MARA
from tests.sdk.asking import AT_ONCE, sent

LINE = {"external_id": "m", "session_id": "s", "speaker": "Mara", "content": "Hello"}
CAPTURED = {"session_id": "chat", "turn_number": 3, "resource_ids": ["r"], "job_ids": ["j"], "duplicate": False}
MODEL = "openai:gpt-4o-mini:extraction.v2"
NOBODYS = {"next": None, "items": []}


def job(state: str) -> dict[str, Any]:
    return {
        "id": "j",
        "name": "memory.observe",
        "state": state,
        "attempts": 1,
        "error": None,
        "outcome": [{"name": "stored", "count": 2}],
        "codes": [{"name": "extractor", "code": MODEL}],
        "created_at": "2026-03-02T09:00:00Z",
        "started_at": None,
        "finished_at": None,
    }


def test_a_turn_is_sent_without_what_is_absent(httpserver: HTTPServer, ask):
    httpserver.expect_request("/api/v1/capture", method="POST").respond_with_json(CAPTURED)

    done = ask("capture_turn", "chat", user_input="Hi", occurred_at=datetime(2026, 3, 2, tzinfo=UTC))

    assert done == Capture("chat", 3, ("r",), ("j",), duplicate=False)
    assert sent(httpserver) == {"session_id": "chat", "user_input": "Hi", "occurred_at": "2026-03-02T00:00:00+00:00"}


def test_answers_are_records_with_times_and_go_back_to_json(httpserver: HTTPServer, ask):
    httpserver.expect_request("/api/v1/jobs", query_string="ids=j&ids=k").respond_with_json(
        {"items": [{**job("done"), "of_a_newer_server": 1}]}
    )

    (done,) = ask("jobs", ["j", "k"])

    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    said = (Count("stored", 2),), (JobCode("extractor", MODEL),)
    assert done == Job("j", "memory.observe", "done", 1, None, *said, at, None, None)
    assert done.as_dict() == {**job("done"), "created_at": "2026-03-02T09:00:00+00:00"}


def test_what_a_tool_said_stays_as_it_was():
    calls = [{"name": "search", "arguments": {"since": "2026-03-02", "deep": [None, 1.5]}}]
    told = {
        "id": "c",
        "turn_number": 1,
        "user_id": None,
        "user_input": None,
        "tool_calls": calls,
        "llm_output": None,
        "internal_state": None,
        "occurred_at": "2026-03-02T09:00:00Z",
    }

    assert one(Checkpoint)(told).tool_calls == calls


def test_options_of_all_kinds_travel(httpserver: HTTPServer, ask):
    answer = {
        "id": "q",
        "hits": [],
        "rewritten_query": "Where?",
        "intent": "general",
        "profile": "lean",
        "tier": 1,
        "degraded": ["vector"],
        "cost_usd": None,
        "took_ms": 3.0,
        "available": 0,
        "explanation": None,
        "changed": [],
        "already_given": 0,
    }
    httpserver.expect_request("/api/v1/recall").respond_with_json(answer)

    found = ask(
        "recall",
        "Where?",
        profile="lean",
        explain=False,
        valid_at=datetime(2026, 3, 2, tzinfo=UTC),
        filter={"kinds": ("fact",), "visibility": "shared"},
        messages=[{"role": "user", "content": "Hi"}],
    )

    assert isinstance(found, Recall)
    assert (found.degraded, found.cost_usd, found.explanation) == (("vector",), None, None)
    assert sent(httpserver) == {
        "query": "Where?",
        "profile": "lean",
        "explain": False,
        "valid_at": "2026-03-02T00:00:00+00:00",
        "filter": {"kinds": ["fact"], "visibility": "shared"},
        "messages": [{"role": "user", "content": "Hi"}],
    }


def test_words_of_a_path_and_a_query_are_encoded(httpserver: HTTPServer, ask):
    httpserver.expect_request("/api/v1/sessions/a/b c?/replay").respond_with_json({"items": []})
    httpserver.expect_request("/api/v1/path").respond_with_json({"connected": False, "steps": []})

    assert ask("replay", "a/b c?", turn=2) == ()
    assert not ask("path", "x", "y", all_users=True).connected

    (replay, _), (way, _) = httpserver.log
    assert (replay.environ["RAW_URI"], dict(replay.args)) == (
        "/api/v1/sessions/a%2Fb%20c%3F/replay?turn=2",
        {"turn": "2"},
    )
    assert dict(way.args) == {"from": "x", "to": "y", "all_users": "true"}


@pytest.mark.parametrize(
    ("user_id", "header"), [(MARA.user_id, MARA.user_id), ("Åsa b/c%", "%C3%85sa%20b%2Fc%25"), (None, None)]
)
def test_every_request_names_the_user(httpserver: HTTPServer, open_client, user_id: str | None, header: str | None):
    httpserver.expect_request("/graphql").respond_with_json({"data": {}})
    httpserver.expect_request("/api/v1/entities").respond_with_json(NOBODYS)
    ask = open_client(httpserver.url_for("/"), user_id=user_id)

    ask("graphql", "{ viewer { tenant } }")
    ask("entities")

    assert [request.headers.get("Memory-User") for request, _ in httpserver.log] == [header] * 2
    assert {request.headers["Authorization"] for request, _ in httpserver.log} == {"Bearer mp_key"}


def test_one_client_speaks_for_many_users(httpserver: HTTPServer):
    httpserver.expect_request("/api/v1/entities").respond_with_json(NOBODYS)

    with MemoryClient(httpserver.url_for("/"), "mp_key") as client:
        for each in (client.for_user(MARA.user_id), client.for_user(ADAM.user_id), client):
            each.entities()

    assert [request.headers.get("Memory-User") for request, _ in httpserver.log] == [MARA.user_id, ADAM.user_id, None]


def count_on(request: Request) -> Response:
    after = int(request.args.get("after", "0"))
    items = [{"week": "2026-03-02", "stage": "gate", "reason": str(after), "count": after}]
    entries = [
        {
            "id": str(after),
            "at": "2026-03-02T09:00:00Z",
            "operation": each["stage"],
            "actor": request.args.get("actor"),
            "agent_id": None,
            "subject": "",
            "subject_id": None,
            "request_id": "",
            "data": {},
            "action": "",
            "tool": "",
            "detail": "",
            "reason": "",
        }
        for each in items
    ]
    return Response(json.dumps({"items": entries, "next": str(after + 1) if after < 2 else None}))


def test_rows_come_over_all_pages(httpserver: HTTPServer):
    httpserver.expect_request("/api/v1/journal").respond_with_handler(count_on)

    with MemoryClient(httpserver.url_for("/"), "mp_key") as client:
        rows = client.iter_journal(actor="agent", first=1)
        first = next(rows)
        asked_for_one = len(httpserver.log)
        rest = list(rows)

    assert asked_for_one == 1
    assert [(each.id, each.actor) for each in (first, *rest)] == [("0", "agent"), ("1", "agent"), ("2", "agent")]


def test_rows_come_over_all_pages_awaited(httpserver: HTTPServer):
    httpserver.expect_request("/api/v1/journal").respond_with_handler(count_on)

    async def rows() -> list[str]:
        async with AsyncMemoryClient(httpserver.url_for("/"), "mp_key") as client:
            return [each.id async for each in client.iter_journal()]

    assert asyncio.run(rows()) == ["0", "1", "2"]


def test_waiting_ends_with_the_jobs(httpserver: HTTPServer, ask):
    for state in ("queued", "running", "failed"):
        httpserver.expect_ordered_request("/api/v1/jobs").respond_with_json({"items": [job(state)]})
    seen: list[int] = []

    (ended,) = ask("wait_for", ["j"], progress=seen.append)

    assert (ended.state, seen) == ("failed", [0, 0, 1])


def test_waiting_has_an_end(httpserver: HTTPServer, ask):
    httpserver.expect_request("/api/v1/jobs").respond_with_json({"items": [job("running")]})

    with pytest.raises(TimeoutError, match=r"^1 of 1 jobs were not done after 0 s\."):
        ask("wait_for", ["j"], timeout=0.2)


def test_nothing_to_wait_for_is_no_request(httpserver: HTTPServer, ask):
    assert ask("wait_for", []) == ()
    assert httpserver.log == []


class LimitedServer:
    """Takes `allowance` lines a request and refuses the rest; lines without an id are invalid."""

    def __init__(self, allowance: int) -> None:
        self.allowance = allowance
        self.sizes: list[int] = []
        self.seen: set[str] = set()

    def __call__(self, request: Request) -> Response:
        assert request.headers["Content-Type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in request.get_data().splitlines()]
        self.sizes.append(len(lines))
        if self.allowance == 0:
            problem = {"code": "RATE_LIMITED", "message": "The limit is reached.", "retryAfter": 0.01}
            return Response(json.dumps({"error": problem}), status=429)
        results = [
            {
                "line": number,
                "status": self._status(line) if number <= self.allowance else "refused",
                "resource_id": None,
                "error": None,
                "field": None,
            }
            for number, line in enumerate(lines, 1)
        ]
        counts = dict.fromkeys(("accepted", "duplicate", "forgotten", "invalid", "conflict", "refused"), 0)
        retry_after = 0.01 if len(lines) > self.allowance else None
        return Response(json.dumps({**counts, "results": results, "retry_after": retry_after}))

    def _status(self, line: dict[str, Any]) -> str:
        if not line["external_id"]:
            return "invalid"
        if line["external_id"] in self.seen:
            return "duplicate"
        self.seen.add(line["external_id"])
        return "accepted"


def test_bulk_sends_refused_lines_again_and_numbers_results_as_the_caller_does(httpserver: HTTPServer, ask):
    server = LimitedServer(allowance=2)
    httpserver.expect_request("/api/v1/ingest", method="POST").respond_with_handler(server)

    answer = ask("ingest", ({**LINE, "external_id": name} for name in ("a", "b", "", "a", "c")))

    assert server.sizes == [5, 3, 1]
    assert [(each.line, each.status) for each in answer.results] == [
        (1, "accepted"),
        (2, "accepted"),
        (3, "invalid"),
        (4, "duplicate"),
        (5, "accepted"),
    ]
    assert (answer.accepted, answer.duplicate, answer.invalid, answer.conflict, answer.refused) == (3, 1, 1, 0, 0)


def test_bulk_travels_in_parts(httpserver: HTTPServer, ask):
    server = LimitedServer(allowance=bulk.BATCH_LINES)
    httpserver.expect_request("/api/v1/ingest").respond_with_handler(server)

    answer = ask("ingest", ({**LINE, "external_id": f"m-{number}"} for number in range(bulk.BATCH_LINES + 7)))

    assert server.sizes == [bulk.BATCH_LINES, 7]
    assert answer.accepted == bulk.BATCH_LINES + 7
    assert answer.results[-1] == IngestedLine(bulk.BATCH_LINES + 7, "accepted", None, None, None)


def test_bulk_gives_up_when_nothing_gets_in(httpserver: HTTPServer, ask):
    server = LimitedServer(allowance=0)
    httpserver.expect_request("/api/v1/ingest").respond_with_handler(server)

    with pytest.raises(errors.RateLimited, match=r"^The server refuses 1 lines\.$"):
        ask("ingest", [LINE])

    assert len(server.sizes) == (bulk.WAITS_WITHOUT_PROGRESS + 1) * AT_ONCE.attempts


def test_nothing_in_bulk_is_no_request(httpserver: HTTPServer, ask):
    assert ask("ingest", []).results == ()
    assert httpserver.log == []


def test_a_batch_is_bounded_in_bytes():
    line = b"x" * (bulk.BATCH_BYTES // 2)
    huge = b"x" * (bulk.BATCH_BYTES + 1)

    sizes = [[number for number, _ in batch] for batch in bulk.batches([line, line, line, huge, line])]

    assert sizes == [[1, 2], [3], [4], [5]]


def test_any_path_can_be_asked(httpserver: HTTPServer, ask):
    httpserver.expect_request("/api/v1/new", method="GET", query_string="a=1&b=x&b=y").respond_with_json({"c": None})
    httpserver.expect_request("/api/v1/new", method="POST", json={"d": [1]}).respond_with_json({"e": 2})

    assert ask("rest", "GET", "/api/v1/new", query={"a": 1, "b": ["x", "y"], "z": None}) == {"c": None}
    assert ask("rest", "POST", "/api/v1/new", body={"d": [1], "z": None}) == {"e": 2}


def event(number: int) -> dict[str, Any]:
    return {
        "id": str(number),
        "kind": "stored",
        "at": "2026-03-02T09:00:00+00:00",
        "subject": "memory",
        "subject_id": f"m{number}",
        "related_id": None,
        "agent_id": "assistant",
        "user_id": None,
        "code": None,
    }


def watching(httpserver: HTTPServer, *answers: Any) -> list[str | None]:
    """Serve these answers in turn, then nothing new; the ids behind which was asked."""
    asked: list[str | None] = []
    left = list(answers)

    def answer(request: Request) -> Response:
        asked.append(request.args.get("after"))
        given = left.pop(0) if left else {"items": [], "next": asked[-1]}
        if isinstance(given, Response):
            return given
        return Response(json.dumps({"missed": False, **given}), content_type="application/json")

    httpserver.expect_request("/api/v1/events").respond_with_handler(answer)
    return asked


def test_events_are_asked_for_behind_the_last_one_also_when_the_server_was_away(httpserver: HTTPServer, monkeypatch):
    monkeypatch.setattr(watching_module, "AWAY_SECONDS", 0.01)
    asked = watching(
        httpserver,
        {"items": [], "next": "4"},
        {"items": [event(5), event(6)], "next": "6"},
        *[Response(status=503)] * 6,
        {"items": [event(9)], "next": "9"},
    )

    with MemoryClient(httpserver.url_for("/"), "mp_key", retries=AT_ONCE) as client:
        found = [each.id for _, each in zip(range(3), client.watch(), strict=False)]

    assert found == ["5", "6", "9"]
    assert asked == [None, "4", *["6"] * 7]


def test_the_awaiting_client_watches_too_and_ends_in_time(httpserver: HTTPServer):
    asked = watching(httpserver, {"items": [event(1)], "next": "1"})

    async def watch() -> list[str]:
        async with AsyncMemoryClient(httpserver.url_for("/"), "mp_key", retries=AT_ONCE) as client:
            return [each.id async for each in client.watch(after="0", seconds=0.2)]

    assert asyncio.run(watch()) == ["1"]
    assert asked[:2] == ["0", "1"]


def test_a_refused_key_ends_the_watch(httpserver: HTTPServer):
    refusal = {"error": {"code": "UNAUTHENTICATED", "message": "The API key is not valid."}}
    httpserver.expect_request("/api/v1/events").respond_with_json(refusal, status=401)

    with (
        MemoryClient(httpserver.url_for("/"), "mp_key", retries=AT_ONCE) as client,
        pytest.raises(errors.Unauthenticated),
    ):
        next(client.watch())
