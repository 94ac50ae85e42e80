"""Writing the search index: documents with their postings, what hides or closes them, and their vectors.

Everything is a multi-row statement with the tenant as a literal. Statistics are never updated here: each write appends
one TermDelta row, which `statistics.fold` adds up later.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.budgets.services import meter, spending
from apps.core import clock, providers, rows, scope
from apps.index import embeddings, placing, readers, statistics
from apps.index.models import ORDINAL_BITS, Document
from apps.index.placing import NewDocument, Place
from apps.jobs.services import NewJob, enqueue_many
from memory_platform.errors import Invalid
from memory_platform.model import Unit
from memory_platform.ports import Embedder, Vectors
from memory_platform.text import terms

LONGEST: Final = 32_767
EMBED: Final = "index.embed"
EMBEDDED_AT_ONCE: Final = 64
"""Documents a job embeds: few enough to share the workers."""
RETIRED_AT_ONCE: Final = 5_000

__all__ = [
    "NewDocument",
    "Period",
    "archive",
    "count_retirable",
    "documents_of",
    "drop",
    "embed",
    "enqueue_embedding",
    "hide",
    "put",
    "replace",
    "retire_former",
    "set_categories",
    "set_periods",
    "store_embeddings",
]


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
    places = placing.place(documents, lengths)
    _insert(documents, counts, lengths, places)
    return [place.id for place in places]


def documents() -> int:
    """How many documents the tenant has."""
    return Document.objects.filter(tenant_id=scope.current().tenant_id).count()


def documents_of(unit: Unit, unit_ids: Collection[UUID]) -> dict[int, UUID]:
    """The documents of these units, each with its unit."""
    found = Document.objects.filter(tenant_id=scope.current().tenant_id, unit=unit.value, unit_id__in=list(unit_ids))
    return dict(found.values_list("id", "unit_id"))


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
    return _execute(
        "WITH changed AS (UPDATE index_document SET hidden = false"  # noqa: S608  constants only
        f" WHERE tenant_id = %(tenant)s AND {condition} AND hidden RETURNING {_POSTED}),"
        f" postings AS ({_POST} FROM changed), {statistics.delta_of('changed', sign='')} SELECT count(*) FROM changed",
        parameters,
    )


def archive(unit: Unit, unit_ids: Sequence[UUID], *, archived: bool = True) -> int:
    """Take documents out of what is read by default, or back into it; returns how many changed."""
    return _execute(
        "WITH changed AS (UPDATE index_document SET archived = %(archived)s WHERE tenant_id = %(tenant)s"
        " AND unit = %(unit)s AND unit_id = ANY(%(ids)s::uuid[]) AND archived <> %(archived)s RETURNING 1)"
        " SELECT count(*) FROM changed",
        {"unit": unit.value, "ids": list(unit_ids), "archived": archived},
    )


@dataclass(frozen=True, slots=True)
class Period:
    """When a unit is true, and when it is believed; None: without end, at the start without beginning."""

    unit_id: UUID
    valid_from: datetime | None
    valid_until: datetime | None
    recorded_at: datetime
    retracted_at: datetime | None


def set_periods(unit: Unit, periods: Sequence[Period]) -> int:
    """Say anew when documents are true and believed; `as_of` still finds what ceased to be."""
    return _execute(
        "WITH changed AS (UPDATE index_document d SET valid_from = new.valid_from, valid_until = new.valid_until,"
        " recorded_at = new.recorded_at, retracted_at = new.retracted_at"
        " FROM jsonb_to_recordset(%(periods)s::jsonb) AS new (unit_id uuid, valid_from timestamptz,"
        " valid_until timestamptz, recorded_at timestamptz, retracted_at timestamptz)"
        " WHERE d.tenant_id = %(tenant)s AND d.unit = %(unit)s AND d.unit_id = ANY(%(ids)s::uuid[])"
        " AND d.unit_id = new.unit_id RETURNING 1) SELECT count(*) FROM changed",
        {
            "periods": rows.recordset([asdict(period) for period in periods]),
            "unit": unit.value,
            "ids": [period.unit_id for period in periods],
        },
    )


def set_categories(unit: Unit, categories: Mapping[UUID, str]) -> int:
    """File documents anew, each under its category; returns how many there were."""
    return _execute(
        "WITH changed AS (UPDATE index_document d SET category = new.category"
        " FROM unnest(%(ids)s::uuid[], %(categories)s::text[]) AS new (unit_id, category)"
        " WHERE d.tenant_id = %(tenant)s AND d.unit = %(unit)s AND d.unit_id = ANY(%(ids)s::uuid[])"
        " AND d.unit_id = new.unit_id RETURNING 1) SELECT count(*) FROM changed",
        {"unit": unit.value, "ids": list(categories), "categories": list(categories.values())},
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
    readers.forget_held(scope.current().tenant_id)
    statistics.request_fold()
    return stored


def count_retirable() -> int:
    """How many vectors of the former model nobody asks any more. Needs an open scope."""
    former = _retired()
    return 0 if former is None else embeddings.count_of(former.model, former.dimension)


def retire_former() -> int:
    """Remove the next RETIRED_AT_ONCE vectors of the former model, once the present one has read all; how many."""
    former = _retired()
    return 0 if former is None else embeddings.drop_of(former.model, former.dimension, most=RETIRED_AT_ONCE)


def _retired() -> Embedder | None:
    """The former model, once no question goes to it."""
    former = providers.former_embedder()
    return None if former is None or readers.is_behind() else former


def enqueue_embedding(document_ids: Sequence[int]) -> list[UUID]:
    """Ask for the documents' vectors after the open transaction, a job per EMBEDDED_AT_ONCE documents."""
    ids = [str(document_id) for document_id in document_ids]
    chunks = [ids[start : start + EMBEDDED_AT_ONCE] for start in range(0, len(ids), EMBEDDED_AT_ONCE)]
    return enqueue_many([NewJob(EMBED, {"documents": chunk}) for chunk in chunks]) if chunks else []


