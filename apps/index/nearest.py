"""The nearest documents of one audience, for dedup: exact where that is cheap, else by HNSW."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from apps.core import scope
from apps.index import embeddings
from apps.index.filters import COUNT, Filters, conditions
from memory_platform.model import Audience, Unit, Visibility
from memory_platform.ports import Vectors

EXACT_UP_TO: Final = 5_000
"""Documents of an audience up to which every vector is compared, exactly …"""
READ_PER_VECTOR: Final = 500
"""The same for each further vector that is to be compared with one audience …"""
READ_UP_TO: Final = 40_000
"""… and for any number of them: 40,000 vectors are some 30 MB."""
COMPARED_AT_ONCE: Final = 4_096
"""Of what was read, as floats: all of it would be twice as much again, and its lengths as much once more."""
EF_SEARCH_NEAREST: Final = 80


@dataclass(frozen=True, slots=True)
class NearDocument:
    """A document near a vector; `cosine` in -1..1."""

    document_id: int
    unit_id: UUID
    cosine: float


def nearest(
    vectors: Vectors,
    *,
    audience: Audience,
    model: str,
    now: datetime,
    k: int = 10,
    unit: Unit = Unit.ITEM,
) -> list[list[NearDocument]]:
    """Return for each vector the k nearest documents that hold now and have exactly this audience, nearest first,
    archived ones among them: what is said again comes back.

    The same user (none equals none) and visibility; private ones of the same agent.
    """
    if not len(vectors):
        return []
    limits = conditions(Filters(units=(unit,), include_archived=True), scope=scope.current(), now=now)
    parts = {"table": embeddings.table(vectors.shape[1]), "condition": f"{limits.wanted} AND {_of_same(audience)}"}
    parameters = limits.parameters | {
        "user": audience.user_id,
        "visibility": audience.visibility.value,
        "agent": audience.agent_id,
        "model": model,
        "vectors": [embeddings.literal(vector) for vector in vectors],
        "k": k,
        "count_to": _worth_reading(len(vectors)) + 1,
        "ef_search": str(EF_SEARCH_NEAREST),
    }
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED.format(**parts), parameters)
        if cursor.fetchone()[0] < parameters["count_to"]:
            cursor.execute(_AUDIENCE.format(**parts), parameters)
            return _compare(vectors, cursor.fetchone()[0], k)
        cursor.execute(_NEAREST.format(**parts), parameters)
        return _by_place(cursor.fetchall(), len(vectors))


def _of_same(audience: Audience) -> str:
    same = "d.user_id IS NOT DISTINCT FROM %(user)s AND d.visibility = %(visibility)s"
    return f"{same} AND d.agent_id = %(agent)s" if audience.visibility is Visibility.PRIVATE else same


def _worth_reading(vectors: int) -> int:
    """Documents of an audience up to which reading all their vectors beats asking HNSW for each of `vectors`."""
    return max(EXACT_UP_TO, min(READ_PER_VECTOR * vectors, READ_UP_TO))


def _compare(vectors: Vectors, packed: bytes | None, k: int) -> list[list[NearDocument]]:
    """Compare every vector with every document of the audience at once."""
    row = np.dtype([*_EMBEDDED, ("vector", ">f2", (vectors.shape[1],))])
    rows = np.frombuffer(packed or b"", dtype=row)
    parts = [rows["vector"][start : start + COMPARED_AT_ONCE] for start in range(0, len(rows), COMPARED_AT_ONCE)]
    cosines = np.concatenate([vectors @ _unit(part).T for part in parts], axis=1) if parts else vectors[:, :0]
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return [
        [
            NearDocument(
                int(rows["document"][at]), UUID(bytes=rows["unit_id"][at].tobytes()), float(cosines[place, at])
            )
            for at in near
        ]
        for place, near in enumerate(best.tolist())
    ]


def _by_place(found: Iterable[tuple[int, int, UUID, float]], places: int) -> list[list[NearDocument]]:
    """The nearest of each vector, which are found by its place from 1."""
    answers: list[list[NearDocument]] = [[] for _ in range(places)]
    for place, document_id, unit_id, cosine in found:
        answers[place - 1].append(NearDocument(document_id, unit_id, cosine))
    return answers


def _unit(halves: NDArray[np.float16]) -> Vectors:
    stored = halves.astype(np.float32)
    return np.asarray(stored / np.maximum(np.linalg.norm(stored, axis=1, keepdims=True), 1e-12), dtype=np.float32)


# A halfvec is sent as its dimension, an unused number and its elements, 2 bytes each.
_EMBEDDED: Final = [("document", ">i8"), ("unit_id", "V16"), ("dimension", ">i2"), ("unused", ">i2")]
# The lateral sub-select keeps the planner from joining the other way round, which is quadratic for a tenant that is so
# new that there are no statistics.
_COUNTED: Final = f"SELECT ({COUNT} WHERE {{condition}} LIMIT %(count_to)s) c), {embeddings.SEARCH_SETTINGS}"
_AUDIENCE: Final = (
    "SELECT string_agg(int8send(d.id) || uuid_send(d.unit_id) || halfvec_send(e.vector), '' ORDER BY d.id)"
    " FROM index_document d CROSS JOIN LATERAL (SELECT e.vector FROM {table} e WHERE e.tenant_id = %(tenant)s"
    " AND e.document_id = d.id AND e.model = %(model)s OFFSET 0) e WHERE {condition}"
)
_NEAREST: Final = (
    "SELECT v.place, n.id, n.unit_id, n.cosine FROM unnest(%(vectors)s::text[]) WITH ORDINALITY AS v(vector, place)"
    " CROSS JOIN LATERAL (SELECT d.id, d.unit_id, 1 - (e.vector <=> v.vector::halfvec) AS cosine FROM {table} e"
    " CROSS JOIN LATERAL (SELECT d.id, d.unit_id FROM index_document d WHERE d.id = e.document_id AND {condition}"
    " OFFSET 0) d WHERE e.tenant_id = %(tenant)s AND e.model = %(model)s"
    " ORDER BY e.vector <=> v.vector::halfvec LIMIT %(k)s) n ORDER BY v.place, n.cosine DESC"
)
