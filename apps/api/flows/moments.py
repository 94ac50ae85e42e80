"""Times as callers name them: ISO 8601, or words for how long ago."""

from datetime import UTC, datetime, timedelta

from memory_platform.errors import Invalid

_DAYS_AGO = {"today": 0, "yesterday": 1, "last_week": 7, "last_month": 30, "last_quarter": 91, "last_year": 365}


def moment(text: str | None, *, field: str, now: datetime) -> datetime | None:
    """The instant `text` names; days begin at midnight UTC. Raises Invalid naming `field`."""
    if text is None:
        return None
    if (days := _DAYS_AGO.get(text.strip().lower())) is not None:
        return now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days)
    try:
        parsed = datetime.fromisoformat(text.strip())
    except ValueError as error:
        words = ", ".join(_DAYS_AGO)
        raise Invalid(f"{field} is neither an ISO 8601 time nor one of {words}.", field=field) from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
