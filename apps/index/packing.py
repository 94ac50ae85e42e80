"""Rows packed into one value by SQL, and what numpy does with them: a tenth of the time of fetching them one by one."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from apps.index.models import ORDINAL_BITS
from memory_platform.model import Unit
from memory_platform.retrieval import contextual

POSTING: Final = np.dtype([("document", ">i8"), ("tf", ">i2"), ("length", ">i2"), ("center", ">f4"), ("term", ">i2")])
COSINE: Final = np.dtype([("document", ">i8"), ("cosine", ">f8")])
ROW: Final = [
    ("document", ">i8"),
    ("center", ">f8"),
    ("length", ">i4"),
    ("event_time", ">i8"),
    ("recorded_at", ">i8"),
    ("unit_id", "V16"),
    ("unit", ">i2"),
    ("passes", ">i2"),
    ("cues", ">i2"),
]
UNITS: Final = tuple(Unit)
PACKED_POSTING: Final = (
    "int8send(p.document_id) || int2send(p.tf) || int2send(p.length) || float4send(p.center) || int2send(t.place)"
)
EPOCH: Final = np.datetime64("2000-01-01T00:00:00", "us")
SESSION_MASK: Final = (1 << ORDINAL_BITS) - 1

Packed = NDArray[np.void]
Integers = NDArray[np.int64]
Times = NDArray[np.datetime64]


def once(rows: Packed) -> tuple[Packed, Integers]:
    """Return each document's first row in order of document, and where it stood."""
    _, first = np.unique(rows["document"].astype(np.int64), return_index=True)
    return rows[first], first


def among(values: Integers, ordered: Integers) -> NDArray[np.bool_]:
    """Return which values occur in an ascending array."""
    if not len(ordered):
        return np.zeros(len(values), dtype=bool)
    return np.asarray(ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values)


def cosine_of(document: Integers, cosines: Packed) -> NDArray[np.float64]:
    """Return each document's cosine, NaN without a vector."""
    if not len(cosines):
        return np.full(len(document), np.nan)
    known = cosines["document"].astype(np.int64)
    place = np.minimum(np.searchsorted(known, document), len(known) - 1)
    return np.where(known[place] == document, cosines["cosine"][place].astype(np.float64), np.nan)


def session_of(document: Integers) -> Integers:
    return np.where(document > 0, document >> ORDINAL_BITS, contextual.NO_SESSION)


def ordinal_of(document: Integers) -> Integers:
    return np.where(document > 0, document & SESSION_MASK, 0)


def times(microseconds: NDArray[Any]) -> Times:
    """Decode PostgreSQL's binary timestamps; infinity stands for unknown."""
    values = microseconds.astype(np.int64)
    return np.where(values == np.iinfo(np.int64).max, np.datetime64("NaT", "us"), EPOCH + values.astype("m8[us]"))


def unpack(packed: bytes | None, dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.frombuffer(packed or b"", dtype=dtype)


def array(values: Integers) -> str:
    return "{" + ",".join(map(str, values.tolist())) + "}"
