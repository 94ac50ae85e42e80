"""An exact limit: never more than so many within any minute, however they are spread.

A cell-rate limiter lets through what is saved up and what is refilled meanwhile, a counter of clock minutes up to twice
the limit around a boundary. This one remembers when each was admitted, which is cheap for limits of some hundreds.
"""

from functools import lru_cache
from typing import Any

import redis
from django.conf import settings

WINDOW_MILLISECONDS = 60_000

_SCRIPT = """
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local used = redis.call('ZCARD', KEYS[1])
if used >= limit then
    local first = redis.call('ZRANGE', KEYS[1], used - limit, used - limit, 'WITHSCORES')
    return math.max(1, tonumber(first[2]) + window - now)
end
redis.call('ZADD', KEYS[1], now, clock[1] .. ':' .. clock[2] .. ':' .. used)
redis.call('PEXPIRE', KEYS[1], window)
return 0
"""


def admit(key: str, limit: int, *, timeout: float) -> float:
    """Count one call and return 0, or count nothing and return the seconds to wait. Raises RedisError."""
    milliseconds = _script(settings.REDIS_URL, timeout)(
        keys=[f"memory:limit:window:{key}"], args=[limit, WINDOW_MILLISECONDS]
    )
    return int(milliseconds) / 1000


@lru_cache(maxsize=1)
def _script(url: str, timeout: float) -> Any:
    client = redis.Redis.from_url(url, socket_timeout=timeout, socket_connect_timeout=timeout)
    return client.register_script(_SCRIPT)
