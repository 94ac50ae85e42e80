"""Django's Redis cache with one connection pool and one client a process.

Django makes a cache object a thread, each with a pool of its own; served as ASGI, every request would connect anew.
"""

from functools import lru_cache
from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from django.utils.functional import cached_property
from typing_extensions import override


class _Client(RedisCacheClient):
    @override
    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """The one client of a pool: making one costs more than a question to the server, and holds no state."""
        parent: Any = super()
        pool = parent._get_connection_pool(write)  # noqa: SLF001
        if pool not in self._made:
            self._made[pool] = parent.get_client(key, write=write)
        return self._made[pool]

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    @override
    def incr(self, key: Any, delta: int) -> int:
        """One round trip instead of EXISTS and INCR. Raises ValueError when there was nothing to increment."""
        client: Any = self.get_client(key, write=True)
        value = int(client.incrby(key, delta))
        if value == delta:
            client.delete(key)
            raise ValueError(f"Key {key!r} not found.")
        return value


class PooledRedisCache(RedisCache):
    @cached_property
    @override
    def _cache(self) -> RedisCacheClient:
        backend: Any = self
        return _client(tuple(backend._servers), tuple(sorted(backend._options.items())))  # noqa: SLF001


@lru_cache(maxsize=8)
def _client(servers: tuple[str, ...], options: tuple[tuple[str, Any], ...]) -> RedisCacheClient:
    return _Client(list(servers), **dict(options))
