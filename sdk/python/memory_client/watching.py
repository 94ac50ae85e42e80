"""Listening for events: asking behind the last id, with requests that wait, as long as it takes."""

import time

from memory_client import operations
from memory_client.contract import MemoryEvents
from memory_client.errors import MemoryClientError, RateLimited, Unanswered, Unavailable, Unreachable
from memory_client.exchange import Retries, Steps, Wait, answer_of

WAIT_SECONDS = 20.0
AWAY_SECONDS = 2.0
_PASSING = (RateLimited, Unanswered, Unavailable, Unreachable)


def more(after: str | None, retries: Retries, *, user_id: str | None, until: float | None) -> Steps[MemoryEvents]:
    """The next events behind `after`, or none at `until` (of the monotonic clock); None: from where it stands now.

    A server that is away or has too many listeners is asked again until it answers. Raises MemoryClientError.
    """
    while True:
        left = WAIT_SECONDS if until is None else until - time.monotonic()
        wait = None if after is None else max(0.0, min(WAIT_SECONDS, left))
        try:
            found = yield from answer_of(operations.memory_events(after=after, wait=wait, user_id=user_id), retries)
        except _PASSING as error:
            if left <= 0:
                raise
            yield Wait(_patience(error))
            continue
        if found.items or after is None or left <= 0:
            return found
        after = found.next


def _patience(error: MemoryClientError) -> float:
    return max(AWAY_SECONDS, error.retry_after or 0.0)


def deadline(seconds: float | None) -> float | None:
    return None if seconds is None else time.monotonic() + seconds


def is_over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until
