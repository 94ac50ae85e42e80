"""Statements too long for a string in the code: each lies in `sql/<name>.sql` beside the app that runs it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper
from typing_extensions import override


@cache
def statement(app: str, name: str) -> str:
    """Return `sql/<name>.sql` of the app, read once a process. Raises FileNotFoundError."""
    return (files(f"apps.{app}") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


@contextmanager
def prepared_cursor() -> Iterator[CursorWrapper]:
    """A cursor on the open scope's connection whose statements are planned a few times a connection, not each time.

    For statements of the hot path that name their rows by id: planning took them three times as long as running. Not
    for the index, whose plans need the tenant as a literal. Parameters travel apart from the statement, so that those
    whose type does not follow from where they stand need a cast.
    """
    raw: Any = _PreparedCursor(connection.connection)
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    with wrap(raw) as opened:
        yield opened


class _PreparedCursor(psycopg.Cursor[Any]):
    @override
    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = True, binary: bool | None = None
    ) -> Any:
        return super().execute(query, params, prepare=prepare, binary=binary)
