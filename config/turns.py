"""Turns: no key has all the threads that answer requests, so that one agent's slow ones keep nobody else waiting."""

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final
from weakref import WeakValueDictionary

PARTS: Final = 3
"""Of `Bearer mp_<name>_<secret>`, between its first two underscores."""


class Turns:
    """At most so many requests of one key are answered at once; more of it wait, holding no thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        # As long as somebody is served or waits.
        self._of_keys: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, authorization: str) -> AbstractAsyncContextManager[None]:
        """The turn of a request with this header; what carries no key waits for nobody."""
        parts = authorization.split("_", PARTS - 1)
        if len(parts) < PARTS:
            return nullcontext()
        return self._of_keys.setdefault(parts[1], asyncio.Semaphore(self._most))
