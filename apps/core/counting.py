"""Counting several things at once, and telling how many there are."""

from typing import Any

from django.db import connection
from django.db.models import QuerySet


def counts(**rows: QuerySet[Any]) -> dict[str, int]:
    """How many rows each of these has, by its name, in one statement. Needs what each of them needs."""
    compiled = {name: each.order_by().values("pk").query.sql_with_params() for name, each in rows.items()}
    columns = ", ".join(f"(SELECT count(*) FROM ({sql}) counted)" for sql, _ in compiled.values())  # noqa: S608  Django's
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}", [each for _, given in compiled.values() for each in given])
        return dict(zip(compiled, cursor.fetchone(), strict=True))


def amount(count: int, one: str, several: str = "") -> str:
    """1 memory, 2,000 memories; `several` where that is not `one` and an s."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"
