"""Vectors: one table a dimension, rows of several models side by side."""

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import QuerySet

from apps.core import scope
from apps.index.models import Embedding256, Embedding384
from memory_platform.errors import Invalid
from memory_platform.model import Unit
from memory_platform.ports import Embedder, Vectors

Pair = tuple[UUID, UUID]

_TABLES: Final = {384: "index_embedding384", 256: "index_embedding256"}

SEARCH_SETTINGS: Final = (
    "set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(ef_search)s, true)"
)
"""Transaction-local: a filtered search goes on until it has enough; %(ef_search)s is how wide it looks."""


def table(dimension: int) -> str:
    """Return the table of that dimension. Raises Invalid when there is none."""
    try:
        return _TABLES[dimension]
    except KeyError:
        raise Invalid(
            f"No index holds vectors of {dimension} dimensions.",
            hint="Set MEMORY_EMBEDDING_DIMENSION to 384 or 256.",
        ) from None


def text_hash(text: str) -> int:
    """Return the signed 64-bit BLAKE2b by which a changed text is noticed."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def literal(vector: Vectors) -> str:
    """Return a vector's text form; six digits are more than a halfvec keeps."""
    values = vector.tolist()
    return "[" + ",".join(["%.6g"] * len(values)) % tuple(values) + "]"


def store(document_ids: Sequence[int], vectors: Vectors, model: str) -> int:
    """Insert or replace vectors of documents that still exist. Share-locks them, so that `drop` waits and sees them."""
    if not len(document_ids):
        return 0
    name = table(vectors.shape[1])
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, text FROM index_document WHERE tenant_id = %s AND id = ANY(%s::bigint[])"
            " ORDER BY id FOR KEY SHARE",
            [scope.current().tenant_id, list(document_ids)],
        )
        hashes = {document_id: text_hash(text) for document_id, text in cursor.fetchall()}
        rows = [
            (document_id, hashes[document_id], literal(vector))
            for document_id, vector in zip(document_ids, vectors, strict=True)
            if document_id in hashes
        ]
        if rows:
            cursor.execute(
                f"INSERT INTO {name} (tenant_id, document_id, model, text_hash, vector)"  # noqa: S608  a table of ours
                " SELECT %s, u.id, %s, u.hash, u.vector::halfvec"
                " FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) AS u(id, hash, vector)"
                " ON CONFLICT (tenant_id, document_id, model)"
                " DO UPDATE SET text_hash = excluded.text_hash, vector = excluded.vector",
                [scope.current().tenant_id, model, *map(list, zip(*rows, strict=True))],
            )
    return len(rows)


def without_vector(document_ids: Sequence[int], *, model: str, dimension: int) -> list[tuple[int, str]]:
    """Return (id, text) of those documents that lack a vector of the model."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT d.id, d.text FROM index_document d WHERE d.tenant_id = %(tenant)s AND d.id = ANY(%(ids)s::bigint[])"  # noqa: S608  a table of ours
            f" AND NOT EXISTS (SELECT FROM {table(dimension)} e WHERE e.tenant_id = %(tenant)s"
            " AND e.document_id = d.id AND e.model = %(model)s) ORDER BY d.id",
            {"tenant": scope.current().tenant_id, "ids": list(document_ids), "model": model},
        )
        return list(cursor.fetchall())


def vectors_of(unit: Unit, unit_ids: Sequence[UUID], *, model: str, dimension: int) -> dict[UUID, Vectors]:
    """Return the vectors of the model, shape (dimension,), of those units that have one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT d.unit_id, e.vector::text FROM index_document d"  # noqa: S608  a table of ours
            f" JOIN {table(dimension)} e ON e.tenant_id = %(tenant)s AND e.document_id = d.id"
            " WHERE d.tenant_id = %(tenant)s AND d.unit = %(unit)s AND d.unit_id = ANY(%(ids)s)"
            " AND e.model = %(model)s",
            {"tenant": scope.current().tenant_id, "unit": unit.value, "ids": list(unit_ids), "model": model},
        )
        return {unit_id: np.array(json.loads(text), dtype=np.float32) for unit_id, text in cursor.fetchall()}


