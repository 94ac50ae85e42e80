"""The exception tree of the platform. Entry points map it once to HTTP statuses and GraphQL codes.

MemoryPlatformError
├── Unauthenticated     no key, or one that is unknown, expired or revoked
├── Forbidden           the key is good and lacks a scope
├── NotFound            no such thing in this tenant (a foreign id answers exactly like an unknown one)
├── Invalid             the caller's input is wrong; `field` names where
├── Conflict            the same identity arrived with other content
├── RateLimited         too many calls; `retry_after` says when to come back
├── TooComplex          a query over its depth, alias, token or cost limit
├── Unavailable         something we depend on does not answer; retrying later is right
└── ProviderError       a model provider failed
    ├── ProviderRetryable   throttled, overloaded, cut off: worth another attempt
    │   ├── ProviderLate    its deadline passed without an answer
    │   ├── CircuitOpen     not even asked: it failed a moment ago
    │   └── BudgetSpent     not even asked: what it may cost is spent
    └── ProviderRefused     it answered and the answer is unusable, or the request is wrong
"""

from typing import ClassVar

from memory_platform.model import ModelUsage


class MemoryPlatformError(Exception):
    """Base of every error the platform raises on purpose.

    `message` is shown to the caller: it says what happened and what to do next, and never carries a stack
    trace, SQL, a secret or another tenant's ids.
    """

    code: ClassVar[str] = "INTERNAL"
    status: ClassVar[int] = 500

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        field: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
        self.retry_after = retry_after


class Unauthenticated(MemoryPlatformError):
    code = "UNAUTHENTICATED"
    status = 401


class Forbidden(MemoryPlatformError):
    code = "FORBIDDEN"
    status = 403


class NotFound(MemoryPlatformError):
    code = "NOT_FOUND"
    status = 404


class Invalid(MemoryPlatformError):
    code = "INVALID"
    status = 422


class Conflict(MemoryPlatformError):
    code = "CONFLICT"
    status = 409


class RateLimited(MemoryPlatformError):
    code = "RATE_LIMITED"
    status = 429


class TooComplex(MemoryPlatformError):
    code = "TOO_COMPLEX"
    status = 400


class Unavailable(MemoryPlatformError):
    code = "UNAVAILABLE"
    status = 503


class ProviderError(MemoryPlatformError):
    """A model provider failed; `Unavailable` is what callers see of it, if anything.

    `usage` is what the failed call cost as far as it is known; None where nothing was asked or it is metered already.
    """

    code = "UNAVAILABLE"
    status = 503
    usage: ModelUsage | None = None


class ProviderRetryable(ProviderError):
    """Late, throttled, overloaded or cut off: another attempt may succeed."""


class ProviderLate(ProviderRetryable):
    """The deadline passed without an answer."""


class CircuitOpen(ProviderRetryable):
    """The provider was not asked: it failed a moment ago and is left alone for a while."""


class BudgetSpent(ProviderRetryable):
    """The provider was not asked: a budget is spent; `retry_after` are the seconds until its period ends."""


class ProjectionLost(ProviderRetryable):
    """A projection knows nothing of a tenant it was told of before: it has to be built anew."""


class ProviderRefused(ProviderError):
    """Another attempt with the same input will not help."""
