"""Both clients against real sockets: what is raised, and what is sent again."""

import json
import socket
import threading
import time

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from memory_client import MemoryClient, MemoryClientError, Retries, errors
from tests.sdk.asking import AT_ONCE

STATS = {
    "items": 1,
    "by_status": [{"name": "active", "count": 1}],
    "by_verdict": [],
    "by_category": [],
    "episodes": 2,
    "rejections": 0,
    "open_contradictions": 0,
    "jobs_queued": 3,
    "tiers": [],
}
FORGOTTEN = {"batch_id": None, "dry_run": True, "items": [], "episodes": 0, "truncated": False}
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


def problem(code: str, **details: object) -> dict[str, object]:
    return {"error": {"code": code, "message": "No.", **details}}


@pytest.mark.parametrize("kind", KINDS)
def test_problems_become_the_trees_errors(httpserver: HTTPServer, ask, kind: type[MemoryClientError]):
    told = problem(kind.code, hint="Do this.", field="text", retryAfter=99)
    httpserver.expect_request("/api/v1/stats").respond_with_json(told, status=400)

    with pytest.raises(kind) as raised:
        ask("stats")

    assert type(raised.value) is kind
    assert (raised.value.message, raised.value.hint, raised.value.field) == ("No.", "Do this.", "text")
    assert raised.value.retry_after == 99
    assert len(httpserver.log) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_graphqls_errors_are_the_same(httpserver: HTTPServer, ask, kind: type[MemoryClientError]):
    failure = {"message": "No.", "extensions": {"code": kind.code, "retryAfter": 99}}
    httpserver.expect_request("/graphql").respond_with_json({"data": None, "errors": [failure]})

    with pytest.raises(kind) as raised:
        ask("graphql", "{ viewer { tenant } }")

    assert (type(raised.value), raised.value.message) == (kind, "No.")


def test_graphqls_data_is_returned_whole(httpserver: HTTPServer, ask):
    httpserver.expect_request(
        "/graphql", method="POST", json={"query": "query($a: Int) { b }", "variables": {"a": 1}}
    ).respond_with_json({"data": {"b": None}})

    assert ask("graphql", "query($a: Int) { b }", {"a": 1}) == {"b": None}


def test_a_file_is_returned_as_its_text(httpserver: HTTPServer, ask):
    httpserver.expect_request(
        "/api/v1/usage", headers={"Accept": "text/csv"}, query_string={"group_by": "day"}
    ).respond_with_data("day,calls\r\n", content_type="text/csv; charset=utf-8")

    assert ask("text", "/api/v1/usage", accepts="text/csv", query={"group_by": "day", "since": None}) == "day,calls\r\n"


@pytest.mark.parametrize("refused", [problem("FORBIDDEN"), problem("INVALID")])
def test_a_problem_is_one_whatever_form_was_asked_for(httpserver: HTTPServer, ask, refused):
    httpserver.expect_request("/api/v1/usage").respond_with_json(refused, status=400)

    with pytest.raises(MemoryClientError, match=r"^No\.$") as raised:
        ask("text", "/api/v1/usage", accepts="text/csv")

    assert raised.value.code == refused["error"]["code"]


def test_an_unknown_code_is_still_an_error_of_the_tree(httpserver: HTTPServer, ask):
    httpserver.expect_request("/api/v1/stats").respond_with_json(problem("BRAND_NEW"), status=418)

    with pytest.raises(MemoryClientError, match=r"^No\.$"):
        ask("stats")


READ = ("stats", (), {})
WRITE = ("correct", ("an-id", "text"), {})
AGAIN = {
    ("RATE_LIMITED", "read"): True,
    ("RATE_LIMITED", "write"): True,
    ("UNAVAILABLE", "read"): True,
    ("UNAVAILABLE", "write"): False,
    ("INTERNAL", "read"): False,
    ("CONFLICT", "read"): False,
}


@pytest.mark.parametrize(("code", "kind"), AGAIN)
def test_what_was_not_begun_or_changes_nothing_is_sent_again(httpserver: HTTPServer, ask, code: str, kind: str):
    httpserver.expect_request("/api/v1/stats").respond_with_json(problem(code), status=503)
    httpserver.expect_request("/api/v1/memories/an-id/correct").respond_with_json(problem(code), status=503)
    name, args, options = READ if kind == "read" else WRITE

    with pytest.raises(MemoryClientError):
        ask(name, *args, **options)

    assert len(httpserver.log) == (AT_ONCE.attempts if AGAIN[code, kind] else 1)


@pytest.mark.parametrize(
    ("name", "path", "args", "options", "times"),
    [
        ("capture_turn", "capture", ("s",), {}, 1),
        ("capture_turn", "capture", ("s",), {"turn_number": 1}, AT_ONCE.attempts),
        ("remember", "memories", ("A fact.",), {}, AT_ONCE.attempts),
        ("remember_shared", "shared-memory", ("A fact.",), {}, AT_ONCE.attempts),
        ("log_action", "journal", ("deployed",), {}, 1),
        ("forget", "forget", (), {"query": "x"}, AT_ONCE.attempts),
        ("create_api_key", "keys", (["read"],), {}, 1),
        ("graphql", None, ("mutation { x }",), {}, 1),
    ],
)
def test_writes_are_sent_again_as_far_as_the_contract_lets_them(
    httpserver: HTTPServer, ask, name: str, path: str | None, args: tuple, options: dict, times: int
):
    there = "/graphql" if path is None else f"/api/v1/{path}"
    httpserver.expect_request(there).respond_with_json(problem("UNAVAILABLE"), status=503)

    with pytest.raises(errors.Unavailable):
        ask(name, *args, **options)

    assert len(httpserver.log) == times
    assert len({request.get_data() for request, _ in httpserver.log}) == 1


