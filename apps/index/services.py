"""Writing the search index: documents with their postings, what hides or closes them, and their vectors.

Everything is a multi-row statement with the tenant as a literal. Statistics are never updated here: each write appends
one TermDelta row, which `statistics.fold` adds up later.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.budgets.services import meter
from apps.core import clock, providers, scope
from apps.index import embeddings, statistics
from apps.index.models import ORDINAL_BITS, Document
from memory_platform import fusion, terms
from memory_platform.errors import Invalid
from memory_platform.model import Audience, Unit
from memory_platform.ports import Vectors

LONGEST: Final = 32_767


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A unit to be found. `text` is what both arms index (`terms.indexed_text` for messages).

    With `ordinal` (below 2^24, unique in the session) the document has neighbours; without, `session_id` only says
    where it comes from.
    """

    unit: Unit
    unit_id: UUID
    text: str
    audience: Audience
    session_id: UUID | None = None
    ordinal: int | None = None
    event_time: datetime | None = None
    recorded_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    kind: str = ""
    category: str = ""
    service: str = ""
    entities: tuple[str, ...] = ()
    hidden: bool = False

    @property
    def has_neighbours(self) -> bool:
        return self.session_id is not None and self.ordinal is not None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a document stands: its id, and the center of its session there."""

    id: int
    center: float


def put(documents: Sequence[NewDocument]) -> list[int]:
    """Index documents, searchable by keyword when the transaction commits; returns their ids in order.

    Two round trips whatever the number. The caller holds the lock of every session it appends to. Raises Invalid for
    an ordinal of 2^24 or more, IntegrityError for one that is taken.
    """
    if not documents:
        return []
    if any((document.ordinal or 0) >> ORDINAL_BITS for document in documents):
        raise Invalid("A session holds at most 16,777,216 messages; start a new session.", field="sessionId")
    counts = [terms.terms(document.text) for document in documents]
    lengths = [terms.kept_length(count) for count in counts]
    places = _place(documents, lengths)
    _insert(documents, counts, lengths, places)
    return [place.id for place in places]


def hide(unit: Unit, unit_ids: Sequence[UUID], *, hidden: bool = True) -> int:
    """Hide documents from every search and statistic, or show them again; returns how many changed.

    Hidden documents have no postings, so that a forgotten word lends its weight to no neighbour.
    """
    condition = "unit = %(unit)s AND unit_id = ANY(%(ids)s::uuid[])"
    parameters = {"unit": unit.value, "ids": list(unit_ids)}
    changed = _withdraw(condition, parameters) if hidden else _show(condition, parameters)
    if changed:
        statistics.request_fold()
    return changed


def _withdraw(condition: str, parameters: Mapping[str, Any]) -> int:
    return _execute(
        "WITH changed AS (UPDATE index_document SET hidden = true"  # noqa: S608  constants only
        f" WHERE tenant_id = %(tenant)s AND {condition} AND NOT hidden RETURNING id, lexemes),"
        " postings AS (DELETE FROM index_posting p USING (SELECT id, unnest(lexemes) AS lexeme FROM changed) c"
        " WHERE p.tenant_id = %(tenant)s AND p.lexeme = c.lexeme AND p.document_id = c.id),"
        f" {statistics.delta_of('changed', sign='-')} SELECT count(*) FROM changed",
        parameters,
    )


def _show(condition: str, parameters: Mapping[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH changed AS (UPDATE index_document SET hidden = false"  # noqa: S608  constants only
            f" WHERE tenant_id = %(tenant)s AND {condition} AND hidden RETURNING id, lexemes, text, length, center),"
            f" {statistics.delta_of('changed', sign='')} SELECT id, lexemes, text, length, center FROM changed",
            {"tenant": scope.current().tenant_id, **parameters},
        )
        rows = cursor.fetchall()
        if rows:
            shown = [_Posted(_Place(row[0], row[4]), row[3], _frequencies(row[1], row[2])) for row in rows]
            cursor.execute(_INSERT_POSTINGS, [scope.current().tenant_id, *_posting_arrays(shown)])
    return len(rows)


def _frequencies(lexemes: Sequence[int], text: str) -> dict[int, int]:
    """Return how often each stored lexeme occurs; 1 where the terms are cut otherwise than when it was stored."""
    counts = {terms.lexeme_hash(term): count for term, count in terms.terms(text).items()}
    return {lexeme: counts.get(lexeme, 1) for lexeme in lexemes}


def close(
    unit: Unit,
    unit_ids: Sequence[UUID],
    *,
    valid_until: datetime | None = None,
    retracted_at: datetime | None = None,
) -> int:
    """Say when documents ceased to be true or believed (None leaves a column alone); `as_of` still finds them."""
    return _execute(
        "WITH changed AS (UPDATE index_document SET valid_until = coalesce(%(valid_until)s, valid_until),"
        " retracted_at = coalesce(%(retracted_at)s, retracted_at)"
        " WHERE tenant_id = %(tenant)s AND unit = %(unit)s AND unit_id = ANY(%(ids)s::uuid[]) RETURNING 1)"
        " SELECT count(*) FROM changed",
        {"valid_until": valid_until, "retracted_at": retracted_at, "unit": unit.value, "ids": list(unit_ids)},
    )


def reopen(unit: Unit, unit_ids: Sequence[UUID], *, valid_until: datetime | None = None) -> int:
    """Undo `close`: believed again, and true until `valid_until` (None: without end)."""
    return _execute(
        "WITH changed AS (UPDATE index_document SET valid_until = %(valid_until)s, retracted_at = NULL"
        " WHERE tenant_id = %(tenant)s AND unit = %(unit)s AND unit_id = ANY(%(ids)s::uuid[]) RETURNING 1)"
        " SELECT count(*) FROM changed",
        {"valid_until": valid_until, "unit": unit.value, "ids": list(unit_ids)},
    )


def drop(unit: Unit, unit_ids: Sequence[UUID]) -> int:
    """Remove documents with their postings and vectors; returns how many there were.

    Two statements: the second one's snapshot sees vectors whose writer held a document while the first one waited.
    """
    document_ids = _remove("unit = %(unit)s AND unit_id = ANY(%(ids)s::uuid[])", unit=unit.value, ids=list(unit_ids))
    if document_ids:
        embeddings.drop(document_ids)
        statistics.request_fold()
    return len(document_ids)


def store_embeddings(document_ids: Sequence[int], vectors: Vectors, model: str) -> int:
    """Store vectors, shape (documents, dimension), replacing the model's earlier ones; returns how many.

    Documents dropped meanwhile are left out. Raises Invalid for a dimension without a table.
    """
    stored = embeddings.store(document_ids, vectors, model)
    statistics.request_fold()
    return stored


def embed(document_ids: Sequence[int], *, within: scope.Scope) -> int:
    """Embed the documents that have no vector of the configured model yet; returns how many got one.

    Opens `within` to read and again to write, and not while the model works. Raises ProviderRetryable.
    """
    embedder = providers.embedder()
    with scope.enter(within):
        waiting = embeddings.without_vector(document_ids, model=embedder.model, dimension=embedder.dimension)
    if not waiting:
        return 0
    vectors, usage = embedder.embed([text for _, text in waiting])
    with scope.enter(within):
        meter(operation="index.embed", usages=(usage,))
        return store_embeddings([document_id for document_id, _ in waiting], vectors, embedder.model)


def replace(documents: Sequence[NewDocument]) -> list[int]:
    """Index documents anew under the ids they had, keeping vectors whose text did not change: for rebuilding.

    Documents of a session come in the order of their ordinals, across calls too.
    """
    if not documents:
        return []
    counts = [terms.terms(document.text) for document in documents]
    lengths = [terms.kept_length(count) for count in counts]
    known = _known_ids(documents)
    places = [
        _Place(known.get((document.unit.value, document.unit_id), place.id), place.center)
        if not document.has_neighbours
        else place
        for document, place in zip(documents, _place(documents, lengths), strict=True)
    ]
    _remove("id = ANY(%(ids)s::bigint[])", ids=list(known.values()))
    _insert(documents, counts, lengths, places)
    embeddings.drop_outdated([place.id for place in places], [document.text for document in documents])
    return [place.id for place in places]


def _place(documents: Sequence[NewDocument], lengths: Sequence[int]) -> list[_Place]:
    """Number each document: in its session's range, or on its own below zero."""
    ordered = sorted(range(len(documents)), key=lambda index: _place_key(documents[index], index))
    groups = [list(group) for _, group in groupby(ordered, key=lambda index: _place_key(documents[index], index)[0])]
    firsts = [documents[group[0]] for group in groups]
    places: dict[int, _Place] = {}
    for group, start in zip(groups, _starts(firsts), strict=True):
        if not documents[group[0]].has_neighbours:
            places[group[0]] = _Place(-start.number, 0.0)
            continue
        center, before = start.center, start.length
        for index in group:
            center = _next_center(center, before, lengths[index])
            before = lengths[index]
            places[index] = _Place((start.number << ORDINAL_BITS) + (documents[index].ordinal or 0), center)
    return [places[index] for index in range(len(documents))]


