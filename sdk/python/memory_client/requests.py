"""What a verb asks for, described: nothing here knows how it is sent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from uuid import uuid4

from memory_client.decoding import present

Answer = TypeVar("Answer")

JSON = "application/json"
NDJSON = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Request(Generic[Answer]):
    """`repeatable`: sent twice, the second time changes nothing; others are only sent again when they never arrived.

    `read` makes the answer of the body, of its text where that is not JSON; `body` is sent as JSON, `lines` as
    newline-delimited JSON.
    """

    method: str
    path: str
    read: Callable[[Any], Answer]
    repeatable: bool
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    lines: bytes | None = None
    accepts: str = JSON


def segment(value: str) -> str:
    """A value as one part of a path."""
    return quote(value, safe="")


def new_id() -> str:
    """An id of the client's making, by which the server knows a repeat."""
    return str(uuid4())


def rest(
    method: str, path: str, query: Mapping[str, Any] | None, body: Mapping[str, Any] | None
) -> Request[dict[str, Any]]:
    """Only what reads is repeated."""
    asked = None if body is None else present(body)
    return Request(method, path, dict, repeatable=method == "GET", query=present(query or {}), body=asked)


def text(path: str, accepts: str, query: Mapping[str, Any] | None) -> Request[str]:
    """What a path gives in another form than JSON."""
    return Request("GET", path, str, repeatable=True, query=present(query or {}), accepts=accepts)


def graphql(document: str, variables: Mapping[str, Any]) -> Request[dict[str, Any]]:
    """A document may write, so it is not repeated."""
    body = {"query": document, "variables": dict(variables)}
    return Request("POST", "/graphql", lambda answer: dict(answer["data"]), repeatable=False, body=body)
