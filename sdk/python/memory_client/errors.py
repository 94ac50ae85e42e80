"""What goes wrong, as one tree.

MemoryClientError
├── Unauthenticated     no key, or one that is unknown, expired or revoked
├── Forbidden           the key is good and lacks a scope
├── NotFound            no such thing in this tenant
├── Invalid             the input is wrong; `field` names where
├── Conflict            the same identity arrived with other content
├── RateLimited         too many calls; `retry_after` says when to come back
├── TooComplex          a GraphQL query over its limits
├── Unavailable         the server, or one it depends on, does not answer
│   ├── Unreachable     no server was reached: nothing was sent
│   └── Unanswered      sent, and no answer came: whether it was done is not known
└── UnexpectedAnswer    what answers is no memory server, or one of another age
"""

from collections.abc import Mapping
from typing import Any, ClassVar


class MemoryClientError(Exception):
    """Base of every error of this package. `retry_after` is in seconds; `code` is the server's stable word."""

    code: ClassVar[str] = "INTERNAL"

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        hint: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.hint = hint
        self.retry_after = retry_after


class Unauthenticated(MemoryClientError):
    code = "UNAUTHENTICATED"


class Forbidden(MemoryClientError):
    code = "FORBIDDEN"


class NotFound(MemoryClientError):
    code = "NOT_FOUND"


class Invalid(MemoryClientError):
    code = "INVALID"


class Conflict(MemoryClientError):
    code = "CONFLICT"


class RateLimited(MemoryClientError):
    code = "RATE_LIMITED"


class TooComplex(MemoryClientError):
    code = "TOO_COMPLEX"


class Unavailable(MemoryClientError):
    code = "UNAVAILABLE"


class Unreachable(Unavailable):
    """Nothing was sent."""


class Unanswered(Unavailable):
    """Sent, and whether it was done is not known."""


class UnexpectedAnswer(MemoryClientError):
    code = "UNEXPECTED_ANSWER"


_BY_CODE: Mapping[str, type[MemoryClientError]] = {
    kind.code: kind
    for kind in (Unauthenticated, Forbidden, NotFound, Invalid, Conflict, RateLimited, TooComplex, Unavailable)
}


def told(message: str, details: Mapping[str, Any]) -> MemoryClientError:
    """The error a server's answer tells of; one of an unknown code is a MemoryClientError."""
    kind = _BY_CODE.get(details.get("code", ""), MemoryClientError)
    return kind(message, field=details.get("field"), hint=details.get("hint"), retry_after=details.get("retryAfter"))