def test_a_remembered_fact_has_an_id_of_its_own(httpserver: HTTPServer, ask):
    httpserver.expect_request("/api/v1/memories").respond_with_json(problem("INVALID"), status=422)

    for options in ({}, {}, {"external_id": "mine"}):
        with pytest.raises(errors.Invalid):
            ask("remember", "A fact.", **options)

    first, second, named = (json.loads(request.get_data())["external_id"] for request, _ in httpserver.log)
    assert len({first, second, named}) == 3
    assert named == "mine"


def test_a_refusal_that_ends_is_waited_out(httpserver: HTTPServer, ask):
    told = problem("RATE_LIMITED", retryAfter=0.2)
    httpserver.expect_ordered_request("/api/v1/stats").respond_with_json(told, status=429)
    httpserver.expect_ordered_request("/api/v1/stats").respond_with_json(STATS)

    began = time.monotonic()
    assert ask("stats").jobs_queued == 3

    assert time.monotonic() - began >= 0.2


@pytest.mark.parametrize("attempt", range(1, 8))
def test_waits_grow_and_stay_within_their_bounds(attempt: int):
    retries = Retries(attempts=9, first_wait=0.5, longest_wait=8.0)
    most = min(0.5 * 2 ** (attempt - 1), 8.0)

    waits = [retries.wait(errors.Unreachable(""), attempt, repeatable=False) for _ in range(50)]

    assert all(wait is not None and most / 2 <= wait <= most for wait in waits)


def test_a_wait_is_never_shorter_than_the_server_asks_and_never_longer_than_is_meant():
    retries = Retries(attempts=3, first_wait=0.5, longest_wait=8.0)

    assert retries.wait(errors.RateLimited("", retry_after=7.5), 1, repeatable=False) == 7.5
    assert retries.wait(errors.RateLimited("", retry_after=8.5), 1, repeatable=True) is None
    assert retries.wait(errors.RateLimited("", retry_after=1.0), 3, repeatable=True) is None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_server_that_is_not_there_is_named(open_client):
    port = free_port()

    with pytest.raises(errors.Unreachable) as raised:
        open_client(f"http://127.0.0.1:{port}")("correct", "an-id", "text")

    assert raised.value.message == f"No memory server answers at http://127.0.0.1:{port}."


def test_a_server_that_comes_up_late_gets_even_what_must_not_repeat(open_client):
    port = free_port()
    server = HTTPServer(port=port)
    server.expect_request("/api/v1/journal").respond_with_json(problem("INVALID"), status=422)
    starting = threading.Timer(0.3, server.start)
    starting.start()

    patient = open_client(f"http://127.0.0.1:{port}", retries=Retries(attempts=40, first_wait=0.1, longest_wait=0.1))
    with pytest.raises(errors.Invalid):
        patient("log_action", "deployed")

    starting.join()
    assert len(server.log) == 1
    server.stop()


def test_a_late_answer_is_given_up(httpserver: HTTPServer, open_client):
    answered = threading.Event()

    def late(_request: Request) -> Response:
        answered.wait(5.0)
        return Response("{}")

    httpserver.expect_request("/api/v1/journal").respond_with_handler(late)

    with pytest.raises(errors.Unanswered, match="did not answer in time"):
        open_client(httpserver.url_for("/"), timeout=0.2)("log_action", "deployed")
    answered.set()

    # The server is shared: its late answer must be logged before the next test looks at the log.
    deadline = time.monotonic() + 10
    while not httpserver.log and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(("name", "args", "times"), [("log_action", ("deployed",), 1), ("stats", (), 4)])
def test_a_broken_connection_is_told_and_only_reads_go_on(open_client, name: str, args: tuple, times: int):
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                heard.append(connection.recv(65536))
                connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(errors.Unanswered, match="The connection broke"):
            open_client(f"http://127.0.0.1:{listener.getsockname()[1]}")(name, *args)
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()

    assert len(heard) == times


@pytest.mark.parametrize("body", ["<html>", "", "[]", '{"error": "text"}', '{"items": null}', "{}"])
@pytest.mark.parametrize(("status", "kind"), [(200, errors.UnexpectedAnswer), (502, errors.Unavailable)])
def test_what_is_no_memory_servers_answer_is_said_so(
    httpserver: HTTPServer, ask, body: str, status: int, kind: type[MemoryClientError]
):
    httpserver.expect_request("/api/v1/keys").respond_with_data(body, status=status, content_type="application/json")

    with pytest.raises(kind, match=f"^HTTP {status} from .*: not the answer of a memory server"):
        ask("keys")


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://host", "http://", "http://[::1", "http://host:port"])
def test_what_is_no_url_is_refused_at_once(url: str):
    with pytest.raises(errors.Invalid, match="is not the URL of a server"):
        MemoryClient(url, "mp_key")


@pytest.mark.parametrize("key", ["mp_…", "mp_a\nb"])
def test_a_key_that_no_header_can_carry_is_refused_at_once(key: str):
    with pytest.raises(errors.Unauthenticated):
        MemoryClient("http://127.0.0.1:8000", key)


@pytest.mark.parametrize("key", ["", " "])
def test_no_key_is_refused_at_once_and_said_to_be_none(key: str):
    with pytest.raises(errors.Unauthenticated, match=r"^There is no API key\.$"):
        MemoryClient("http://127.0.0.1:8000", key)
