"""The words of a filter's `after` and `before`: an ISO date or time, or a phrase such as last_week."""

from datetime import UTC, datetime

from apps.retrieval.requests import Filter
from memory_platform.errors import Invalid
from memory_platform.text import times


def bounds(wanted: Filter, *, now: datetime) -> tuple[datetime | None, datetime | None]:
    """From when, and until when. Raises Invalid for words that name no time."""
    return _moment(wanted.after, now=now, field="after"), _moment(wanted.before, now=now, field="before")


def _moment(text: str | None, *, now: datetime, field: str) -> datetime | None:
    """The moment `text` names, of a span its first; a time without a zone is UTC. Raises Invalid for anything else."""
    if text is None:
        return None
    try:
        named = datetime.fromisoformat(text)
    except ValueError:
        found = times.time_range(text.replace("_", " "), now)
        if found is None:
            raise Invalid(
                f"{text!r} names no time.", field=field, hint="Use an ISO date such as 2026-03-01, or last_week."
            ) from None
        return found.start
    try:
        # PostgreSQL takes no offset of 16 hours and more.
        return named.astimezone(UTC) if named.tzinfo else named.replace(tzinfo=UTC)
    except OverflowError as error:
        raise Invalid(f"{field} lies outside the years 1 to 9999.", field=field) from error
