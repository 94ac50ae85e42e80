"""Asking a limiter that may be down: it then lets calls through, counted, and is left alone for a moment.

Failing closed is for tenancy. The pause keeps its timeout from being paid by every request.
"""

import time
from collections.abc import Callable
from typing import TypeVar

import structlog
from django.http import HttpRequest
from django_ratelimit.core import get_usage
from prometheus_client import Counter
from redis.exceptions import RedisError
from throttled.exceptions import StoreUnavailableError

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 2.0
LOGINS_PER_MINUTE = 10
FAILURES = Counter("memory_limiter_failures", "Calls let through because the limiter did not answer.")

Answer = TypeVar("Answer")


class _Pause:
    """Until when a failing limiter is left alone (monotonic seconds)."""

    until = 0.0


def ask(question: Callable[[], Answer]) -> Answer | None:
    """The limiter's answer; None when it gives none."""
    if time.monotonic() < _Pause.until:
        FAILURES.inc()
        return None
    try:
        return question()
    except (StoreUnavailableError, RedisError, OSError) as error:
        _Pause.until = time.monotonic() + PAUSE_SECONDS
        FAILURES.inc()
        log.warning("limiter_unreachable", error=type(error).__name__)
        return None


def resume() -> None:
    """End the pause at once."""
    _Pause.until = 0.0


def login_is_limited(request: HttpRequest) -> bool:
    """Whether this address tried to log in too often within a minute; counts the attempt."""
    rate = f"{LOGINS_PER_MINUTE}/m"
    usage = ask(lambda: get_usage(request, "login", key="ip", rate=rate, increment=True))
    return usage is not None and bool(usage["should_limit"])
