"""Many rows in one statement with one parameter: Django's bulk operations would escape every value of every row, and
write an update as a CASE per column and row.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
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


def update(
    model: type[Model],
    values: Sequence[Mapping[str, Any]],
    *,
    tenant_id: UUID,
    computed: Mapping[str, str] = MappingProxyType({}),
    where: str = "true",
    returning: str = "id",
) -> set[Any]:
    """Set columns of the tenant's rows: each of `values` holds an `id` and, all under the same names, what to set.

    `computed` says in SQL what `stored` and `new` make of a column, `where` what they must be like for a row to be set.
    Returns the column `returning` of the rows that were set.
    """
    if not values:
        return set()
    table = model._meta.db_table  # noqa: SLF001  the documented way to a model's table
    own = {name: f"new.{name}" for name in values[0] if name != "id"}
    assignments = ", ".join(f"{name} = {value}" for name, value in {**own, **computed}.items())
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} AS stored SET {assignments}"  # noqa: S608  names of our own models, and constants
            f" FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb) AS new"
            f" WHERE stored.tenant_id = %s AND stored.id = new.id AND ({where}) RETURNING stored.{returning}",
            [recordset(values), tenant_id],
        )
        return {row[0] for row in cursor.fetchall()}


def recordset(values: Sequence[Mapping[str, Any]]) -> str:
    """The parameter of `jsonb_to_recordset(%s::jsonb)`."""
    return json.dumps(values, default=str)


def uuids(ids: Iterable[UUID]) -> str:
    """The parameter of `%s::uuid[]`."""
    return f"{{{','.join(map(str, ids))}}}"


def among(ids: Iterable[UUID]) -> RawSQL:
    """What stands for many ids in `filter(id__in=…)`."""
    return RawSQL("SELECT unnest(%s::uuid[])", [uuids(ids)])
