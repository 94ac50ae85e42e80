"""Rows sent as one array a column, and what numpy does with them: a tenth of the time of fetching them one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from apps.index.binary import column
from apps.index.models import ORDINAL_BITS
from memory_platform.model import Unit
from memory_platform.retrieval import contextual
from memory_platform.retrieval.contextual import Postings

UNITS: Final = tuple(Unit)
EPOCH: Final = np.datetime64("2000-01-01T00:00:00", "us")
SESSION_MASK: Final = (1 << ORDINAL_BITS) - 1

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Times = NDArray[np.datetime64]


@dataclass(frozen=True, slots=True)
class Rows:
    """Documents, each once, by ascending id; `frequency`, of shape (rows, partial terms), is how often each occurs.

    `unit` is the place in UNITS; times are datetime64[us] in UTC, NaT where unknown.
    """

    document: Integers
    center: Floats
    length: Integers
    cues: Integers
    passes: NDArray[np.bool_]
    unit: Integers
    event_time: Times
    recorded_at: Times
    unit_id: NDArray[np.void]
    category: Sequence[str]
    frequency: Integers


@dataclass(frozen=True, slots=True)
class Cosines:
    """The cosine of each document that has a vector, by ascending id."""

    document: Integers
    cosine: Floats


def integers(sent: bytes | None) -> Integers:
    """The values of a bigint[]."""
    return column(sent, ">i8").astype(np.int64)


def floats(sent: bytes | None) -> Floats:
    """The values of a double precision[]."""
    return column(sent, ">f8").astype(np.float64)


def postings(document: bytes | None, numbers: bytes | None, center: bytes | None) -> Postings:
    """What sql/postings.sql sends: `numbers` are term << 32 | tf << 16 | length."""
    owner, packed = integers(document), integers(numbers)
    return Postings(
        document=owner,
        term=packed >> 32,
        tf=packed >> 16 & 0xFFFF,
        length=packed & 0xFFFF,
        session=session_of(owner),
        ordinal=ordinal_of(owner),
        center=column(center, ">f4").astype(np.float64),
    )


def only(held: Postings, kept: NDArray[Any]) -> Postings:
    """The postings at these places."""
    return Postings(
        held.document[kept],
        held.term[kept],
        held.tf[kept],
        held.length[kept],
        held.session[kept],
        held.ordinal[kept],
        held.center[kept],
    )


def concatenated(one: Postings, other: Postings) -> Postings:
    return Postings(
        np.concatenate([one.document, other.document]),
        np.concatenate([one.term, other.term]),
        np.concatenate([one.tf, other.tf]),
        np.concatenate([one.length, other.length]),
        np.concatenate([one.session, other.session]),
        np.concatenate([one.ordinal, other.ordinal]),
        np.concatenate([one.center, other.center]),
    )


def rows(sent: Sequence[Any]) -> Rows:
    """What sql/find.sql sends of documents: `numbers` are length << 32 | cues << 16 | passes << 8 | unit, from 1."""
    ids, center, numbers, event_time, recorded_at, unit_id, category, *frequencies = sent
    documents, first = np.unique(integers(ids), return_index=True)
    packed = integers(numbers)[first]
    categories = (category or "").split("\x1f")
    return Rows(
        document=documents,
        center=floats(center)[first],
        length=packed >> 32,
        cues=packed >> 16 & 0xFFFF,
        passes=(packed >> 8 & 1) == 1,
        unit=(packed & 0xFF) - 1,
        event_time=times(event_time)[first],
        recorded_at=times(recorded_at)[first],
        unit_id=column(unit_id, "V16")[first],
        category=[categories[index] for index in first.tolist()],
        frequency=np.stack([column(one, ">i2")[first] for one in frequencies], axis=1).astype(np.int64)
        if frequencies
        else np.empty((len(documents), 0), dtype=np.int64),
    )


def among(values: Integers, ordered: Integers) -> NDArray[np.bool_]:
    """Return which values occur in an ascending array."""
    if not len(ordered):
        return np.zeros(len(values), dtype=bool)
    return np.asarray(ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values)


def cosine_of(document: Integers, cosines: Cosines) -> Floats:
    """Return each document's cosine, NaN without a vector."""
    known = cosines.document
    if not len(known):
        return np.full(len(document), np.nan)
    place = np.minimum(np.searchsorted(known, document), len(known) - 1)
    return np.where(known[place] == document, cosines.cosine[place], np.nan)


def session_of(document: Integers) -> Integers:
    return np.where(document > 0, document >> ORDINAL_BITS, contextual.NO_SESSION)


def ordinal_of(document: Integers) -> Integers:
    return np.where(document > 0, document & SESSION_MASK, 0)


def times(sent: bytes | None) -> Times:
    """The values of a timestamptz[]; infinity stands for unknown."""
    values = integers(sent)
    return np.where(values == np.iinfo(np.int64).max, np.datetime64("NaT", "us"), EPOCH + values.astype("m8[us]"))


def array(values: Integers) -> str:
    return "{" + ",".join(map(str, values.tolist())) + "}"
