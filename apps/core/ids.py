"""UUIDv7 (RFC 9562): ids that sort by creation time, so that indexes grow at their right edge."""

import os
import time
from datetime import datetime
from typing import Final
from uuid import UUID

NO_ROW: Final = UUID(int=0)
"""The id of nothing: a filter by an unknown name lets nothing pass."""


def new_id() -> UUID:
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & 0xFFFFFFFFFFFF) << 80
    value |= 0x7 << 76
    value |= (random >> 68 & 0xFFF) << 64
    value |= 0b10 << 62
    value |= random & 0x3FFFFFFFFFFFFFFF
    return UUID(int=value)


def earliest_id(at: datetime) -> UUID:
    """The least id that is made at this moment: rows with a smaller one are older, by our clock."""
    return UUID(int=(int(at.timestamp() * 1000) & 0xFFFFFFFFFFFF) << 80)
