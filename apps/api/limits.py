"""Rate limits: an exact minute for an agent's writes, GCRA for its captures and ingested lines, which come in bursts, a
fixed minute for an address whose keys open nothing (throttled-py), and one per key (django-ratelimit).
"""

from enum import StrEnum
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest
from django_ratelimit.core import get_usage
from throttled import Quota, RateLimiterType, Throttled, per_min, store

from apps.api import moving_window
from apps.core import limiter
from apps.tenants.access import AgentKey, Caller
from memory_platform.errors import Invalid, RateLimited

TIMEOUT_SECONDS = 0.3
# Addresses counted at once in this process.
_OWN = store.MemoryStore(options={"MAX_SIZE": 10_000})


class Bucket(StrEnum):
    """What is counted apart from the rest."""

    WRITE = "write"
    CAPTURE = "capture"
    INGEST = "ingest"


def spend(principal: Caller, bucket: Bucket) -> None:
    """Count one call against the agent's limit. Raises RateLimited with the seconds to wait."""
    if bucket is Bucket.WRITE:
        _spend_write(principal)
        return
    result = limiter.ask(lambda: _limiter(*_quota(principal, bucket)).limit(_key(principal, bucket)))
    if result is not None and result.limited:
        raise _refused(bucket, result.state.retry_after)


def _spend_write(principal: Caller) -> None:
    key, most = _key(principal, Bucket.WRITE), principal.limits.writes
    seconds = limiter.ask(lambda: moving_window.admit(key, most, timeout=TIMEOUT_SECONDS))
    if seconds:
        raise _refused(Bucket.WRITE, seconds)


def left(principal: Caller, bucket: Bucket) -> int:
    """How much the agent may still do at once. Raises RateLimited when it is nothing."""
    state = limiter.ask(lambda: _limiter(*_quota(principal, bucket)).peek(_key(principal, bucket)))
    if state is None:
        return _quota(principal, bucket)[1]
    if state.remaining < 1:
        raise _refused(bucket, max(state.retry_after, _quota_of(principal, bucket).emission_interval))
    return int(state.remaining)


def require(principal: Caller, bucket: Bucket, cost: int) -> None:
    """Raises RateLimited, with the seconds to wait, unless the agent may do so much at once; counts nothing.

    Raises Invalid for what it may never do at once.
    """
    _, most = _quota(principal, bucket)
    if cost > most:
        raise Invalid(
            f"It counts as {cost} against the agent's {bucket} limit, which admits {most} at once.",
            hint="Send it in several parts, or ask the tenant's administrator to raise the limit.",
        )
    short = cost - left(principal, bucket)
    if short > 0:
        raise _refused(bucket, short * _quota_of(principal, bucket).emission_interval)


def charge(principal: Caller, bucket: Bucket, cost: int) -> None:
    """Count what was done already, as far as the limit reaches: `left` keeps it close to what there was."""
    if cost < 1:
        return
    gcra, key = _limiter(*_quota(principal, bucket)), _key(principal, bucket)
    result = limiter.ask(lambda: gcra.limit(key, cost=cost))
    if result is not None and result.limited and result.state.remaining > 0:
        remaining = int(result.state.remaining)
        limiter.ask(lambda: gcra.limit(key, cost=min(cost, remaining)))


def count_request(request: HttpRequest, principal: AgentKey) -> None:
    """Count a request of any kind against its key. Raises RateLimited."""
    rate = f"{principal.limits.requests}/m"
    usage = limiter.ask(
        lambda: get_usage(request, "api-key", key=lambda *_: str(principal.key_id), rate=rate, increment=True)
    )
    if usage is not None and usage["should_limit"]:
        raise RateLimited(
            f"This key made more than {principal.limits.requests} requests within a minute.",
            retry_after=float(max(1, usage["time_left"])),
            hint="Wait, or ask the tenant's administrator to raise requests_per_minute.",
        )


def count_failure(address: str) -> None:
    """Count an API key that opened nothing against the address it came from. Raises RateLimited past the limit.

    While the limiter is away this process counts alone.
    """
    shared = limiter.ask(lambda: _failures(_store(settings.REDIS_URL)).limit(address))
    result = shared or _failures(_OWN).limit(address)
    if result.limited:
        raise RateLimited(
            f"More than {settings.FAILED_KEYS_PER_MINUTE} API keys that are not valid came from your address.",
            retry_after=max(1.0, result.state.retry_after),
            hint="Wait, and check the key: Authorization: Bearer mp_….",
        )


def _failures(held_by: store.BaseStore) -> Throttled:
    return Throttled(
        using=RateLimiterType.FIXED_WINDOW.value,
        quota=per_min(settings.FAILED_KEYS_PER_MINUTE),
        store=held_by,
        key_prefix="memory:failed",
    )


def _quota(principal: Caller, bucket: Bucket) -> tuple[int, int]:
    """How many a minute, and how many at once."""
    limits = principal.limits
    if bucket is Bucket.CAPTURE:
        return limits.captures, limits.captures_burst
    return limits.ingest_lines, limits.ingest_lines


def _quota_of(principal: Caller, bucket: Bucket) -> Quota:
    per_minute, burst = _quota(principal, bucket)
    return per_min(per_minute, burst=burst)


@lru_cache(maxsize=1024)
def _limiter(per_minute: int, burst: int) -> Throttled:
    return Throttled(
        using=RateLimiterType.GCRA.value,
        quota=per_min(per_minute, burst=burst),
        store=_store(settings.REDIS_URL),
        key_prefix="memory:limit",
    )


@lru_cache(maxsize=1)
def _store(url: str) -> store.RedisStore:
    options = {"SOCKET_TIMEOUT": TIMEOUT_SECONDS, "SOCKET_CONNECT_TIMEOUT": TIMEOUT_SECONDS}
    return store.RedisStore(server=url, options=options)


def _key(principal: Caller, bucket: Bucket) -> str:
    return f"{bucket}:{principal.tenant_id}:{principal.counted_as}"


def _refused(bucket: Bucket, retry_after: float) -> RateLimited:
    return RateLimited(
        f"The agent's {bucket} limit is reached.",
        retry_after=round(retry_after, 3),
        hint="Wait retryAfter seconds, or ask the tenant's administrator to raise the limit.",
    )