def _place_key(document: NewDocument, index: int) -> tuple[str, int]:
    """Sessions together and in order; each document without neighbours alone."""
    return (str(document.session_id), document.ordinal or 0) if document.has_neighbours else (f"-{index}", 0)


@dataclass(frozen=True, slots=True)
class _Start:
    """A session's number, and center and length of the document before the new one (None at its beginning)."""

    number: int
    center: float | None
    length: int


def _starts(firsts: Sequence[NewDocument]) -> list[_Start]:
    """Where each group begins, in one round trip: a session keeps the number its documents have."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(s.number, nextval('index_document_number')), p.center, coalesce(p.length, 0)"
            " FROM unnest(%(sessions)s::uuid[], %(ordinals)s::bigint[])"
            " WITH ORDINALITY AS g(session_id, ordinal, place)"
            " LEFT JOIN LATERAL (SELECT d.id >> %(bits)s AS number FROM index_document d"
            " WHERE d.tenant_id = %(tenant)s AND d.session_id = g.session_id AND d.id > 0"
            " ORDER BY d.id DESC LIMIT 1) s ON true"
            " LEFT JOIN LATERAL (SELECT d.center, d.length FROM index_document d"
            " WHERE d.tenant_id = %(tenant)s AND d.session_id = g.session_id AND d.id > 0"
            " AND d.id < (s.number << %(bits)s) + g.ordinal ORDER BY d.id DESC LIMIT 1) p ON true"
            " ORDER BY g.place",
            {
                "tenant": scope.current().tenant_id,
                "bits": ORDINAL_BITS,
                "sessions": [first.session_id if first.has_neighbours else None for first in firsts],
                "ordinals": [first.ordinal or 0 for first in firsts],
            },
        )
        return [_Start(*row) for row in cursor.fetchall()]


def _next_center(previous: float | None, previous_length: int, length: int) -> float:
    if previous is None:
        return max(length, fusion.PIVOT) / (2 * fusion.PIVOT)
    return fusion.next_center(previous, previous_length, length)


_DOCUMENT = (
    "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::timestamptz, %s::timestamptz, %s::timestamptz,"
    " %s::timestamptz, %s, %s, %s, %s::text[], %s, %s::bigint[])"
)
_COLUMNS = (
    "tenant_id, id, unit, unit_id, agent_id, user_id, visibility, session_id, center, length, hidden, retracted_at,"
    " event_time, valid_from, valid_until, recorded_at, kind, category, service, entities, text, lexemes"
)


def _insert(
    documents: Sequence[NewDocument],
    counts: Sequence[Counter[str]],
    lengths: Sequence[int],
    places: Sequence[_Place],
) -> None:
    """Write documents, postings and the delta of the statistics in one statement."""
    tenant_id = scope.current().tenant_id
    now = clock.now()
    hashes = [[terms.lexeme_hash(term) for term in count] for count in counts]
    rows: list[Any] = []
    for document, lexemes, length, place in zip(documents, hashes, lengths, places, strict=True):
        rows += _row(tenant_id, document, lexemes, length, place, now)
    delta = Counter[int]()
    for document, lexemes in zip(documents, hashes, strict=True):
        if not document.hidden:
            delta.update(lexemes)
    posted = [
        _Posted(place, length, dict(zip(lexemes, count.values(), strict=True)))
        for document, place, length, lexemes, count in zip(documents, places, lengths, hashes, counts, strict=True)
        if not document.hidden
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH documents AS (INSERT INTO index_document ({_COLUMNS})"  # noqa: S608  constants only
            f" VALUES {', '.join([_DOCUMENT] * len(documents))}),"
            f" postings AS ({_INSERT_POSTINGS})"
            " INSERT INTO index_term_delta (tenant_id, documents, lexemes, counts, created_at)"
            " VALUES (%s, %s, %s::bigint[], %s::integer[], now())",
            [
                *rows,
                tenant_id,
                *_posting_arrays(posted),
                tenant_id,
                len(posted),
                _array(delta.keys()),
                _array(delta.values()),
            ],
        )


@dataclass(frozen=True, slots=True)
class _Posted:
    """A document's postings: how often each lexeme occurs."""

    place: _Place
    length: int
    frequencies: Mapping[int, int]


