"""From JSON to records and from options to JSON. What lacks a field raises LookupError, TypeError or ValueError."""

import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from functools import cache
from typing import Any, Generic, TypeVar

Row = TypeVar("Row")
Decoder = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Record:
    """Base of what the service answers with. Fields it does not know are left out: a server may be newer."""

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it: plain lists and dicts, times as ISO 8601."""
        return typing.cast("dict[str, Any]", as_json(asdict(self)))


@dataclass(frozen=True, slots=True)
class Page(Record, Generic[Row]):
    """A part of a list; `next` is what to pass as `after`, None on the last page."""

    items: tuple[Row, ...]
    next: str | None


def one(kind: type[Row]) -> Callable[[Any], Row]:
    wanted: Any = kind
    return _decoder(wanted)


def several(kind: type[Row]) -> Callable[[Any], tuple[Row, ...]]:
    decode = one(kind)
    return lambda data: tuple(decode(each) for each in data["items"])


def page_of(kind: type[Row]) -> Callable[[Any], Page[Row]]:
    rows = several(kind)
    return lambda data: Page(items=rows(data), next=data["next"])


def as_json(value: Any) -> Any:
    """A value as JSON takes it; options that are None are left out by the caller."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: as_json(each) for name, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [as_json(each) for each in value]
    return value


def present(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: as_json(value) for name, value in options.items() if value is not None}


@cache
def _decoder(kind: Any) -> Decoder:
    if kind is datetime or kind is date:
        # Python 3.11 reads the Z of UTC as well.
        return typing.cast("Decoder", kind.fromisoformat)
    if isinstance(kind, type) and issubclass(kind, Record):
        return _record(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        decode = _decoder(inner[0])
        return lambda data: tuple(decode(each) for each in data)
    if origin is types.UnionType:
        decode = _decoder(next(each for each in inner if each is not type(None)))
        return lambda data: None if data is None else decode(data)
    return lambda data: data


def _record(kind: type[Record]) -> Decoder:
    hints = typing.get_type_hints(kind)
    decoders = {field.name: _decoder(hints[field.name]) for field in fields(kind)}
    return lambda data: kind(**{name: read(data[name]) for name, read in decoders.items() if name in data})
