"""The one clock. Services read it and pass `now` down; the core never reads a clock itself."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(tz=UTC)
