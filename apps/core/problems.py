"""The one mapping from exceptions to what callers are told, for GraphQL and REST alike.

Only the platform's own errors speak; anything else is logged and answered with INTERNAL, for its words may hold SQL,
secrets or another tenant's ids.
"""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass

import structlog
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import JsonResponse
from redis.exceptions import RedisError

from memory_platform.errors import Invalid, MemoryPlatformError, ProviderError, TooComplex, Unavailable

log = structlog.get_logger(__name__)

RETRY_SECONDS = 1.0
FRAMES_TOLD = 8


@dataclass(frozen=True, slots=True)
class Problem:
    """What a caller is told: a stable code, an HTTP status, words, and what to do next."""

    code: str
    status: int
    message: str
    field: str | None = None
    hint: str | None = None
    retry_after: float | None = None

    @property
    def extensions(self) -> dict[str, str | float]:
        """`extensions` of a GraphQL error; what is unknown is left out."""
        known = {"code": self.code, "retryAfter": self.retry_after, "field": self.field, "hint": self.hint}
        return {name: value for name, value in known.items() if value is not None}

    @property
    def body(self) -> dict[str, dict[str, str | float]]:
        """The JSON body of a REST answer."""
        return {"error": {**self.extensions, "message": self.message}}


def of(error: BaseException) -> Problem:
    """Map an exception, logging what the caller is not told."""
    if isinstance(error, ProviderError):
        log.warning("provider_failed", error=type(error).__name__)
        return _from(Unavailable("A model provider did not answer as it should.", hint="Try again."))
    if isinstance(error, MemoryPlatformError):
        return _from(error)
    if isinstance(error, RequestDataTooBig):
        return Problem("INVALID", 413, "The body is too large.", hint="Send it in several parts.")
    if isinstance(error, RecursionError):
        return _from(TooComplex("The request is nested too deeply.", hint="Send what it holds in a flatter form."))
    if isinstance(error, OperationalError | InterfaceError | RedisError):
        log.warning("dependency_failed", error=type(error).__name__)
        unavailable = Unavailable("A server we depend on does not answer.", hint="Try again; see /readyz.")
        unavailable.retry_after = RETRY_SECONDS
        return _from(unavailable)
    log.error("unexpected_error", error=type(error).__name__, frames=frames_of(error))
    return Problem("INTERNAL", 500, "Something went wrong on our side.", hint="Quote the X-Request-ID to the operator.")


def frames_of(error: BaseException) -> list[str]:
    """The last functions and lines an exception went through, for a log; its message may hold content or secrets."""
    return [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-FRAMES_TOLD:]]


def invalid(message: str, *, field: str | None = None) -> Problem:
    return _from(Invalid(message, field=field))


def refusal(problem: Problem, body: Mapping[str, object] | None = None) -> JsonResponse:
    """What a refused caller gets: the problem's own body, unless another protocol has one of its own."""
    response = JsonResponse(body or problem.body, status=problem.status)
    if problem.retry_after is not None:
        response["Retry-After"] = str(max(1, round(problem.retry_after)))
    return response


def _from(error: MemoryPlatformError) -> Problem:
    return Problem(error.code, error.status, error.message, error.field, error.hint, error.retry_after)