def embed(document_ids: Sequence[int], *, within: scope.Scope) -> int:
    """Embed the documents that lack the vector of their embedder; returns how many got one.

    Opens `within` to read and again to write, and not while a model works. Raises ProviderRetryable.
    """
    with scope.enter(within):
        lacking = readers.lacking(document_ids)
    return sum(_embed(embedder, texts, within=within) for embedder, texts in lacking)


def _embed(embedder: Embedder, texts: readers.Texts, *, within: scope.Scope) -> int:
    with spending(operation="index.embed", within=within) as asked:
        vectors, usage = embedder.embed([text for _, text in texts])
        asked.usages.append(usage)
        with scope.enter(within):
            meter(operation="index.embed", usages=(usage,))
            return store_embeddings([document_id for document_id, _ in texts], vectors, embedder.model)


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
        Place(known.get((document.unit.value, document.unit_id), place.id), place.center)
        if not document.has_neighbours
        else place
        for document, place in zip(documents, placing.place(documents, lengths), strict=True)
    ]
    _remove("id = ANY(%(ids)s::bigint[])", ids=list(known.values()))
    _insert(documents, counts, lengths, places)
    embeddings.drop_outdated([place.id for place in places], [document.text for document in documents])
    return [place.id for place in places]


_COLUMNS: Final = (
    "tenant_id, id, unit, unit_id, agent_id, user_id, visibility, session_id, center, length, hidden, archived,"
    " event_time, retracted_at, valid_from, valid_until, recorded_at, kind, category, service, entities, cues, text,"
    " lexemes, frequencies"
)
_VALUES: Final = (
    "(%s, %s, %s, %s, %s, %s, %s, %s::uuid, %s, %s, %s, %s, %s::timestamptz, %s::timestamptz, %s::timestamptz,"
    " %s::timestamptz, %s::timestamptz, %s, %s, %s, %s::text[], %s, %s, %s::bigint[], %s::smallint[])"
)
_POSTED: Final = "tenant_id, id, lexemes, frequencies, length, center"
_POST: Final = (
    "INSERT INTO index_posting (tenant_id, lexeme, document_id, tf, length, center)"
    f" SELECT tenant_id, unnest(lexemes), id, unnest(frequencies), least(length, {LONGEST}), center"
)


def _insert(
    documents: Sequence[NewDocument],
    counts: Sequence[Counter[str]],
    lengths: Sequence[int],
    places: Sequence[Place],
) -> None:
    """Write documents, postings and the delta of the statistics in one statement."""
    tenant_id, now = scope.current().tenant_id, clock.now()
    rows: list[Any] = []
    for document, count, length, place in zip(documents, counts, lengths, places, strict=True):
        rows += _row(tenant_id, document, length, place, now)
        rows += [_array(map(terms.lexeme_hash, count)), _array(min(tf, LONGEST) for tf in count.values())]
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH written AS (INSERT INTO index_document ({_COLUMNS})"  # noqa: S608  constants only
            f" VALUES {', '.join([_VALUES] * len(documents))} RETURNING hidden, {_POSTED}),"
            " posted AS (SELECT * FROM written WHERE NOT hidden),"
            f" postings AS ({_POST} FROM posted), {statistics.delta_of('posted', sign='', tenant='%s')} SELECT",
            [*rows, tenant_id],
        )


def _row(tenant_id: UUID, document: NewDocument, length: int, place: Place, now: datetime) -> list[Any]:
    """Return a document's values in the order of _COLUMNS, up to its text."""
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
        document.archived,
        document.event_time,
        document.retracted_at,
        document.valid_from,
        document.valid_until,
        document.recorded_at or now,
        document.kind,
        document.category,
        document.service,
        list(document.entities),
        document.cues,
        document.text,
    ]


def _array(values: Iterable[int]) -> str:
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
