"""Events over real HTTP: listening, resuming, who hears what, who reads slowly, and a server that stops."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from uuid import UUID, uuid4

import httpx
import pytest
import time_machine

from apps.core import clock
from apps.core.scope import tenant_scope
from apps.journal.services import NewEvent, place_events, prune_events, tell
from apps.stack.process import wait_until
from apps.tenants import services
from apps.tenants.models import ApiKey, Policy
from memory_platform.model import EventKind
from tests.conftest import PROJECT_ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

STREAM = {"Accept": "text/event-stream"}
READ = [ApiKey.Scope.READ]


@dataclass
class Server:
    url: str
    process: subprocess.Popen[bytes]

    def http(self, token: str, **headers: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {token}", **headers}, timeout=30)


@contextmanager
def serving(environment: dict[str, str]) -> Iterator[Server]:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "granian", "--interface", "asginl", "--no-ws", "--port", str(port)]
    command += ["--workers", "1", "--workers-kill-timeout", "5", "config.asgi:application"]
    process = subprocess.Popen(command, cwd=PROJECT_ROOT, env=environment)
    server = Server(f"http://127.0.0.1:{port}", process)
    try:
        assert wait_until(lambda: _answers(server.url), seconds=120)
        yield server
    finally:
        process.terminate()
        process.wait(20)


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/livez", timeout=5).is_success
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def served_environment(server_environment: dict[str, str], database: None) -> dict[str, str]:
    import os  # noqa: PLC0415

    return {**os.environ, **server_environment, "MEMORY_MULTILINGUAL_EMBEDDER": "none", "MEMORY_EVENT_STREAMS": "4"}


@pytest.fixture(scope="module")
def server(served_environment: dict[str, str]) -> Iterator[Server]:
    with serving(served_environment) as started:
        yield started


@pytest.fixture
def key(tenant: SimpleNamespace, agent: SimpleNamespace) -> str:
    return make_key(tenant, agent)


def make_key(tenant: SimpleNamespace, agent: SimpleNamespace, scopes=READ, **fields) -> str:
    with tenant_scope(tenant.id):
        return services.create_key(agent_id=agent.id, scopes=scopes, **fields).token


def happen(tenant, agent, *, user_id=None, kind=EventKind.STORED, visibility="private", times=1) -> list[str]:
    """Ids of what it happened to."""
    ids = [uuid4() for _ in range(times)]
    with tenant_scope(tenant.id):
        tell([NewEvent(kind, "memory", each, agent and agent.id, user_id, visibility) for each in ids])
    return [str(each) for each in ids]


def events(response: httpx.Response, count: int) -> list[dict[str, str]]:
    """The first events of a stream: their fields, without heartbeats."""
    return events_of(response.iter_lines(), count)


def events_of(lines: Iterator[str], count: int) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if line:
            fields[name] = value
        elif "data" in fields:
            found.append(fields)
            fields = {}
            if len(found) == count:
                return found
        else:
            fields = {}
    return found


def subjects(found: list[dict[str, str]]) -> list[str]:
    return [json.loads(each["data"])["subject_id"] for each in found]


def test_what_happens_is_told_as_it_happens(server, tenant, agent, key):
    with server.http(key) as http, http.stream("GET", "/api/v1/events", headers=STREAM) as response:
        assert response.headers["Content-Type"] == "text/event-stream"
        ids = happen(tenant, agent, kind=EventKind.HELD)
        (found,) = events(response, 1)

    told = json.loads(found["data"])
    assert found["event"] == told["kind"] == "held"
    assert told.pop("at")
    assert told == {
        "id": found["id"],
        "kind": "held",
        "subject": "memory",
        "subject_id": ids[0],
        "related_id": None,
        "agent_id": agent.slug,
        "user_id": None,
        "code": None,
    }


def test_a_stream_goes_on_behind_the_last_id(server, tenant, agent, key):
    ids = happen(tenant, agent, times=3)
    with server.http(key) as http:
        with http.stream("GET", "/api/v1/events", params={"after": "0"}, headers=STREAM) as response:
            found = events(response, 2)
        ids += happen(tenant, agent, times=2)
        resumed = {**STREAM, "Last-Event-ID": found[-1]["id"]}
        with http.stream("GET", "/api/v1/events", params={"after": "0"}, headers=resumed) as response:
            found += events(response, 3)

    assert subjects(found) == ids
    assert [int(each["id"]) for each in found] == sorted({int(each["id"]) for each in found})


def test_who_stayed_away_for_too_long_is_told_that_something_is_gone(server, tenant, agent, key):
    with time_machine.travel(clock.now() - timedelta(days=8)):
        happen(tenant, agent, times=2)
    with tenant_scope(tenant.id):
        prune_events(7)
    ids = happen(tenant, agent)
    with server.http(key) as http:
        told = {after: http.get("/api/v1/events", params={"after": after}).json()["missed"] for after in "0123"}
        with http.stream("GET", "/api/v1/events", headers={**STREAM, "Last-Event-ID": "1"}) as response:
            missed, found = events(response, 2)

    assert told == {"0": False, "1": True, "2": False, "3": False}
    assert (missed["event"], subjects([found])) == ("missed", ids)


def test_a_request_that_waits_is_answered_when_something_happens(server, tenant, agent, key):
    with server.http(key) as http, ThreadPoolExecutor(1) as pool:
        now = http.get("/api/v1/events").json()
        assert now == {"items": [], "next": "0", "missed": False}
        waiting = pool.submit(http.get, "/api/v1/events", params={"after": now["next"], "wait": 20})
        time.sleep(1.5)
        ids = happen(tenant, agent)
        started = time.monotonic()
        told = waiting.result().json()
        again = http.get("/api/v1/events", params={"after": told["next"], "wait": 1.2}).json()

    assert [each["subject_id"] for each in told["items"]] == ids
    assert time.monotonic() - started < 15
    assert again == {"items": [], "next": told["next"], "missed": False}


def test_nobody_hears_of_others(server, tenant, agent, key, make_tenant):
    other = make_tenant()
    with tenant_scope(other.id):
        strangers_agent = services.create_agent(slug="stranger")
    with tenant_scope(tenant.id):
        second = services.create_agent(slug="second")
    happen(other, strangers_agent)
    happen(tenant, second)
    adams = happen(tenant, agent, user_id="adam")
    shared = happen(tenant, second, visibility="shared")
    mine = happen(tenant, agent)

    def heard(token, **query):
        with server.http(token) as http:
            found = http.get("/api/v1/events", params={"after": "0", **query}).json()["items"]
        return [each["subject_id"] for each in found]

    assert heard(key) == adams + mine
    assert heard(key, user_id="eve") == mine
    assert heard(make_key(tenant, agent, user_id="eve")) == mine
    assert heard(make_key(tenant, agent, scopes=[*READ, ApiKey.Scope.SHARE])) == adams + shared + mine
    assert heard(make_key(tenant, agent, scopes=[*READ, ApiKey.Scope.ADMIN])) == adams + mine


def test_what_is_committed_late_is_told_behind_what_was_told(server, tenant, agent, key):
    """A transaction that began first and ends last: its event is older than what was told, and is told all the same."""
    with server.http(key) as http:
        with tenant_scope(tenant.id):
            early = uuid4()
            tell([NewEvent(EventKind.STORED, "memory", early, agent.id, None)])
            with ThreadPoolExecutor(1) as pool:
                (late,) = pool.submit(happen, tenant, agent).result()
            first = http.get("/api/v1/events", params={"after": "0"}).json()
        second = http.get("/api/v1/events", params={"after": first["next"]}).json()

    assert [each["subject_id"] for each in first["items"]] == [late]
    assert [each["subject_id"] for each in second["items"]] == [str(early)]


def test_a_key_that_is_revoked_hears_nothing_more(server, tenant, agent):
    with tenant_scope(tenant.id):
        made = services.create_key(agent_id=agent.id, scopes=READ)
    with server.http(made.token) as http, http.stream("GET", "/api/v1/events", headers=STREAM) as response:
        with tenant_scope(tenant.id):
            services.revoke_key(key_id=made.key.id)
        happen(tenant, agent)
        (found,) = events(response, 2)

    assert found["event"] == "refused"
    assert json.loads(found["data"])["error"]["code"] == "UNAUTHENTICATED"


def test_listeners_are_bounded_and_others_are_answered_meanwhile(server, tenant, agent, key):
    with server.http(key) as http:
        with ExitStack() as listening:
            for _ in range(4):
                response = listening.enter_context(http.stream("GET", "/api/v1/events", headers=STREAM))
                assert response.status_code == 200
            refused = http.get("/api/v1/events", params={"wait": 5})
            assert (refused.status_code, refused.json()["error"]["code"]) == (429, "RATE_LIMITED")
            assert refused.json()["error"]["retryAfter"] > 0
            assert http.get("/api/v1/events").status_code == 200
        assert wait_until(lambda: http.get("/api/v1/events", params={"wait": 0.01}).status_code == 200, seconds=10)


def test_a_tenant_has_a_limit_of_its_own(server, make_tenant):
    tenant = make_tenant()
    with tenant_scope(tenant.id):
        Policy.objects.filter(tenant_id=tenant.id).update(event_streams=1)
        agent = services.create_agent(slug="one")
    token = make_key(tenant, agent)
    with server.http(token) as http, http.stream("GET", "/api/v1/events", headers=STREAM) as response:
        assert response.status_code == 200
        assert http.get("/api/v1/events", headers=STREAM).status_code == 429
    with server.http(token) as http:
        assert wait_until(lambda: http.get("/api/v1/events", params={"wait": 0.01}).status_code == 200, seconds=10)


def test_who_reads_slowly_keeps_nobody_waiting_and_misses_nothing(server, tenant, agent, key):
    ids = happen(tenant, agent, times=3_000)
    with server.http(key) as slow, slow.stream("GET", "/api/v1/events", params={"after": "0"}, headers=STREAM) as read:
        with server.http(key) as quick:
            started = time.monotonic()
            assert quick.get("/api/v1/stats").status_code == 200
            assert time.monotonic() - started < 10
        time.sleep(1)
        assert subjects(events(read, 3_000)) == ids


@pytest.mark.parametrize("bad", ["-1", "x", "1" * 20, "1 OR 1=1"])
def test_a_position_that_is_none_is_refused(server, key, bad):
    with server.http(key) as http:
        assert http.get("/api/v1/events", params={"after": bad}).status_code == 422
        assert http.get("/api/v1/events", headers={**STREAM, "Last-Event-ID": bad}).status_code == 422


def test_a_position_that_was_never_given_is_the_latest(server, tenant, agent, key):
    happen(tenant, agent, times=2)
    with server.http(key) as http:
        assert http.get("/api/v1/events", params={"after": "9" * 19}).json() == {
            "items": [],
            "next": "2",
            "missed": False,
        }


def test_a_server_with_listeners_stops_at_once(served_environment, tenant, agent, key):
    with serving(served_environment) as server, server.http(key) as http:
        with http.stream("GET", "/api/v1/events", headers=STREAM) as response:
            lines = response.iter_lines()
            happen(tenant, agent)
            (found,) = events_of(lines, 1)
            started = time.monotonic()
            server.process.terminate()
            with suppress(httpx.TransportError):
                assert events_of(lines, 1) == []
            server.process.wait(20)
        assert time.monotonic() - started < 4
    with tenant_scope(tenant.id):
        assert place_events() == int(found["id"])
    assert UUID(json.loads(found["data"])["subject_id"])
