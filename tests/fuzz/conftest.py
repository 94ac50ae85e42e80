"""A whole server over HTTP, and a caller that sends whatever bytes it is told to."""

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from apps.stack.supervisor import StackOptions, private_stack

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
NOT_THERE = b"No Neo4j is configured"


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
        """The headers of the tenant's owner at the console."""
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
        if NOT_THERE in answer:
            return
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
    options = StackOptions(root=Path("unused"), worker=False, durable=False, environment=quick)
    with private_stack(options) as stack:
        tenant = str(stack.first_tenant["tenant"])
        stack.manage("set_policy", tenant, *(f"{name}=1000000" for name in LIMITS))
        named = {"username": "admin_username", "password": "admin_password"}
        owner = {name: str(stack.first_tenant[held]) for name, held in named.items()}
        attacked = Server(stack.url, str(stack.first_tenant["api_key"]), owner)
        attacked.remember()
        yield attacked
        if request.config.option.markexpr == "fuzz" and not request.config.option.keyword:
            assert attacked.sent >= MANY_SENT, attacked.sent


@pytest.fixture
def attacked(server: Server) -> Iterator[Server]:
    """Nothing it answered was its own fault, and it still answers."""
    server.broken.clear()
    yield server
    server.send("GET", "/livez")
    assert not server.broken, "\n".join(f"{what}\n    {body}" for what, body in server.broken.items())
