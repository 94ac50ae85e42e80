"""MemoryAgent's own logic: what it sends, how it waits, how bulk travels."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from memory_platform import errors
from memory_platform.client import MemoryAgent, bulk
from memory_platform.client.results import Capture, Hit, Source

LINE = {"external_id": "m", "session_id": "s", "speaker": "Mara", "content": "Hello"}


@pytest.fixture
def agent(httpserver: HTTPServer) -> Iterator[MemoryAgent]:
    with MemoryAgent(httpserver.url_for("/"), "mp_key") as opened:
        yield opened


def variables(httpserver: HTTPServer) -> dict[str, Any]:
    request, _ = httpserver.log[-1]
    return json.loads(request.get_data())["variables"]


def test_a_turn_is_sent_without_what_is_absent(httpserver: HTTPServer, agent: MemoryAgent):
    answer = {"sessionId": "chat", "turnNumber": 3, "resourceIds": ["r"], "jobIds": ["j"], "duplicate": False}
    httpserver.expect_request("/graphql").respond_with_json({"data": {"captureTurn": answer}})

    done = agent.capture_turn("chat", user_input="Hi", occurred_at=datetime(2026, 3, 2, tzinfo=UTC))

    assert done == Capture("chat", 3, ("r",), ("j",), duplicate=False)
    assert variables(httpserver) == {
        "input": {"sessionId": "chat", "userInput": "Hi", "occurredAt": "2026-03-02T00:00:00+00:00"}
    }


def test_hits_are_records(httpserver: HTTPServer, agent: MemoryAgent):
    source = {"resourceId": "r", "externalId": None, "speaker": "Mara", "saidAt": "2026-03-02T09:00:00Z", "quote": None}
    hit = {
        "rank": 1,
        "unit": "ITEM",
        "id": "i",
        "text": "Mara lives in Lisbon.",
        "score": 1.2,
        "confidence": 0.9,
        "ageDays": 2.0,
        "tags": ["STALE"],
        "scores": {"vector": 0.5},
        "sources": [source],
    }
    answer = {
        "id": "q",
        "hits": [hit],
        "rewrittenQuery": "Where?",
        "intent": "GENERAL",
        "profile": "LEAN",
        "tier": 1,
        "degraded": [],
        "costUsd": 0.0,
        "tookMs": 3.0,
    }
    httpserver.expect_request("/graphql").respond_with_json({"data": {"recall": answer}})

    (found,) = agent.query("Where?", profile="LEAN")

    said = Source("r", None, "Mara", datetime(2026, 3, 2, 9, tzinfo=UTC), "")
    assert found == Hit(1, "ITEM", "i", "Mara lives in Lisbon.", 1.2, {"vector": 0.5}, 0.9, 2.0, ("STALE",), (said,))
    assert variables(httpserver) == {"query": "Where?", "options": {"explain": False, "profile": "LEAN"}}


def test_waiting_ends_with_the_jobs(httpserver: HTTPServer, agent: MemoryAgent):
    for state in ("QUEUED", "RUNNING", "FAILED"):
        httpserver.expect_ordered_request("/graphql").respond_with_json({"data": {"jobs": [{"state": state}]}})
    seen: list[int] = []

    assert agent.wait_for(["j"], progress=seen.append) == [{"state": "FAILED"}]

    assert seen == [0, 0, 1]


def test_waiting_has_an_end(httpserver: HTTPServer, agent: MemoryAgent):
    httpserver.expect_request("/graphql").respond_with_json({"data": {"jobs": [{"state": "RUNNING"}]}})

    with pytest.raises(TimeoutError, match=r"^1 of 1 jobs were not done after 0 s\."):
        agent.wait_for(["j"], timeout=0.2)


def test_nothing_to_wait_for_is_no_request(httpserver: HTTPServer, agent: MemoryAgent):
    assert agent.wait_for([]) == []
    assert httpserver.log == []


class LimitedServer:
    """Takes `allowance` lines a request and refuses the rest; lines without an id are invalid."""

    def __init__(self, allowance: int) -> None:
        self.allowance = allowance
        self.sizes: list[int] = []
        self.seen: set[str] = set()

    def __call__(self, request: Request) -> Response:
        lines = [json.loads(line) for line in request.get_data().splitlines()]
        self.sizes.append(len(lines))
        if self.allowance == 0:
            problem = {"code": "RATE_LIMITED", "message": "The limit is reached.", "retryAfter": 0.01}
            return Response(json.dumps({"error": problem}), status=429)
        results = [
            {"line": number, "status": self._status(line) if number <= self.allowance else "refused", "error": None}
            for number, line in enumerate(lines, 1)
        ]
        retry_after = 0.01 if len(lines) > self.allowance else None
        return Response(json.dumps({"results": results, "retry_after": retry_after}))

    def _status(self, line: dict[str, Any]) -> str:
        if not line["external_id"]:
            return "invalid"
        if line["external_id"] in self.seen:
            return "duplicate"
        self.seen.add(line["external_id"])
        return "accepted"


def test_bulk_sends_refused_lines_again_and_numbers_results_as_the_caller_does(
    httpserver: HTTPServer, agent: MemoryAgent
):
    server = LimitedServer(allowance=2)
    httpserver.expect_request("/api/v1/ingest", method="POST").respond_with_handler(server)

    answer = agent.ingest({**LINE, "external_id": name} for name in ("a", "b", "", "a", "c"))

    assert server.sizes == [5, 3, 1]
    assert [(each["line"], each["status"]) for each in answer["results"]] == [
        (1, "accepted"),
        (2, "accepted"),
        (3, "invalid"),
        (4, "duplicate"),
        (5, "accepted"),
    ]
    assert {state: answer[state] for state in bulk.STATES} == {
        "accepted": 3,
        "duplicate": 1,
        "invalid": 1,
        "conflict": 0,
    }


def test_bulk_travels_in_parts(httpserver: HTTPServer, agent: MemoryAgent):
    server = LimitedServer(allowance=bulk.BATCH_LINES)
    httpserver.expect_request("/api/v1/ingest").respond_with_handler(server)

    answer = agent.ingest({**LINE, "external_id": f"m-{number}"} for number in range(bulk.BATCH_LINES + 7))

    assert server.sizes == [bulk.BATCH_LINES, 7]
    assert answer["accepted"] == bulk.BATCH_LINES + 7
    assert answer["results"][-1]["line"] == bulk.BATCH_LINES + 7


def test_bulk_gives_up_when_nothing_gets_in(httpserver: HTTPServer, agent: MemoryAgent):
    server = LimitedServer(allowance=0)
    httpserver.expect_request("/api/v1/ingest").respond_with_handler(server)

    with pytest.raises(errors.RateLimited, match=r"^The server refuses 1 lines\.$"):
        agent.ingest([LINE])

    assert len(server.sizes) == bulk.WAITS_WITHOUT_PROGRESS + 1


def test_nothing_in_bulk_is_no_request(httpserver: HTTPServer, agent: MemoryAgent):
    assert agent.ingest([]) == {"accepted": 0, "duplicate": 0, "invalid": 0, "conflict": 0, "results": []}
    assert httpserver.log == []


def test_a_batch_is_bounded_in_bytes():
    line = b"x" * (bulk.BATCH_BYTES // 2)
    huge = b"x" * (bulk.BATCH_BYTES + 1)

    sizes = [[number for number, _ in batch] for batch in bulk.batches([line, line, line, huge, line])]

    assert sizes == [[1, 2], [3], [4], [5]]


def test_shared_memory_is_asked_for_by_domain(httpserver: HTTPServer, agent: MemoryAgent):
    answer = {
        "id": "q",
        "hits": [],
        "rewrittenQuery": "Where?",
        "intent": "GENERAL",
        "profile": "LEAN",
        "tier": 2,
        "degraded": [],
        "tookMs": 1.0,
        "costUsd": None,
    }
    httpserver.expect_request("/graphql").respond_with_json({"data": {"recall": answer}})

    agent.recall_shared("Where?", domain="work", filter={"userId": "mara"}, limit=3)

    assert variables(httpserver)["options"] == {
        "explain": False,
        "filter": {"userId": "mara", "visibility": "SHARED", "domain": "work"},
        "limit": 3,
    }


def test_a_way_is_asked_for_between_two_ids(httpserver: HTTPServer, agent: MemoryAgent):
    httpserver.expect_request("/graphql").respond_with_json({"data": {"path": None}})

    assert agent.path("a", "b", max_depth=2) is None
    assert variables(httpserver) == {"from": "a", "to": "b", "maxDepth": 2, "asOf": None}


def test_an_entity_that_is_not_known_is_none(httpserver: HTTPServer, agent: MemoryAgent):
    httpserver.expect_request("/graphql").respond_with_json({"data": {"entity": None}})

    assert agent.entity(name="Mara") is None
    assert variables(httpserver) == {"id": None, "name": "Mara", "asOf": None}