_INSERT_POSTINGS = (
    "INSERT INTO index_posting (tenant_id, lexeme, document_id, tf, length, center)"
    " SELECT %s, u.* FROM unnest(%s::bigint[], %s::bigint[], %s::smallint[], %s::smallint[], %s::real[]) u"
)


def _posting_arrays(posted: Sequence[_Posted]) -> list[str]:
    """Return lexemes, documents, tf, lengths and centers, a row per posting."""
    columns: list[list[float]] = [[], [], [], [], []]
    for document in posted:
        repeats = len(document.frequencies)
        columns[0] += document.frequencies
        columns[1] += [document.place.id] * repeats
        columns[2] += [min(frequency, LONGEST) for frequency in document.frequencies.values()]
        columns[3] += [min(document.length, LONGEST)] * repeats
        columns[4] += [document.place.center] * repeats
    return [_array(column) for column in columns]


def _row(
    tenant_id: UUID, document: NewDocument, lexemes: Sequence[int], length: int, place: _Place, now: datetime
) -> list[Any]:
    return [
        tenant_id,
        place.id,
        document.unit.value,
        document.unit_id,
        document.audience.agent_id,
        document.audience.user_id,
        document.audience.visibility.value,
        document.session_id,
        place.center,
        length,
        document.hidden,
        None,
        document.event_time,
        document.valid_from,
        document.valid_until,
        document.recorded_at or now,
        document.kind,
        document.category,
        document.service,
        list(document.entities),
        document.text,
        _array(lexemes),
    ]


