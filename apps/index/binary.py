"""Statements whose parameters and values travel in PostgreSQL's binary form: vectors as they are, arrays for numpy.

Nothing is prepared, so that every statement is planned with its parameters' values, the tenant's among them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper
from psycopg.pq import Format

from apps.core.sql import wrapped

_HEADER: Final = 20
"""Bytes before the first element of an array of one dimension: dimensions, flags, type, length, lower bound."""


@contextmanager
def cursor() -> Iterator[CursorWrapper]:
    """A cursor on the open scope's connection that takes numpy vectors (as `HalfVector`) and returns bytea as bytes."""
    raw: Any = psycopg.Cursor(connection.connection)
    raw.format = Format.BINARY
    raw.adapters.register_dumper(HalfVector, HalfVectorBinaryDumper)
    with wrapped(raw) as opened:
        yield opened


def column(sent: bytes | None, dtype: str) -> NDArray[Any]:
    """The elements of `array_send(array_agg(…))`, none of them null; `dtype` is theirs on the wire, such as ">i8"."""
    element = np.dtype([("size", ">i4"), ("value", dtype)])
    return np.frombuffer(sent, element, offset=_HEADER)["value"] if sent else np.empty(0, dtype=dtype)
