"""Waiting a bounded time for what workers do, without a transaction open, and never in all of a process's threads."""

import time
from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Final

LOOKS_AGAIN_AFTER_SECONDS: Final = 0.1
MOST_WAITING: Final = 4
"""Calls that wait at once in a process: a quarter of the threads that answer requests (config.asgi)."""

_PLACES: Final = BoundedSemaphore(MOST_WAITING)


def wait_until(is_done: Callable[[], bool], *, seconds: float) -> None:
    """Wait until it is done, or the seconds are over; not at all where MOST_WAITING wait already."""
    if not _PLACES.acquire(blocking=False):
        return
    try:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not is_done():
            time.sleep(LOOKS_AGAIN_AFTER_SECONDS)
    finally:
        _PLACES.release()
