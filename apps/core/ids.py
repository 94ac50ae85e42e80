"""UUIDv7 (RFC 9562): ids that sort by creation time, so that indexes grow at their right edge."""

import os
import threading
import time
from datetime import datetime
from typing import Final
from uuid import UUID

NO_ROW: Final = UUID(int=0)
"""The id of nothing: a filter by an unknown name lets nothing pass."""

ID_PATTERN: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""An id as it is written, for Python and for PostgreSQL."""

_RANDOM_BITS: Final = 74
_LOW_BITS: Final = 62


class _Ascending:
    """The random part of an id; within one millisecond each is above the one before (RFC 9562, 6.2, method 2)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._millisecond = 0
        self._value = 0

    def at(self, millisecond: int) -> int:
        with self._lock:
            if millisecond == self._millisecond:
                self._value += 1
            else:
                # The highest bit is left clear: room to count on.
                self._value = int.from_bytes(os.urandom(10), "big") >> (80 - _RANDOM_BITS + 1)
                self._millisecond = millisecond
            return self._value


_ascending = _Ascending()


def new_id() -> UUID:
    """Ids that one process makes sort in the order they were made, unless its clock is set back."""
    millisecond = time.time_ns() // 1_000_000
    random = _ascending.at(millisecond)
    value = (millisecond & 0xFFFFFFFFFFFF) << 80
    value |= 0x7 << 76
    value |= (random >> _LOW_BITS) << 64
    value |= 0b10 << _LOW_BITS
    value |= random & ((1 << _LOW_BITS) - 1)
    return UUID(int=value)


def earliest_id(at: datetime) -> UUID:
    """The least id that is made at this moment: rows with a smaller one are older, by our clock."""
    return UUID(int=(int(at.timestamp() * 1000) & 0xFFFFFFFFFFFF) << 80)
