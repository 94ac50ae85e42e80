"""Waiting a bounded time for what workers do, without a transaction open."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

Seen = TypeVar("Seen")

LOOKS_AGAIN_AFTER_SECONDS: Final = 0.1


def awaited(look: Callable[[], Seen], is_done: Callable[[Seen], bool], *, seconds: float) -> Seen:
    """Return what `look` sees once that is enough, or when the seconds are over; it looks once at least."""
    until = time.monotonic() + seconds
    while not is_done(seen := look()) and time.monotonic() < until:
        time.sleep(LOOKS_AGAIN_AFTER_SECONDS)
    return seen
