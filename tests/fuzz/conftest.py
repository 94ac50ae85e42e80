"""A whole server over HTTP, and a caller that sends whatever bytes it is told to."""

import http.client
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from apps.stack.supervisor import Stack, StackOptions, private_stack

LIMITS = (
    "requests_per_minute",
    "writes_per_minute",
    "captures_per_minute",
    "captures_burst",
    "ingest_lines_per_minute",
)
OURS = frozenset({"INTERNAL", "UNAVAILABLE"})
"""Codes by which GraphQL says that it is not the caller's fault."""


MANY_SENT = 10_000
"""Requests of `make fuzz`, at least."""
SETTLE_SECONDS = 90.0
"""What the worker gets at the end for what it has not come to."""
LEFT = "SELECT count(*) FROM jobs_job WHERE state IN ('queued', 'running') AND run_after <= now()"
SPOILT = "SELECT name, state, error, count(*) FROM jobs_job WHERE state = 'failed' OR error <> '' GROUP BY 1, 2, 3"


@dataclass
class Server:
    """`broken` holds what was answered with a fault of ours, by route and what it says."""

    url: str
    token: str
    owner: Mapping[str, str]
    memory_id: str = ""
    sent: int = 0
    broken: dict[str, str] = field(default_factory=dict)

    def send(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """Send it over a connection of its own: what follows must not depend on what the server made of it."""
        address = urlsplit(self.url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
        given = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **(headers or {})}
        try:
            connection.request(method, path, body, given)
            response = connection.getresponse()
            # A stream has no end: it is judged by how it begins.
            is_stream = response.headers.get("Content-Type", "").startswith("text/event-stream")
            answer = response.readline() if is_stream else response.read()
            self.judge(f"{method} {path}", body, response.status, answer)
        except (OSError, http.client.HTTPException) as error:
            self.judge(f"{method} {path}", body, 599, repr(error).encode())
        finally:
            connection.close()

    def logged_in(self) -> dict[str, str]:
        """The headers of the tenant's owner at the console and the admin."""
        with httpx.Client(base_url=self.url) as client:
            client.get("/console/login/").raise_for_status()
            said = {**self.owner, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
            assert client.post("/console/login/", data=said).is_redirect
            cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
            return {"Cookie": cookies, "X-CSRFToken": client.cookies["csrftoken"], "Authorization": ""}

    def remember(self) -> None:
        """Something to speak of: much is only reached where there is a memory."""
        said = {"text": "Mara works at Nordwind Logistics."}
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = httpx.post(f"{self.url}/api/v1/memories", json=said, headers=headers, timeout=60)
        self.memory_id = answer.raise_for_status().json()["memory"]["id"]

    def judge(self, request: str, body: bytes, status: int, answer: bytes) -> None:
        self.sent += 1
        if status >= 500 or _codes(answer) & OURS:
            self.broken.setdefault(f"{status} {request[:100]}: {answer[:200]!r}", f"{body[:300]!r}")


def _codes(answer: bytes) -> set[str]:
    try:
        errors = json.loads(answer).get("errors", ())
        return {error["extensions"]["code"] for error in errors}
    except (ValueError, AttributeError, TypeError, KeyError):
        return set()


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    quick = {"MEMORY_EMBEDDER": "wordllama", "MEMORY_MULTILINGUAL_EMBEDDER": "none", "MEMORY_LOG_LEVEL": "ERROR"}
    options = StackOptions(root=Path("unused"), durable=False, environment=quick)
    with private_stack(options) as stack:
        tenant = str(stack.first_tenant["tenant"])
        stack.manage("set_policy", tenant, *(f"{name}=1000000" for name in LIMITS))
        named = {"username": "admin_username", "password": "admin_password"}
        owner = {name: str(stack.first_tenant[held]) for name, held in named.items()}
        attacked = Server(stack.url, str(stack.first_tenant["api_key"]), owner)
        attacked.remember()
        yield attacked
        assert _spoilt_jobs(stack) == []
        if request.config.option.markexpr == "fuzz" and not request.config.option.keyword:
            assert attacked.sent >= MANY_SENT, attacked.sent


def _spoilt_jobs(stack: Stack) -> list[tuple[str, str, str, int]]:
    """The jobs that failed, or will be tried again, over what was accepted: by name, state and error."""
    assert stack.postgres
    until = time.monotonic() + SETTLE_SECONDS
    with psycopg.connect(stack.postgres.superuser_url(), autocommit=True) as connection:
        while time.monotonic() < until and connection.execute(LEFT).fetchone() != (0,):
            time.sleep(0.5)
        return connection.execute(SPOILT).fetchall()


@pytest.fixture
def attacked(server: Server) -> Iterator[Server]:
    """Nothing it answered was its own fault, and it still answers."""
    server.broken.clear()
    yield server
    server.send("GET", "/livez")
    assert not server.broken, "\n".join(f"{what}\n    {body}" for what, body in server.broken.items())
