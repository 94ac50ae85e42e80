"""Rows made by SQL of those that are there: every kind of a tenant's rows, as many as are wanted, in seconds."""

from collections.abc import Mapping

NEW_ID = "md5(held.id::text || copy)::uuid"
"""The same for whoever refers to it: `copied` of the column that does."""


def copied(column: str) -> str:
    """The id that the row which a column names has in this copy."""
    return f"md5(held.{column}::text || copy)::uuid"


def statement(table: str, own: Mapping[str, str]) -> str:
    """Copies every row of `%(tenant)s` `%(copies)s` times; `own` is what a copy has of its own, as expressions over the
    row `held` and the number `copy`. What would be there twice is left out.
    """
    changed = ", ".join(f"'{column}', {value}" for column, value in own.items())
    return (
        f"INSERT INTO {table} SELECT made.* FROM {table} held CROSS JOIN generate_series(1, %(copies)s) copy,"
        f" LATERAL jsonb_populate_record(held, jsonb_build_object({changed})) made"
        " WHERE held.tenant_id = %(tenant)s ON CONFLICT DO NOTHING"
    )


def counting(table: str) -> str:
    """How many rows `%(tenant)s` has."""
    return f"SELECT count(*) FROM {table} WHERE tenant_id = %(tenant)s"