def _array(values: Iterable[float]) -> str:
    """An array literal: adapting tens of thousands of numbers one by one would cost more than inserting them."""
    return "{" + ",".join(map(str, values)) + "}"


def _known_ids(documents: Sequence[NewDocument]) -> dict[tuple[str, UUID], int]:
    rows = Document.objects.filter(
        tenant_id=scope.current().tenant_id, unit_id__in=[document.unit_id for document in documents]
    )
    return {(unit, unit_id): document_id for unit, unit_id, document_id in rows.values_list("unit", "unit_id", "id")}


def _remove(condition: str, **parameters: Any) -> list[int]:
    """Remove documents and their postings, not their vectors; returns their ids."""
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH gone AS (DELETE FROM index_document"  # noqa: S608  constants only
            f" WHERE tenant_id = %(tenant)s AND {condition} RETURNING id, lexemes, hidden),"
            " postings AS (DELETE FROM index_posting p USING (SELECT id, unnest(lexemes) AS lexeme FROM gone) g"
            " WHERE p.tenant_id = %(tenant)s AND p.lexeme = g.lexeme AND p.document_id = g.id),"
            " counted AS (SELECT lexemes FROM gone WHERE NOT hidden),"
            f" {statistics.delta_of('counted', sign='-')} SELECT id FROM gone",
            {"tenant": scope.current().tenant_id, **parameters},
        )
        return [row[0] for row in cursor.fetchall()]


def _execute(sql: str, parameters: Mapping[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"tenant": scope.current().tenant_id, **parameters})
        return int(cursor.fetchone()[0])
