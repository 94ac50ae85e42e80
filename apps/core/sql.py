"""Statements too long for a string in the code: each lies in `sql/<name>.sql` beside the app that runs it."""

from functools import cache
from importlib.resources import files


@cache
def statement(app: str, name: str) -> str:
    """Return `sql/<name>.sql` of the app, read once a process. Raises FileNotFoundError."""
    return (files(f"apps.{app}") / "sql" / f"{name}.sql").read_text(encoding="utf-8")
