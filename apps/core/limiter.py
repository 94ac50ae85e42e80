"""Asking a limiter that may be down: it then lets calls through, counted, and is left alone for a moment.

Failing closed is for tenancy, and for logins, which each process then counts by itself. The pause keeps its timeout
from being paid by every request.
"""

import unicodedata
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from typing import TypeVar

import structlog
from django.http import HttpRequest
from django_ratelimit.core import get_usage
from prometheus_client import Counter
from redis.exceptions import RedisError
from throttled import RateLimiterType, Throttled, per_min, store
from throttled.exceptions import StoreUnavailableError

from apps.core.cooldown import Cooldown

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 2.0
LOGINS_PER_MINUTE = 10
FAILURES = Counter("memory_limiter_failures", "Calls let through because the limiter did not answer.")

Answer = TypeVar("Answer")

cooldown = Cooldown(PAUSE_SECONDS)


def ask(question: Callable[[], Answer]) -> Answer | None:
    """The limiter's answer; None when it gives none."""
    if cooldown.is_active:
        FAILURES.inc()
        return None
    try:
        return question()
    except (StoreUnavailableError, RedisError, OSError) as error:
        cooldown.start()
        FAILURES.inc()
        log.warning("limiter_unreachable", error=type(error).__name__)
        return None


def login_is_limited(request: HttpRequest) -> bool:
    """Whether this address, or whoever asks for this name, tried to log in too often within a minute; counts both."""
    name = unicodedata.normalize("NFKC", request.POST.get("username", "")).strip().casefold()
    attempts = ("ip", request.META["REMOTE_ADDR"]), ("name", sha256(name.encode()).hexdigest())
    exceeded = [_attempts_exceeded(request, kind, value) for kind, value in attempts]
    return any(exceeded)


def _attempts_exceeded(request: HttpRequest, kind: str, value: str) -> bool:
    """Counted for all processes; while the limiter is away, by each for itself: passwords must not be guessed then."""
    key = "ip" if kind == "ip" else lambda *_: value
    rate = f"{LOGINS_PER_MINUTE}/m"
    usage = ask(lambda: get_usage(request, f"login-{kind}", key=key, rate=rate, increment=True))
    if usage is not None:
        return bool(usage["should_limit"])
    return _logins_of_this_process().limit(f"{kind}:{value}").limited


@cache
def _logins_of_this_process() -> Throttled:
    quota = per_min(LOGINS_PER_MINUTE)
    return Throttled(using=RateLimiterType.FIXED_WINDOW.value, quota=quota, store=store.MemoryStore())
