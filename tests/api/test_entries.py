"""What is around the verbs: request ids, health, metrics, the playground, and how errors are told."""

import asyncio
import hashlib
import json
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.db import OperationalError
from django.test import Client

from apps.api import health
from config.body_limit import BodyLimit

STATIC = Path(__file__).parents[2] / "apps" / "api" / "static" / "api" / "graphiql"


def test_livez_touches_nothing():
    assert Client().get("/livez").content == b"ok\n"


def test_readyz_says_that_all_is_well(database, patient):
    answer = Client().get("/readyz")

    assert answer.status_code == 200
    assert answer.json()["ready"] is True
    assert set(answer.json()["checks"]) >= {"postgresql", "valkey", "jobs"}


def test_readyz_says_what_is_down(database, patient, monkeypatch):
    def down():
        raise OperationalError("connection to 10.0.0.3 failed")

    monkeypatch.setitem(health._PROBES, "postgresql", down)

    answer = Client().get("/readyz")

    assert (answer.status_code, answer.json()["down"]) == (503, ["postgresql"])
    assert "10.0.0.3" not in answer.content.decode()


def test_whoever_asks_within_a_second_is_told_what_was_just_found(database, patient, monkeypatch):
    asked, probe = [], health._PROBES["postgresql"]
    monkeypatch.setattr(health, "KEPT_SECONDS", 60.0)
    monkeypatch.setattr(health, "_checks", health._Throttled(health._probed))
    monkeypatch.setitem(health._PROBES, "postgresql", lambda: asked.append(1) or probe())

    answers = [Client().get(path) for path in ("/readyz", "/", "/readyz")]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert len(asked) == 1


def test_metrics_count_requests_by_route_and_verbs_by_code(caller):
    caller.ask("{ viewer { tenant } }")
    text = Client().get("/metrics").content.decode()

    assert 'memory_http_requests_total{method="POST",route="graphql",status="200"}' in text
    assert 'memory_verbs_total{code="OK",verb="viewer"}' in text
    assert "memory_jobs_waiting" in text


@pytest.mark.parametrize(("sent", "kept"), [("abc-123", True), ("x" * 65, False), ("a\tb", False), ("", False)])
def test_a_request_id_travels_in_and_out(sent, kept):
    answered = Client().get("/livez", headers={"X-Request-ID": sent}).headers["X-Request-ID"]

    assert (answered == sent) is kept
    assert answered


def test_the_request_id_reaches_the_journal(caller):
    caller.post(
        "/graphql", {"query": 'mutation { logAction(input: {action: "x"}) { id } }'}, **{"X-Request-ID": "trace-7"}
    )

    found = caller.field('{ journal(filter: {requestId: "trace-7"}) { edges { node { operation } } } }')
    assert [edge["node"]["operation"] for edge in found["edges"]] == ["agent.logged"]


def test_the_playground_is_of_our_own_files():
    page = Client().get("/graphql", headers={"Host": "localhost"})

    assert page.status_code == 200
    assert "https://" not in page.content.decode()
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]


def test_the_playgrounds_first_request_can_be_sent_and_is_refused_clearly():
    (held,) = re.findall(r"defaultHeaders: '(.*)'", (STATIC / "start.js").read_text())
    headers = json.loads(held.replace(r"\n", "\n"))

    refused = Client().post("/graphql", {"query": "{ viewer { tenant } }"}, "application/json", headers=headers)

    assert held.isascii()
    assert (refused.status_code, refused.json()["errors"][0]["message"]) == (401, "The API key is not valid.")


def test_the_playgrounds_files_are_the_published_ones():
    sums = dict(reversed(line.split(maxsplit=1)) for line in (STATIC / "SHA256SUMS").read_text().splitlines())

    assert set(sums) == {path.name for path in STATIC.glob("*.min.*")}
    for name, expected in sums.items():
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == expected
        assert finders.find(f"api/graphiql/{name}")
    assert "MIT License" in (STATIC / "LICENSES.txt").read_text()


