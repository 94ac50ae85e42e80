"""Every string of a verb is bounded, cleaned and freed of secrets once: here, between the caller and the service.

An input of the contract admits its own fields while it is read; handlers admit the arguments that are in no input.
A caller's own ids stay as they were sent, or two of them could become one: an id that holds a credential or characters
that nobody sees is refused.
"""

import json
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, Final, TypeVar, cast

from memory_platform.errors import Invalid
from memory_platform.text.cleaning import clean, clean_json
from memory_platform.text.redaction import redact

Value = TypeVar("Value")

LONGEST_NAME: Final = 200
LONGEST_TEXT: Final = 8_000
LONGEST_MESSAGE: Final = 200_000
LONGEST_JSON: Final = 1_000_000
"""Characters of a name or id, of a text, of a message of a conversation, and of a JSON value written out."""
MOST_ENTRIES: Final = 100
FURTHEST_ZONE: Final = timedelta(hours=15, minutes=59)
"""The offset from UTC that PostgreSQL takes at most; the furthest zones are 14 hours away."""

_IDENTIFIERS: Final = frozenset({"session_id", "new_session_id", "user_id", "agent_id", "external_id", "request_id"})
_LONGEST: Final = {
    **dict.fromkeys(_IDENTIFIERS, LONGEST_NAME),
    **dict.fromkeys(("user_input", "llm_output", "content", "output"), LONGEST_MESSAGE),
    **dict.fromkeys(
        ("aliases", "categories", "category", "domain", "entities", "entity", "name", "search", "service", "services",
         "slug", "speaker"),
        LONGEST_NAME,
    ),
    "action": 64,
    "tool": 128,
}  # fmt: skip
# Numbers of accounts open nothing by themselves, and many ids are numbers that pass for one.
_ACCOUNT_NUMBERS: Final = frozenset({"bank_account", "card", "iban", "ssn"})


class Admission(Enum):
    """How a field of an input comes in, where it is not freed of secrets as any other text."""

    SAID = "said"
    """A tenant may keep what was said as it was: the service takes its secrets out."""
    CODE = "code"
    """As ids: refused with a secret in it."""
    NOT_KEPT = "not kept"
    """Compared, or admitted part by part, and never kept: it must be as it was sent."""


def camel_case(name: str) -> str:
    """`session_id` as GraphQL spells it: `sessionId`."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def admitted(
    value: Value,
    name: str = "",
    *,
    said: Collection[str] = (),
    spelled: Callable[[str], str] = camel_case,
    longest: int | None = None,
) -> Value:
    """Return a request, or the argument `name` of a verb, as a service may have it.

    `said` are the fields whose secrets the service takes out itself, because a tenant may keep what was said as it was;
    `spelled` is how errors name a field, `longest` how many characters it may have; default: by its name. Raises
    Invalid for what is too long, too much, out of time or no id.
    """
    return cast("Value", _admitted(value, _FieldPlace(name, frozenset(said), spelled, longest)))


def admitted_field(value: Any, name: str, *, how: Admission | None, longest: int | None) -> Any:
    """The same for a field of an input, which bounds its lists itself."""
    if how is Admission.NOT_KEPT:
        return value
    if isinstance(value, tuple):
        return tuple(admitted_field(each, name, how=how, longest=None) for each in value)
    if how is Admission.CODE and isinstance(value, str):
        return _identifier(value, _FieldPlace(name, frozenset(), camel_case, longest))
    return admitted(value, name, said=(name,) if how is Admission.SAID else (), longest=longest)


def secrets_in(text: str) -> frozenset[str]:
    """The kinds of secrets that keep a text from being an id or a code."""
    return frozenset(redact(text).kinds) - _ACCOUNT_NUMBERS


@dataclass(frozen=True, slots=True)
class _FieldPlace:
    """Which field a value belongs to."""

    name: str
    said: frozenset[str]
    spelled: Callable[[str], str]
    longest: int | None = None

    @property
    def field(self) -> str:
        return self.spelled(self.name)

    @property
    def keeps_secrets(self) -> bool:
        return self.name in self.said


def _admitted(value: Any, place: _FieldPlace) -> Any:
    if isinstance(value, Enum):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        held = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{name: _admitted(each, replace(place, name=name)) for name, each in held.items()})
    return next((admit(value, place) for kind, admit in _BY_KIND if isinstance(value, kind)), value)


def _string(text: str, place: _FieldPlace) -> str:
    return _identifier(text, place) if place.name in _IDENTIFIERS else _text(text, place)


def _text(text: str, place: _FieldPlace) -> str:
    _require_short(text, place)
    cleaned = clean(text)
    if not place.keeps_secrets:
        cleaned = redact(cleaned).text
        # A mark is longer than a short secret.
        _require_short(cleaned, place)
    return cleaned


def _identifier(text: str, place: _FieldPlace) -> str:
    _require_short(text, place)
    if clean(text) != unicodedata.normalize("NFC", text):
        raise Invalid(f"{place.field} holds characters that nobody sees; leave them out.", field=place.field)
    if kinds := secrets_in(text):
        raise Invalid(
            f"{place.field} holds a secret ({', '.join(sorted(kinds))}).",
            field=place.field,
            hint="Ids are stored as they are; send one that opens nothing.",
        )
    return text


def _json(value: Any, place: _FieldPlace) -> Any:
    try:
        cleaned = clean_json(value)
    except Invalid as error:
        raise Invalid(error.message, field=place.field) from error
    if len(json.dumps(cleaned, ensure_ascii=False)) > LONGEST_JSON:
        raise Invalid(f"{place.field} is longer than {LONGEST_JSON} characters of JSON.", field=place.field)
    return cleaned


def _time(time: datetime, place: _FieldPlace) -> datetime:
    try:
        time.astimezone(UTC)
    except (OverflowError, ValueError) as error:
        raise Invalid(f"{place.field} lies outside the years 1 to 9999.", field=place.field) from error
    if abs(time.utcoffset() or timedelta(0)) > FURTHEST_ZONE:
        raise Invalid(f"{place.field} has an offset from UTC that no zone has.", field=place.field)
    return time


def _each(values: tuple[Any, ...], place: _FieldPlace) -> tuple[Any, ...]:
    if len(values) > MOST_ENTRIES:
        raise Invalid(f"{place.field} has more than {MOST_ENTRIES} entries.", field=place.field)
    return tuple(_admitted(each, place) for each in values)


def _require_short(text: str, place: _FieldPlace) -> None:
    longest = place.longest or _LONGEST.get(place.name, LONGEST_TEXT)
    if len(text) > longest:
        raise Invalid(f"{place.field} has more than {longest} characters.", field=place.field)


_BY_KIND: Final[tuple[tuple[type | tuple[type, ...], Callable[[Any, _FieldPlace], Any]], ...]] = (
    (str, _string),
    (tuple, _each),
    (datetime, _time),
    ((dict, list), _json),
)
