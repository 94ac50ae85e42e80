"""What enters is checked and freed of secrets once, before anything is hashed, stored or indexed."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from memory_platform.errors import Invalid
from memory_platform.text.redaction import JsonValue, redact, redact_json

LONGEST_ID = 200
# Half of what the column holds: after the last one that a caller may name there are as many that follow by themselves.
MOST_TURNS = 2**30


@dataclass(frozen=True, slots=True)
class CleanText:
    """`text` is free of secrets; `raw` is what was sent; `kinds` names what was removed."""

    text: str
    raw: str
    kinds: tuple[str, ...]

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.text.encode()).digest()


@dataclass(frozen=True, slots=True)
class CleanJson:
    """A JSON `value` without secrets; `text` is its one canonical spelling."""

    text: str | None
    kinds: tuple[str, ...]
    value: JsonValue = None


def clean_text(text: str, *, field: str) -> CleanText:
    """Raises Invalid for text PostgreSQL cannot hold."""
    _require_storable(text, field)
    cleaned = redact(text)
    return CleanText(text=cleaned.text, raw=text, kinds=tuple(cleaned.kinds))


def clean_json(value: JsonValue, *, field: str) -> CleanJson:
    """Raises Invalid for strings PostgreSQL cannot hold and for numbers JSON does not know."""
    if value is None:
        return CleanJson(text=None, kinds=())
    for text in _strings(value):
        _require_storable(text, field)
    try:
        cleaned = redact_json(value)
        text = json.dumps(cleaned.value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        raise Invalid(f"{field} holds a number that JSON does not know (NaN or infinite).", field=field) from error
    except Invalid as error:
        raise Invalid(error.message, field=field) from error
    return CleanJson(text=text, kinds=tuple(cleaned.kinds), value=cleaned.value)


def clean_id(value: str | None, *, field: str, required: bool = True) -> str | None:
    """A caller's own id: 1 to 200 characters. Raises Invalid."""
    if value is None and not required:
        return None
    if not value or len(value) > LONGEST_ID:
        raise Invalid(f"{field} must have 1 to {LONGEST_ID} characters.", field=field)
    _require_storable(value, field)
    return value


def session_name(session_id: str, user_id: str | None) -> tuple[str | None, str]:
    """Whose session it is, and the caller's own id of it. Raises Invalid."""
    return clean_id(user_id, field="userId", required=False), clean_id(session_id, field="sessionId") or ""


def clean_turn(value: int | None, *, field: str) -> int | None:
    """The number of a turn, below MOST_TURNS. Raises Invalid."""
    if value is not None and not 1 <= value < MOST_TURNS:
        raise Invalid(f"{field} must lie between 1 and {MOST_TURNS - 1}.", field=field)
    return value


def clean_time(value: datetime | None, *, field: str, now: datetime) -> datetime:
    """`now` when absent. Raises Invalid for a time without a zone, which would mean another moment on each server."""
    if value is None:
        return now
    if value.tzinfo is None:
        raise Invalid(f"{field} has no time zone; add one, for example 2026-03-01T09:00:00Z.", field=field)
    return value


def _require_storable(text: str, field: str) -> None:
    if "\x00" in text:
        raise Invalid(f"{field} contains the character U+0000, which cannot be stored; remove it.", field=field)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Invalid(
            f"{field} is not valid Unicode (half of a surrogate pair); mend or remove it.", field=field
        ) from error


def _strings(value: JsonValue) -> Iterator[str]:
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, Mapping):
            yield from node
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
