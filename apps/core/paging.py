"""Keyset pages: a cursor holds the sort key of the last row seen; pages neither skip nor repeat under writes."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Model, Q, QuerySet

from apps.core import clock
from memory_platform.errors import Invalid

DEFAULT_PAGE_SIZE = 20
MAXIMUM_PAGE_SIZE = 100
MAXIMUM_CURSOR_LENGTH = 1_000
ASKED: Final = "asked"
"""The annotation that comes first in the order of a list whose rows change places with time: when it was asked for."""
LONGEST_READING: Final = timedelta(days=30)
"""For which the cursors of such a list hold."""

Row = TypeVar("Row")
Other = TypeVar("Other")
ModelRow = TypeVar("ModelRow", bound=Model)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which rows: `first` of them, from behind the cursor `after`."""

    first: int = DEFAULT_PAGE_SIZE
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """One page: rows, the cursor of each, and whether more follow."""

    rows: tuple[Row, ...]
    cursors: tuple[str, ...]
    has_next: bool

    @property
    def end_cursor(self) -> str | None:
        return self.cursors[-1] if self.cursors else None

    def of(self, rows: Sequence[Other]) -> "Slice[Other]":
        """The same page with each row turned into something else, in order."""
        return Slice(tuple(rows), self.cursors, self.has_next)


def page(first: int | None = None, after: str | None = None) -> PageRequest:
    """Check what a caller asks for. Raises Invalid when `first` is not within 1..100."""
    size = DEFAULT_PAGE_SIZE if first is None else first
    if not 1 <= size <= MAXIMUM_PAGE_SIZE:
        raise Invalid(f"first must lie between 1 and {MAXIMUM_PAGE_SIZE}.", field="first")
    return PageRequest(size, after)


def paginate(rows: "QuerySet[ModelRow]", *, order: Sequence[str], page: PageRequest) -> Slice[ModelRow]:
    """Cut one page out of `rows`, ordered by fields or annotations (a leading `-` descends) that are never null.

    The last of `order` must be unique. Raises Invalid on a cursor that is malformed or of another order.
    """
    if page.after is not None:
        rows = rows.filter(_behind(order, _values(rows, order, decode(page.after, order=order))))
    found = list(rows.order_by(*order)[: page.first + 1])
    kept = found[: page.first]
    names = [field.lstrip("-") for field in order]
    cursors = tuple(encode([getattr(row, name) for name in names], order=order) for row in kept)
    return Slice(tuple(kept), cursors, len(found) > page.first)


def asked_at(page: PageRequest, *, order: Sequence[str]) -> datetime:
    """The moment a list whose `order` begins with ASKED is of: that of its first page. Raises Invalid."""
    if page.after is None:
        return clock.now()
    try:
        asked = datetime.fromisoformat(str(decode(page.after, order=order)[0]))
        is_of_late = abs(clock.now() - asked) < LONGEST_READING
    except (ValueError, TypeError) as error:
        raise malformed() from error
    if not is_of_late:
        raise malformed()
    return asked


def encode(values: Sequence[object], *, order: Sequence[str]) -> str:
    """Pack one row's sort key. The order goes along, so that a cursor cannot be used under another."""
    plain = [value.isoformat() if isinstance(value, datetime) else value for value in values]
    packed = json.dumps([",".join(order), *plain], default=str, separators=(",", ":"))
    return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def decode(cursor: str, *, order: Sequence[str]) -> list[str | int | float | bool]:
    """Unpack a sort key as JSON values. Raises Invalid."""
    if len(cursor) > MAXIMUM_CURSOR_LENGTH:
        raise malformed()
    try:
        packed = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        names, *values = json.loads(packed)
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise malformed() from error
    if names != ",".join(order) or len(values) != len(order):
        raise malformed()
    if not all(isinstance(value, str | int | float) for value in values):
        raise malformed()
    return list(values)


def _behind(order: Sequence[str], values: Sequence[object]) -> Q:
    """(a, b, c) after (x, y, z): a > x, or a = x and b > y, or a = x and b = y and c > z."""
    behind = Q()
    tied = Q()
    for field, value in zip(order, values, strict=True):
        name = field.lstrip("-")
        behind |= tied & Q(**{f"{name}__{'lt' if field.startswith('-') else 'gt'}": value})
        tied &= Q(**{name: value})
    first = order[0].lstrip("-")
    bound = "lte" if order[0].startswith("-") else "gte"
    # Redundant, but an index can start from it; an OR alone scans.
    return Q(**{f"{first}__{bound}": values[0]}) & behind


def _values(rows: "QuerySet[Any]", order: Sequence[str], values: Sequence[object]) -> list[object]:
    try:
        return [_field_of(rows, name).to_python(value) for name, value in zip(order, values, strict=True)]
    except (ValidationError, ValueError, TypeError, OverflowError) as error:
        raise malformed() from error


def _field_of(rows: "QuerySet[Any]", name: str) -> Any:
    bare = name.lstrip("-")
    try:
        return rows.model._meta.get_field(bare)  # noqa: SLF001
    except FieldDoesNotExist:
        return rows.query.annotations[bare].output_field


def malformed() -> Invalid:
    return Invalid("after is not a cursor of this list.", field="after", hint="Pass pageInfo.endCursor unchanged.")
