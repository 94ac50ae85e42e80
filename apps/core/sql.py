"""Statements too long for a string in the code: each lies in `sql/<name>.sql` beside the app that runs it. And the
cursors that send their parameters beside a statement instead of inside it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper


@cache
def statement(app: str, name: str) -> str:
    """Return `sql/<name>.sql` of the app, read once a process. Raises FileNotFoundError."""
    return (files(f"apps.{app}") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


@contextmanager
def prepared_cursor() -> Iterator[CursorWrapper]:
    """A cursor whose statements each connection plans a few times and then keeps, within an open scope.

    For those that look rows up by their keys, which take longer to plan than to run, in the same way for every tenant.
    """
    held = connection.connection
    # psycopg does not tell the log of statements what it ran by its name.
    held.prepare_threshold = None if connection.queries_logged else 0
    try:
        with wrapped(psycopg.Cursor(held)) as cursor:
            yield cursor
    finally:
        held.prepare_threshold = None


def wrapped(raw: Any) -> CursorWrapper:
    """A cursor of psycopg's own as Django's: its errors, and its log of statements."""
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    return wrap(raw)
