"""The transport against real sockets: errors come back as the platform's own, refusals are waited out."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from memory_platform import errors
from memory_platform.client.transport import ATTEMPTS, Transport

QUERY = "query { viewer { tenant } }"
KINDS = [
    errors.Unauthenticated,
    errors.Forbidden,
    errors.NotFound,
    errors.Invalid,
    errors.Conflict,
    errors.RateLimited,
    errors.TooComplex,
    errors.Unavailable,
]


@pytest.fixture
def transport(httpserver: HTTPServer) -> Iterator[Transport]:
    with Transport(httpserver.url_for("/"), "mp_key", timeout=5.0) as opened:
        yield opened


def failure(code: str, **extensions: object) -> dict[str, object]:
    return {"data": None, "errors": [{"message": "No.", "extensions": {"code": code, **extensions}}]}


def test_the_root_field_is_returned_and_the_key_sent(httpserver: HTTPServer, transport: Transport):
    httpserver.expect_ordered_request(
        "/graphql",
        method="POST",
        headers={"Authorization": "Bearer mp_key"},
        json={"query": QUERY, "variables": {"a": 1}},
    ).respond_with_json({"data": {"viewer": {"tenant": "acme"}}})

    assert transport.graphql(QUERY, {"a": 1}) == {"tenant": "acme"}
    httpserver.check_assertions()


def test_a_null_root_field_is_none(httpserver: HTTPServer, transport: Transport):
    httpserver.expect_request("/graphql").respond_with_json({"data": {"memory": None}})

    assert transport.graphql(QUERY, {}) is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [200, 400])
def test_graphql_errors_become_the_platforms(
    httpserver: HTTPServer, transport: Transport, kind: type[errors.MemoryPlatformError], status: int
):
    body = failure(kind.code, hint="Do this.", field="text", retryAfter=99)
    httpserver.expect_request("/graphql").respond_with_json(body, status=status)

    with pytest.raises(kind) as raised:
        transport.graphql(QUERY, {})

    assert type(raised.value) is kind
    assert (raised.value.message, raised.value.hint, raised.value.field) == ("No.", "Do this.", "text")
    assert raised.value.retry_after == 99
    assert len(httpserver.log) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_rest_problems_become_the_platforms(
    httpserver: HTTPServer, transport: Transport, kind: type[errors.MemoryPlatformError]
):
    problem = {"error": {"code": kind.code, "message": "No.", "hint": "Do this.", "retryAfter": 2}}
    httpserver.expect_request("/api/v1/keys").respond_with_json(problem, status=kind.status)

    with pytest.raises(kind) as raised:
        transport.rest("GET", "/api/v1/keys")

    assert type(raised.value) is kind
    assert (raised.value.message, raised.value.hint, raised.value.retry_after) == ("No.", "Do this.", 2)


def test_an_unknown_code_is_still_an_error_of_the_platform(httpserver: HTTPServer, transport: Transport):
    httpserver.expect_request("/graphql").respond_with_json(failure("BRAND_NEW"))

    with pytest.raises(errors.MemoryPlatformError, match=r"^No\.$"):
        transport.graphql(QUERY, {})


@pytest.mark.parametrize("code", ["RATE_LIMITED", "UNAVAILABLE"])
def test_a_short_refusal_is_waited_out(httpserver: HTTPServer, transport: Transport, code: str):
    httpserver.expect_ordered_request("/graphql").respond_with_json(failure(code, retryAfter=0.2), status=429)
    httpserver.expect_ordered_request("/graphql").respond_with_json({"data": {"viewer": "here"}})

    began = time.monotonic()
    assert transport.graphql(QUERY, {}) == "here"

    assert time.monotonic() - began >= 0.2
    assert len(httpserver.log) == 2


def test_patience_ends(httpserver: HTTPServer, transport: Transport):
    httpserver.expect_request("/graphql").respond_with_json(failure("RATE_LIMITED", retryAfter=0.01))

    with pytest.raises(errors.RateLimited):
        transport.graphql(QUERY, {})

    assert len(httpserver.log) == ATTEMPTS


def test_a_refusal_without_a_time_is_not_repeated(httpserver: HTTPServer, transport: Transport):
    httpserver.expect_request("/graphql").respond_with_json(failure("UNAVAILABLE"))

    with pytest.raises(errors.Unavailable):
        transport.graphql(QUERY, {})

    assert len(httpserver.log) == 1


def test_a_refused_connection_says_how_to_start_a_server():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    with Transport(f"http://127.0.0.1:{port}", "mp_key") as transport, pytest.raises(errors.Unavailable) as raised:
        transport.graphql(QUERY, {})

    assert raised.value.message == f"No memory server answers at http://127.0.0.1:{port}."
    assert raised.value.hint == "Start one with `memory serve`, or set MEMORY_URL."


def test_a_late_answer_is_given_up(httpserver: HTTPServer):
    answered = threading.Event()

    def late(_request: Request) -> Response:
        answered.wait(5.0)
        return Response("{}")

    httpserver.expect_request("/graphql").respond_with_handler(late)

    with Transport(httpserver.url_for("/"), "mp_key", timeout=0.2) as transport:
        with pytest.raises(errors.Unavailable, match="did not answer in time"):
            transport.graphql(QUERY, {})
        answered.set()

    # The server is shared: its late answer must be logged before the next test looks at the log.
    deadline = time.monotonic() + 10
    while not httpserver.log and time.monotonic() < deadline:
        time.sleep(0.01)
    assert httpserver.log


def test_a_broken_connection_is_told():
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            connection, _ = listener.accept()
            connection.recv(65536)
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with Transport(url, "mp_key") as transport, pytest.raises(errors.Unavailable, match="The connection broke"):
            transport.graphql(QUERY, {})
        thread.join()


@pytest.mark.parametrize("body", ["<html>502</html>", "", "[]", '{"error": "text"}', '{"data": null}', "{}"])
@pytest.mark.parametrize("status", [200, 502])
def test_what_is_no_memory_servers_answer_is_said_so(
    httpserver: HTTPServer, transport: Transport, body: str, status: int
):
    httpserver.expect_request("/graphql").respond_with_data(body, status=status, content_type="application/json")

    with pytest.raises(errors.Unavailable, match=f"^HTTP {status} from .*: not the answer of a memory server"):
        transport.graphql(QUERY, {})


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://host", "http://", "http://[::1", "http://host:port"])
def test_what_is_no_url_is_refused_at_once(url: str):
    with pytest.raises(errors.Invalid, match="is not the URL of a server"):
        Transport(url, "mp_key")


@pytest.mark.parametrize("key", ["mp_…", "mp_a\nb"])
def test_a_key_that_no_header_can_carry_is_refused_at_once(key: str):
    with pytest.raises(errors.Unauthenticated):
        Transport("http://127.0.0.1:8000", key)
