"""Where a new document stands: its id, and how far into its session it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db import connection

from apps.core import scope
from apps.core.sql import statement
from apps.index.models import ORDINAL_BITS
from memory_platform.model import Audience, Unit
from memory_platform.retrieval import contextual


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A unit to be found. `text` is what both arms index (`terms.indexed_text` for messages).

    With `ordinal` (below 2^24, unique in the session) the document has neighbours; without, `session_id` only says
    where it comes from.
    """

    unit: Unit
    unit_id: UUID
    text: str
    audience: Audience
    session_id: UUID | None = None
    ordinal: int | None = None
    event_time: datetime | None = None
    recorded_at: datetime | None = None
    retracted_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    kind: str = ""
    category: str = ""
    service: str = ""
    entities: tuple[str, ...] = ()
    hidden: bool = False
    archived: bool = False
    cues: int = 0

    @property
    def has_neighbours(self) -> bool:
        return self.session_id is not None and self.ordinal is not None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands: its id, and the center of its session there."""

    id: int
    center: float


def place(documents: Sequence[NewDocument], lengths: Sequence[int]) -> list[Place]:
    """Number each document: in its session's range, or on its own below zero."""
    ordered = sorted(range(len(documents)), key=lambda index: _key(documents[index], index))
    groups = [list(group) for _, group in groupby(ordered, key=lambda index: _key(documents[index], index)[0])]
    firsts = [documents[group[0]] for group in groups]
    places: dict[int, Place] = {}
    for group, start in zip(groups, _starts(firsts), strict=True):
        if not documents[group[0]].has_neighbours:
            places[group[0]] = Place(-start.number, 0.0)
            continue
        center, before = start.center, start.length
        for index in group:
            center = _next_center(center, before, lengths[index])
            before = lengths[index]
            places[index] = Place((start.number << ORDINAL_BITS) + (documents[index].ordinal or 0), center)
    return [places[index] for index in range(len(documents))]


def _key(document: NewDocument, index: int) -> tuple[str, int]:
    """Sessions together and in order; each document without neighbours alone."""
    return (str(document.session_id), document.ordinal or 0) if document.has_neighbours else (f"-{index}", 0)


@dataclass(frozen=True, slots=True)
class _Start:
    """A session's number, and center and length of the document before the new one (None at its beginning)."""

    number: int
    center: float | None
    length: int


def _starts(firsts: Sequence[NewDocument]) -> list[_Start]:
    """Where each group begins, in one round trip: a session keeps the number its documents have."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("index", "session_starts"),
            {
                "tenant": scope.current().tenant_id,
                "bits": ORDINAL_BITS,
                "sessions": [first.session_id if first.has_neighbours else None for first in firsts],
                "ordinals": [first.ordinal or 0 for first in firsts],
            },
        )
        return [_Start(*row) for row in cursor.fetchall()]


def _next_center(previous: float | None, previous_length: int, length: int) -> float:
    if previous is None:
        return max(length, contextual.PIVOT) / (2 * contextual.PIVOT)
    return contextual.next_center(previous, previous_length, length)