def near_each_other(unit_ids: Sequence[UUID], *, model: str, dimension: int, from_cosine: float) -> list[Pair]:
    """Return which of these few units, of whatever sort, lie so near each other in the model's vectors."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH held AS MATERIALIZED (SELECT d.unit_id, e.vector FROM index_document d JOIN {table(dimension)} e"  # noqa: S608  a table of ours
            " ON e.tenant_id = %(tenant)s AND e.document_id = d.id AND e.model = %(model)s"
            " WHERE d.tenant_id = %(tenant)s AND d.unit_id = ANY(%(ids)s))"
            " SELECT one.unit_id, other.unit_id FROM held one JOIN held other ON one.unit_id < other.unit_id"
            " WHERE 1 - (one.vector <=> other.vector) >= %(least)s",
            {"tenant": scope.current().tenant_id, "ids": list(unit_ids), "model": model, "least": from_cosine},
        )
        return list(cursor.fetchall())


def holds(model: str, dimension: int) -> bool:
    """Whether the tenant has any vector of the model; quick where the model has an index by document."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT EXISTS (SELECT FROM {table(dimension)} WHERE tenant_id = %s AND model = %s)",  # noqa: S608  a table of ours
            [scope.current().tenant_id, model],
        )
        return bool(cursor.fetchone()[0])


def is_unread(former: Embedder, by: Sequence[Embedder]) -> bool:
    """Whether the tenant has a document that `former` read and none of the others did."""
    unread = " AND ".join(
        f"NOT EXISTS (SELECT FROM {table(one.dimension)} e WHERE e.tenant_id = f.tenant_id"
        f" AND e.document_id = f.document_id AND e.model = %(model_{place})s)"
        for place, one in enumerate(by)
    )
    parameters = {f"model_{place}": one.model for place, one in enumerate(by)}
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT EXISTS (SELECT FROM {table(former.dimension)} f"  # noqa: S608  a table of ours
            f" WHERE f.tenant_id = %(tenant)s AND f.model = %(former)s AND {unread})",
            {**parameters, "tenant": scope.current().tenant_id, "former": former.model},
        )
        return bool(cursor.fetchone()[0])


def count_of(model: str, dimension: int) -> int:
    """How many documents of the tenant have a vector of the model."""
    return _rows_of(model, dimension).count()


def drop_of(model: str, dimension: int, *, most: int) -> int:
    """Remove so many vectors of a model; returns how many."""
    first = _rows_of(model, dimension).order_by("document_id").values_list("document_id", flat=True)[:most]
    return _rows_of(model, dimension).filter(document_id__in=list(first)).delete()[0]


def _rows_of(model: str, dimension: int) -> "QuerySet[Embedding384] | QuerySet[Embedding256]":
    mine = {"tenant_id": scope.current().tenant_id, "model": model}
    return Embedding384.objects.filter(**mine) if dimension == 384 else Embedding256.objects.filter(**mine)


def beside(document_ids: Sequence[int], *, distance: int, model: str, dimension: int) -> list[int]:
    """Return the documents at most so far from one of these in its session that have a vector of the model."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT e.document_id FROM unnest(%(ids)s::bigint[]) u JOIN {table(dimension)} e"  # noqa: S608  a table of ours
            " ON e.tenant_id = %(tenant)s AND e.model = %(model)s"
            " AND e.document_id BETWEEN u - %(distance)s AND u + %(distance)s",
            {
                "tenant": scope.current().tenant_id,
                "ids": list(document_ids),
                "model": model,
                "distance": distance,
            },
        )
        return [row[0] for row in cursor.fetchall()]


def drop(document_ids: Sequence[int]) -> None:
    """Remove the documents' vectors of every model."""
    mine = {"tenant_id": scope.current().tenant_id, "document_id__in": document_ids}
    Embedding384.objects.filter(**mine).delete()
    Embedding256.objects.filter(**mine).delete()


def drop_outdated(document_ids: Sequence[int], texts: Sequence[str]) -> None:
    """Remove vectors of another text than the one given for their document."""
    with connection.cursor() as cursor:
        for name in _TABLES.values():
            cursor.execute(
                f"DELETE FROM {name} e USING unnest(%s::bigint[], %s::bigint[]) AS u(id, hash)"  # noqa: S608  a table of ours
                " WHERE e.tenant_id = %s AND e.document_id = u.id AND e.text_hash <> u.hash",
                [list(document_ids), [text_hash(text) for text in texts], scope.current().tenant_id],
            )
