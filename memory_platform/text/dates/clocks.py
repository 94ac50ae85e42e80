"""The time of day beside a date."""

import re
from datetime import UTC, datetime, time, timedelta, timezone
from typing import Final

_CLOCK: Final = (
    r"(?:(?P<hour>[01]?\d|2[0-3])(?:[:h](?P<minute>[0-5]\d)|\.(?P<dotted>[0-5]\d))?(?!\d|[.:/]\d)"
    r"(?P<mark>\s?(?:[ap]\.?m\b\.?|o['’]clock\b|uhr\b|h\b))?"
    r"|(?P<noon>noon|midday|mittags?|midi|mediodía))(?!\w)"
)
_AT: Final = r"(?:(?P<at>at|@|um|à|a las|alle|ore|from|between|von|around|about|gegen|ab)\s{1,2})?"
_DATE_BESIDE: Final = r"(?:\s{1,2}\([^()\n]{1,48}\))?"
_BEHIND: Final = re.compile(rf"{_DATE_BESIDE}[,;]?\s{{0,2}}{_AT}{_CLOCK}", re.IGNORECASE)
_BEFORE: Final = re.compile(rf"(?<![\w.:/-]){_AT}{_CLOCK},?\s{{1,2}}(?:(?:on|am|le|el|il)\s{{1,2}})?\Z", re.IGNORECASE)
_ISO: Final = re.compile(
    r"t(?P<hour>[01]\d|2[0-3]):?(?P<minute>[0-5]\d)(?::?[0-5]\d(?:[.,]\d{1,9})?)?"
    r"(?P<zone>z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?(?!\w)",
    re.IGNORECASE,
)
_LOOKED_BACK: Final = 24
_LOOKED_AHEAD: Final = 80
_MORNING: Final = 8
"""An English hour below it without "am" or a leading zero may be one of the afternoon."""


def clock_beside(text: str, start: int, end: int, *, is_english: bool) -> time | None:
    """The time of day said right behind a date from `start` to `end`, or right before it.

    Aware if ISO 8601 gives its zone. None for an hour of which it is unsure whether it is of the morning.
    """
    if iso := _ISO.match(text, end):
        return time(int(iso["hour"]), int(iso["minute"]), tzinfo=_zone(iso["zone"]))
    behind = _BEHIND.match(text, end, end + _LOOKED_AHEAD)
    before = _BEFORE.search(text[max(0, start - _LOOKED_BACK) : start])
    read = (_clock(found, is_english=is_english) for found in (behind, before) if found)
    return next((clock for clock in read if clock is not None), None)


def _clock(match: re.Match[str], *, is_english: bool) -> time | None:
    if match["noon"]:
        return time(12)
    mark = (match["mark"] or "").strip().casefold().replace(".", "")
    hour, minute = int(match["hour"]), int(match["minute"] or match["dotted"] or 0)
    if mark in {"am", "pm"}:
        return time(hour % 12 + (12 if mark == "pm" else 0), minute) if 1 <= hour <= 12 else None
    is_told = mark or match["minute"] or (match["dotted"] and match["at"])
    is_either = 0 < hour < _MORNING and not match["hour"].startswith("0")
    if not is_told or (is_english and (is_either or mark == "h")):
        return None
    return time(hour, minute)


def _zone(told: str | None) -> timezone | None:
    if told is None or told in "zZ":
        return UTC if told else None
    moved = datetime.strptime(told[1:].replace(":", ""), "%H%M").replace(tzinfo=UTC)
    offset = timedelta(hours=moved.hour, minutes=moved.minute)
    return timezone(-offset if told[0] == "-" else offset)
