"""Many rows in one statement with one parameter: Django's bulk operations would escape every value of every row, and
write an update as a CASE per column and row.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model
from django.db.models.expressions import RawSQL


def insert(rows: Sequence[Model], *, ignore_conflicts: bool = False) -> None:
    """Insert rows of one model. Raises IntegrityError when one exists, unless such are to be left as they are."""
    if not rows:
        return
    meta = rows[0]._meta  # noqa: SLF001  the documented way to a model's columns
    names = [column.attname for column in meta.concrete_fields]
    columns, otherwise = ", ".join(names), " ON CONFLICT DO NOTHING" if ignore_conflicts else ""
    values = [{name: getattr(row, name) for name in names} for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {meta.db_table} ({columns})"  # noqa: S608  names of our own models
            f" SELECT {columns} FROM jsonb_populate_recordset(NULL::{meta.db_table}, %s::jsonb){otherwise}",
            [recordset(values)],
        )


def recordset(values: Sequence[Mapping[str, Any]]) -> str:
    """The parameter of `jsonb_to_recordset(%s::jsonb)`."""
    return json.dumps(values, default=str)


def uuids(ids: Iterable[UUID]) -> str:
    """The parameter of `%s::uuid[]`."""
    return f"{{{','.join(map(str, ids))}}}"


def among(ids: Iterable[UUID]) -> RawSQL:
    """What stands for many ids in `filter(id__in=…)`."""
    return RawSQL("SELECT unnest(%s::uuid[])", [uuids(ids)])
