"""A client made for a user says so with every request, once."""

import pytest
from pytest_httpserver import HTTPServer

from memory_platform.client import MemoryAgent


def requested(httpserver: HTTPServer) -> list[str | None]:
    return [request.headers.get("Memory-User") for request, _ in httpserver.log]


@pytest.mark.parametrize(("user_id", "header"), [("anna", "anna"), ("Åsa b/c%", "%C3%85sa%20b%2Fc%25"), (None, None)])
def test_every_request_names_the_user(httpserver: HTTPServer, user_id: str | None, header: str | None):
    httpserver.expect_request("/graphql").respond_with_json({"data": {"stats": {}}})
    httpserver.expect_request("/api/v1/ingest").respond_with_json({"results": [], "retry_after": None})
    httpserver.expect_request("/api/v1/entities").respond_with_json({"items": []})

    with MemoryAgent(httpserver.url_for("/"), "mp_key", user_id=user_id) as agent:
        agent.stats()
        agent.ingest([])
        agent.rest("GET", "entities")

    assert requested(httpserver) == [header] * 2


def test_a_read_of_the_graph_names_a_user_of_its_own(httpserver: HTTPServer):
    httpserver.expect_request("/graphql").respond_with_json({"data": {"path": None}})

    with MemoryAgent(httpserver.url_for("/"), "mp_key") as agent:
        agent.path("a", "b", user_id="anna")

    request, _ = httpserver.log[-1]
    assert request.get_json()["variables"]["userId"] == "anna"
