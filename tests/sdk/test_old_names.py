"""What scripts outside the repository import still does what they need of it."""

import json

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from memory_platform.client import MemoryAgent
from memory_platform.client.transport import Transport

LINE = {"external_id": "m", "session_id": "s", "speaker": "Mara", "content": "Hello", "content_at": None}


def accept(request: Request) -> Response:
    lines = request.get_data().splitlines()
    results = [
        {"line": number, "status": "accepted", "resource_id": "r", "error": None, "field": None}
        for number, _ in enumerate(lines, 1)
    ]
    counts = dict.fromkeys(("accepted", "duplicate", "forgotten", "invalid", "conflict", "refused"), 0)
    return Response(json.dumps({**counts, "results": results, "retry_after": None}))


def test_lines_go_in_and_jobs_are_counted(httpserver: HTTPServer):
    httpserver.expect_request("/api/v1/ingest").respond_with_handler(accept)
    httpserver.expect_request("/graphql").respond_with_json({"data": {"stats": {"jobsQueued": 3}}})

    with MemoryAgent(httpserver.url_for("/"), "mp_key", timeout=120.0) as agent:
        answer = agent.ingest([LINE, LINE])
        waiting = int(agent.stats()["jobsQueued"])

    assert (answer["accepted"], answer["invalid"], answer["conflict"]) == (2, 0, 0)
    assert waiting == 3


def test_a_document_gives_its_one_field(httpserver: HTTPServer):
    httpserver.expect_request("/graphql", json={"query": "{ a }", "variables": {"b": 1}}).respond_with_json(
        {"data": {"a": {"c": None}}}
    )

    assert Transport(httpserver.url_for("/"), "mp_key", timeout=120.0).graphql("{ a }", {"b": 1}) == {"c": None}