def test_the_schema_is_read_with_a_key_or_by_who_is_developing(caller, nobody, settings):
    query = "{ __schema { queryType { name } } }"

    assert caller.field(query)["queryType"]["name"] == "Query"
    assert nobody.code(query) == "UNAUTHENTICATED"
    settings.DEBUG = True
    assert nobody.field(query)["queryType"]["name"] == "Query"
    assert nobody.code("{ viewer { tenant } }") == "UNAUTHENTICATED"


@pytest.mark.parametrize("path", ["/graphql", "/api/v1/viewer", "/mcp"])
def test_a_key_without_bearer_is_told_what_it_lacks(path):
    send = Client().get if path.startswith("/api/") else Client().post
    told, missing = (send(path, headers={"Authorization": held}) for held in ("mp_0123456789ab_secret", "Bearer"))

    assert (told.status_code, missing.status_code) == (401, 401)
    assert "does not begin with Bearer" in told.content.decode()
    assert "Prefix the API key with Bearer" in told.content.decode()
    assert "secret" not in told.content.decode()
    assert "An API key is missing." in missing.content.decode()


BODIES = [
    "{broken",
    "[]",
    "{}",
    "1",
    "null",
    b"\xff\xfe",
    b"\x1f\x8b\x08\x00",
    '{"query": "a", "variables": ' + "[" * 2_000,
]


def test_malformed_requests_are_told_in_json(caller):
    for body in BODIES:
        answer = caller.post("/graphql", body)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["extensions"]["code"] == "INVALID"
    assert caller.code("{ nonsense }") == "INVALID"
    assert caller.code("{ viewer {") == "INVALID"


def test_a_bug_is_masked(caller, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("SELECT secret FROM elsewhere")

    monkeypatch.setattr("apps.memory.selectors.stats", broken)

    told = caller.ask("{ stats { items } }")["errors"][0]
    rest = caller.get("/api/v1/stats")

    assert (told["extensions"]["code"], told["message"]) == ("INTERNAL", "Something went wrong on our side.")
    assert (rest.status_code, rest.json()["error"]["code"]) == (500, "INTERNAL")
    assert "SELECT" not in rest.content.decode()


def _run(chunks, *, declared=None, limit=10, seconds=5.0):
    """Send a body through BodyLimit in front of an application that reads it all; the messages that came back."""
    waiting = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    waiting.append({"type": "http.request", "body": b"", "more_body": False})
    sent = []

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    async def application(_scope, receive, send):
        while (await receive())["more_body"]:
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})

    headers = [] if declared is None else [(b"content-length", str(declared).encode())]
    asyncio.run(
        BodyLimit(application, limit=limit, seconds=seconds)({"type": "http", "headers": headers}, receive, send)
    )
    return sent[0]["status"]


def test_a_body_is_cut_off_as_it_arrives():
    assert _run([b"12345", b"12345"]) == 200
    assert _run([b"12345", b"12345", b"1"]) == 413
    assert _run([], declared=11) == 413


def _run_silent(messages, seconds):
    """Send the messages, then nothing, to an application that waits for the body and then for the caller to go."""
    sent = []

    async def receive():
        if not messages:
            await asyncio.sleep(60)
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    async def application(_scope, receive, send):
        while (await receive())["more_body"]:
            pass
        await asyncio.wait({asyncio.ensure_future(receive())}, timeout=4 * seconds)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    bounded = BodyLimit(application, limit=10, seconds=seconds)
    asyncio.run(bounded({"type": "http", "headers": []}, receive, send))
    return sent[0]


def test_a_body_that_does_not_arrive_is_not_waited_for():
    half = _run_silent([{"type": "http.request", "body": b"1", "more_body": True}], 0.05)
    whole = _run_silent([{"type": "http.request", "body": b"1", "more_body": False}], 0.05)

    assert (half["status"], dict(half["headers"])[b"connection"]) == (408, b"close")
    assert whole["status"] == 200
