"""How a request becomes an answer, without any input or output: steps that a driver takes.

A step is a request to send or a wait; the driver hands back what came of it. Blocking and asynchronous clients differ
in the driver only.
"""

import random
from collections.abc import Generator
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

import httpx

from memory_client import errors
from memory_client.errors import MemoryClientError, Unanswered, Unavailable, UnexpectedAnswer, Unreachable
from memory_client.requests import JSON, Request

Answer = TypeVar("Answer")

# What stands between a client and its server says so in words of its own.
GATEWAY_STATUSES = frozenset({502, 503, 504})
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


Outcome = httpx.Response | httpx.TransportError | None
Steps = Generator[Request[Any] | Wait, Outcome, Answer]


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently a request is sent again; times are seconds.

    The n-th wait is `first_wait` · 2ⁿ⁻¹, shortened at random by up to a half so that many clients do not return at
    once, and never shorter than the server's `retry_after`. A `retry_after` beyond `longest_wait` is raised instead.
    """

    attempts: int = 4
    first_wait: float = 0.2
    longest_wait: float = 10.0

    def wait(self, error: MemoryClientError, attempt: int, *, repeatable: bool) -> float | None:
        """Seconds until the next attempt; None: there is none."""
        asked = error.retry_after or 0.0
        if attempt >= self.attempts or asked > self.longest_wait or not _may_repeat(error, repeatable=repeatable):
            return None
        backoff = min(self.first_wait * 2.0 ** (attempt - 1), self.longest_wait)
        return max(asked, backoff * random.uniform(0.5, 1.0))  # noqa: S311  spreads load, guards nothing


def _may_repeat(error: MemoryClientError, *, repeatable: bool) -> bool:
    """What was refused for its rate or never arrived was not begun."""
    if isinstance(error, errors.RateLimited | Unreachable):
        return True
    return repeatable and isinstance(error, Unavailable)


def answer_of(request: Request[Answer], retries: Retries) -> Steps[Answer]:
    """Send until it is answered. Raises MemoryClientError."""
    for attempt in count(1):
        outcome = yield request
        try:
            return _read(request, outcome)
        except MemoryClientError as error:
            wait = retries.wait(error, attempt, repeatable=request.repeatable)
            if wait is None:
                raise
            yield Wait(wait)
    raise AssertionError  # pragma: no cover  the last attempt returns or raises


def _read(request: Request[Answer], outcome: Outcome) -> Answer:
    if not isinstance(outcome, httpx.Response):
        raise _broken(outcome)
    if request.accepts != JSON and _is_of(outcome, request.accepts):
        return request.read(outcome.text)
    body = _json(outcome)
    if isinstance(problem := body.get("error"), dict):
        raise errors.told(problem.get("message") or f"HTTP {outcome.status_code}", problem)
    if failures := body.get("errors"):
        raise errors.told(failures[0]["message"], failures[0].get("extensions") or {})
    if outcome.is_error or request.accepts != JSON:
        raise _foreign(outcome)
    try:
        return request.read(body)
    except (LookupError, TypeError, ValueError) as error:
        raise _foreign(outcome) from error


def _is_of(response: httpx.Response, kind: str) -> bool:
    """A problem is JSON, whatever was asked for."""
    return response.is_success and response.headers.get("Content-Type", "").startswith(kind)


def _json(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError as error:
        raise _foreign(response) from error
    if not isinstance(body, dict):
        raise _foreign(response)
    return body


def _foreign(response: httpx.Response) -> MemoryClientError:
    words = f"HTTP {response.status_code} from {response.url}: not the answer of a memory server."
    kind = Unavailable if response.status_code in GATEWAY_STATUSES else UnexpectedAnswer
    return kind(words, hint="Check the URL, and what stands between here and the server.")


def _broken(cause: httpx.TransportError | None) -> MemoryClientError:
    if isinstance(cause, _NEVER_SENT):
        url = cause.request.url
        return Unreachable(
            f"No memory server answers at {url.scheme}://{url.netloc.decode('ascii')}.",
            hint="Start one with `memory serve`, or check the URL.",
        )
    if isinstance(cause, httpx.TimeoutException):
        return Unanswered("The memory server did not answer in time.", hint="Try again.")
    return Unanswered(f"The connection broke: {type(cause).__name__}.", hint="Try again.")
