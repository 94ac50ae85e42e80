"""Reading the search index: the candidates of a query with all that fusion needs, and the nearest documents for dedup.

Two round trips on the scope's connection. The first (sql/postings.sql) reads the statistics and, rarest first, the
query's postings, which numpy weighs faster than SQL would (1.8 against 3–5 ms at 20,000 documents); the second
(sql/find.sql) checks who may see the best of them, searches the vectors, the asked-for time and the units others
propose, and brings what is near and what lends words. Whatever answers comes from the second, so from one snapshot.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector

from apps.core import scope
from apps.core.scope import Reach
from apps.index import binary, embeddings
from apps.index.filters import COUNT, Conditions, Filters, conditions
from apps.index.models import ORDINAL_BITS
from apps.index.nearest import NearDocument, nearest
from apps.index.packing import (
    UNITS,
    Cosines,
    Floats,
    Integers,
    Rows,
    Times,
    among,
    array,
    concatenated,
    cosine_of,
    floats,
    integers,
    only,
    ordinal_of,
    postings,
    rows,
    session_of,
)
from memory_platform.model import TimeRange, Unit
from memory_platform.ports import Vectors
from memory_platform.retrieval import contextual, relevance

__all__ = [
    "CandidateRequest",
    "Candidates",
    "Filters",
    "NearDocument",
    "Probe",
    "StartedSearch",
    "begin",
    "candidates",
    "complete",
    "nearest",
]

COMMON_SHARE: Final = 0.2
"""Terms of more than this share of the documents do not choose candidates (RECALL.md)."""
ALWAYS_READ: Final = 500
"""… unless they occur in fewer documents than this: a small tenant gets every hit."""
POSTINGS_READ: Final = 30_000
"""Postings read to choose candidates; the terms that no longer fit are weighed on the candidates alone."""
EXACT_UP_TO: Final = 5_000
"""Documents up to which every vector is compared: as fast as HNSW there, and exact."""
NARROW_UP_TO: Final = 1_000
"""The same when a filter has to be looked up row by row."""
FRESH_UP_TO: Final = 1_000
"""Documents up to which the statistics count the deltas that wait, too: there a few matter."""
OFFERED: Final = 3
"""How many times the wanted number of keyword hits is offered for filtering before all are."""
EF_SEARCH: Final = 200
"""Half of it, with half of the vectors' hits, would lose 3 of 100 hits that scoring everything finds."""
WINDOW_READ: Final = 1_000
"""Documents of the asked-for time that are looked at; a time that holds more chooses no candidates by itself."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A query's vector by another model than the request's; a cosine c of its documents counts as slope * c + shift."""

    vector: Vectors
    model: str
    slope: float
    shift: float


@dataclass(frozen=True, slots=True)
class CandidateRequest:
    """A query as the index needs it: distinct lexeme hashes, and its vector of shape (dimension,) if there is one.

    `other` is its vector for the documents that another model reads.

    The limits are RECALL.md's: the best of each arm, and the units within `neighbour_distance` of the first
    `neighbours_of` keyword hits. Of the units that happened in `window` those nearest to the vector join, and whatever
    of `units` passes the filters.
    """

    lexemes: tuple[int, ...]
    vector: Vectors | None
    model: str
    now: datetime
    filters: Filters = field(default_factory=Filters)
    keyword_limit: int = 200
    vector_limit: int = 200
    neighbours_of: int = 100
    neighbour_distance: int = 2
    units: tuple[UUID, ...] = ()
    window: TimeRange | None = None
    window_limit: int = 100
    other: Probe | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """The inputs of `contextual.score`, and what each unit is, parallel to the arrays of `units`.

    Times are datetime64[us] in UTC, NaT where unknown. `keyword_hits`, `vector_hits`, `window_hits` and `proposed_hits`
    say how many each arm found, the last how many of the proposed units passed; `limits` is what all of them passed;
    `asks` says which units only ask.
    """

    query: contextual.QueryTerms
    units: contextual.Units
    postings: contextual.Postings
    unit: list[Unit]
    category: list[str]
    event_time: Times
    recorded_at: Times
    keyword_hits: int
    vector_hits: int
    window_hits: int
    proposed_hits: int
    packed_unit_ids: NDArray[np.void]
    limits: Conditions
    asks: NDArray[np.bool_]

    def unit_id(self, index: int) -> UUID:
        """Return the id of the unit at `index`; made on demand, for few of 500 candidates are shown."""
        return UUID(bytes=self.packed_unit_ids[index].tobytes())


@dataclass(frozen=True, slots=True)
class _Keyword:
    """What the first round trip brought. `partial` marks the terms whose postings were not all read."""

    query: contextual.QueryTerms
    postings: contextual.Postings
    partial: NDArray[np.bool_]
    narrow: int | None


@dataclass(frozen=True, slots=True)
class StartedSearch:
    """A search after its first round trip: while it was on its way, others may have thought of units to propose."""

    request: CandidateRequest
    limits: Conditions
    keyword: _Keyword


@dataclass(frozen=True, slots=True)
class _Fetched:
    """What the second brought: the ids of each arm, readable documents and cosines in their ranges, more postings;
    `foreign` are, in order, the documents whose cosine is of the other model.
    """

    keyword: Integers
    vector: Integers
    window: Integers
    proposed: Integers
    rows: Rows
    cosines: Cosines
    foreign: Integers
    postings: contextual.Postings


def candidates(request: CandidateRequest) -> Candidates:
    """Return what may answer, within the open scope: see Candidates.

    N and df range over the tenant's documents that are not hidden, whoever may read them and whenever they hold.
    """
    return complete(begin(request))


def begin(request: CandidateRequest) -> StartedSearch:
    """Read the statistics and the postings: the first round trip."""
    limits = conditions(request.filters, scope=scope.current(), now=request.now)
    return StartedSearch(request, limits, _read_postings(request, limits))


def complete(begun: StartedSearch, *, units: Sequence[UUID] = ()) -> Candidates:
    """Find what may answer, `units` and those of the request among it if they pass: the second round trip."""
    request, limits, keyword = begun.request, begun.limits, begun.keyword
    request = replace(request, units=(*request.units, *units)) if units else request
    best = _best(keyword)
    found = _find(request, limits, keyword, best[: OFFERED * request.keyword_limit])
    if len(found.keyword) < request.keyword_limit and len(best) > OFFERED * request.keyword_limit:
        found = _find(request, limits, keyword, best)
    return _assemble(request, limits, keyword, found)


def passing(unit_ids: Sequence[UUID], limits: Conditions) -> set[UUID]:
    """Return which of the units may answer, found or not."""
    if not unit_ids:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT d.unit_id FROM index_document d WHERE d.unit_id = ANY(%(named)s::uuid[]) AND {limits.wanted}",  # noqa: S608  constants only
            limits.parameters | {"named": list(unit_ids)},
        )
        return {row[0] for row in cursor.fetchall()}


@cache
def _statement(name: str) -> str:
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text()


def _read_postings(request: CandidateRequest, limits: Conditions) -> _Keyword:
    """Read statistics and the postings of the terms that choose candidates: the first round trip."""
    narrow = "NULL"
    if limits.narrow:
        narrow = f"(SELECT CASE WHEN documents > %(exact_up_to)s THEN ({COUNT} WHERE {limits.narrow}"
        narrow += " LIMIT %(count_to)s) c) END FROM corpus)"
    sql = _statement("postings").format(narrow=narrow, settings=embeddings.SEARCH_SETTINGS)
    parameters = {
        "lexemes": list(request.lexemes),
        "fresh_up_to": FRESH_UP_TO,
        "common_share": COMMON_SHARE,
        "always_read": ALWAYS_READ,
        "budget": POSTINGS_READ,
        "exact_up_to": EXACT_UP_TO,
        "count_to": NARROW_UP_TO + 1,
        "ef_search": str(EF_SEARCH),
    }
    with binary.cursor() as cursor:
        cursor.execute(sql, limits.parameters | parameters)
        documents, frequencies, places, counted, owners, numbers, centers, *_ = cursor.fetchone()
    frequency = integers(frequencies)
    partial = np.ones(len(frequency), dtype=bool)
    partial[integers(places)] = frequency[integers(places)] > POSTINGS_READ
    query = contextual.QueryTerms(np.array(request.lexemes, dtype=np.int64), frequency, documents)
    return _Keyword(query, postings(owners, numbers, centers), partial, counted)


def _best(keyword: _Keyword) -> Integers:
    """Return the documents of the postings that were read, the best L first; of equals the newest."""
    held = keyword.postings
    documents, place = np.unique(held.document, return_inverse=True)
    weight = contextual.weights(held.tf, held.length)
    idf = contextual.inverse_document_frequency(keyword.query)
    lexical = np.bincount(place, weights=weight * idf[held.term], minlength=len(documents))
    return np.asarray(documents[::-1][np.argsort(-lexical[::-1], kind="stable")])


_OTHER_PROBE: Final = """
other_probe AS MATERIALIZED (SELECT %(other_vector)s::halfvec),"""
_NO_ARM: Final = "SELECT 0::bigint AS id WHERE false"
# The sort by distance happens after the limit, so that a wide window costs no more than its share.
_WINDOW_ARM: Final = """
SELECT w.id FROM (SELECT d.id FROM index_document d WHERE d.event_time >= %(window_start)s
AND d.event_time < %(window_end)s AND {wanted} LIMIT %(window_read)s) w {nearest} LIMIT %(window_limit)s"""
_WINDOW_NEAREST: Final = """
LEFT JOIN {table} e ON e.tenant_id = %(tenant)s AND e.document_id = w.id AND e.model = %(model)s
ORDER BY (e.vector <=> (TABLE probe)) + 0"""
_WINDOW_NEAREST_OF_TWO: Final = """
LEFT JOIN {table} e ON e.tenant_id = %(tenant)s AND e.document_id = w.id AND e.model = %(model)s
LEFT JOIN {other_table} o ON o.tenant_id = %(tenant)s AND o.document_id = w.id AND o.model = %(other_model)s
ORDER BY coalesce(%(slope)s * (1 - (o.vector <=> (TABLE other_probe))) + %(shift)s,
1 - (e.vector <=> (TABLE probe))) DESC NULLS LAST"""
_PROPOSED_ARM: Final = """
SELECT d.id FROM index_document d WHERE d.unit_id = ANY(%(proposed)s::uuid[]) AND {wanted}"""
_VECTOR_ARM: Final = """
SELECT e.document_id AS id FROM {table} e
CROSS JOIN LATERAL (SELECT FROM index_document d WHERE d.id = e.document_id AND {wanted} OFFSET 0) d
WHERE e.tenant_id = %(tenant)s AND e.model = %({of}model)s
ORDER BY e.vector <=> (TABLE {of}probe) LIMIT %(vector_limit)s"""
_VECTOR_ARM_EXACT: Final = """
SELECT e.document_id AS id FROM {table} e JOIN index_document d ON d.id = e.document_id
WHERE e.tenant_id = %(tenant)s AND e.model = %({of}model)s AND {wanted}
ORDER BY (e.vector <=> (TABLE {of}probe)) + 0 LIMIT %(vector_limit)s"""
# Each model finds its nearest; of all the nearest by what their cosines say.
_VECTOR_ARM_OF_TWO: Final = """
SELECT id FROM (SELECT a.id, 1 - (e.vector <=> (TABLE probe)) AS nearness FROM ({arm}) a
JOIN {table} e ON e.tenant_id = %(tenant)s AND e.document_id = a.id AND e.model = %(model)s
UNION ALL SELECT a.id, %(slope)s * (1 - (e.vector <=> (TABLE other_probe))) + %(shift)s FROM ({other_arm}) a
JOIN {other_table} e ON e.tenant_id = %(tenant)s AND e.document_id = a.id AND e.model = %(other_model)s) a
ORDER BY nearness DESC LIMIT %(vector_limit)s"""
# Common terms lend their words over this short way only: there is one nearby anyway, and its idf is small.
_FREQUENCY: Final = """,
array_send(array_agg(coalesce(d.frequencies[array_position(d.lexemes, %(lexeme{})s::bigint)], 0::smallint)))"""
_COSINES: Final = """
SELECT array_send(array_agg(e.id)), array_send(array_agg(1 - e.distance)) FROM span CROSS JOIN LATERAL (
SELECT e.document_id AS id, e.vector <=> (TABLE {of}probe) AS distance FROM {table} e WHERE e.tenant_id = %(tenant)s
AND e.document_id BETWEEN span.low AND span.high AND e.model = %({of}model)s OFFSET 0) e"""
_NO_COSINES: Final = "SELECT NULL::bytea, NULL::bytea"


def _find(request: CandidateRequest, limits: Conditions, keyword: _Keyword, offered: Integers) -> _Fetched:
    """Filter keyword hits, search the vectors, add what stands beside: the second round trip."""
    partial = np.flatnonzero(keyword.partial)
    sql = _statement("find").format(
        wanted=limits.wanted,
        readable=limits.readable,
        asked=limits.asked,
        **_vector_parts(request, limits, keyword),
        window_arm=_window_arm(request, limits),
        proposed_arm=_PROPOSED_ARM.format(wanted=limits.wanted) if request.units else _NO_ARM,
        frequencies="".join(_FREQUENCY.format(place) for place in partial),
    )
    lexemes = {f"lexeme{place}": request.lexemes[place] for place in partial}
    with binary.cursor() as cursor:
        cursor.execute(sql, limits.parameters | _parameters(request) | {"offered": array(offered)} | lexemes)
        by_word, by_vector, inside, proposed, ids, own, other_ids, others, *sent = cursor.fetchone()
    found = rows(sent)
    return _Fetched(
        keyword=integers(by_word),
        vector=integers(by_vector),
        window=integers(inside),
        proposed=integers(proposed),
        rows=found,
        cosines=_cosines((integers(ids), floats(own)), (integers(other_ids), floats(others)), request.other),
        foreign=np.unique(integers(other_ids)),
        postings=_partial_postings(found, partial),
    )


def _parameters(request: CandidateRequest) -> dict[str, Any]:
    return {
        "keyword_limit": request.keyword_limit,
        "vector_limit": request.vector_limit,
        "neighbours_of": request.neighbours_of,
        "distance": request.neighbour_distance,
        "model": request.model,
        "vector": None if request.vector is None else HalfVector(request.vector),
        "all_units": [unit.value for unit in UNITS],
        "proposed": list(request.units),
        "window_start": request.window and request.window.start,
        "window_end": request.window and request.window.end,
        "window_read": WINDOW_READ,
        "window_limit": request.window_limit,
        **_other_parameters(request.other),
    }


def _partial_postings(found: Rows, partial: Integers) -> contextual.Postings:
    """Return the postings of the terms that were not read whole, from the documents that were."""
    row, column = np.nonzero(found.frequency)
    document = found.document[row]
    return contextual.Postings(
        document=document,
        term=partial[column],
        tf=found.frequency[row, column],
        length=found.length[row],
        session=session_of(document),
        ordinal=ordinal_of(document),
        center=found.center[row],
    )


def _vector_parts(request: CandidateRequest, limits: Conditions, keyword: _Keyword) -> dict[str, str]:
    """Return the SQL of the vector arm and of the cosines in the ranges."""
    parts = {"vector_arm": _NO_ARM, "cosines": _NO_COSINES, "other_probe": "", "other_cosines": _NO_COSINES}
    if request.vector is None:
        return parts
    few = keyword.query.documents <= EXACT_UP_TO or (keyword.narrow or NARROW_UP_TO + 1) <= NARROW_UP_TO
    arm = _VECTOR_ARM_EXACT if few else _VECTOR_ARM
    own = {"table": embeddings.table(len(request.vector)), "wanted": limits.wanted, "of": ""}
    parts |= {"vector_arm": arm.format(**own), "cosines": _COSINES.format(**own)}
    if request.other is not None:
        name = embeddings.table(len(request.other.vector))
        other = {"table": name, "wanted": limits.wanted, "of": "other_"}
        both = _VECTOR_ARM_OF_TWO.format(
            arm=parts["vector_arm"], other_arm=arm.format(**other), table=own["table"], other_table=name
        )
        parts |= {"vector_arm": both, "other_probe": _OTHER_PROBE, "other_cosines": _COSINES.format(**other)}
    return parts


def _other_parameters(other: Probe | None) -> dict[str, Any]:
    if other is None:
        return {}
    return {
        "other_vector": HalfVector(other.vector),
        "other_model": other.model,
        "slope": other.slope,
        "shift": other.shift,
    }


def _cosines(own: tuple[Integers, Floats], others: tuple[Integers, Floats], other: Probe | None) -> Cosines:
    """Both models' cosines as the request's model would give them; where a document has both, the other's counts."""
    document, cosine = own
    if other is not None:
        document = np.concatenate([others[0], document])
        cosine = np.concatenate([other.slope * others[1] + other.shift, cosine])
    ordered, first = np.unique(document, return_index=True)
    return Cosines(ordered, cosine[first])


def _window_arm(request: CandidateRequest, limits: Conditions) -> str:
    """Return the SQL of the units that happened in the window, the nearest to the vector if there is one."""
    if request.window is None:
        return _NO_ARM
    return _WINDOW_ARM.format(wanted=limits.wanted, nearest=_window_nearest(request))


def _window_nearest(request: CandidateRequest) -> str:
    if request.vector is None:
        return ""
    name = embeddings.table(len(request.vector))
    if request.other is None:
        return _WINDOW_NEAREST.format(table=name)
    return _WINDOW_NEAREST_OF_TWO.format(table=name, other_table=embeddings.table(len(request.other.vector)))


def _assemble(request: CandidateRequest, limits: Conditions, keyword: _Keyword, found: _Fetched) -> Candidates:
    every = found.rows
    chosen = np.flatnonzero(_chosen(request, found))
    document = every.document[chosen]
    follows = among(document + 1, every.document) & (document > 0)
    units = contextual.Units(
        document=document,
        session=session_of(document),
        ordinal=ordinal_of(document),
        center=every.center[chosen],
        length=every.length[chosen],
        cosine=cosine_of(document, found.cosines),
        next_cosine=np.where(follows, cosine_of(document + 1, found.cosines), np.nan),
        cues=every.cues[chosen],
        foreign=among(document, found.foreign),
    )
    return Candidates(
        query=keyword.query,
        units=units,
        postings=_lending(request, limits, keyword, found, document),
        unit=[UNITS[code] for code in every.unit[chosen].tolist()],
        category=[every.category[index] for index in chosen.tolist()],
        event_time=every.event_time[chosen],
        recorded_at=every.recorded_at[chosen],
        keyword_hits=len(found.keyword),
        vector_hits=len(found.vector),
        window_hits=len(found.window),
        proposed_hits=len(found.proposed),
        packed_unit_ids=every.unit_id[chosen],
        limits=limits,
        asks=relevance.is_mere_question(units),
    )


def _chosen(request: CandidateRequest, found: _Fetched) -> NDArray[np.bool_]:
    """Return which rows are candidates: hits of an arm, and what passes beside the first keyword hits."""
    first = found.keyword[: request.neighbours_of]
    steps = np.arange(-request.neighbour_distance, request.neighbour_distance + 1)
    beside = (first[first > 0][:, None] + steps)[_same_session(first[first > 0], steps)]
    wanted = np.concatenate([found.keyword, found.vector, found.window, found.proposed, beside])
    return np.asarray(found.rows.passes & among(found.rows.document, np.sort(wanted)))


def _same_session(document: Integers, steps: Integers) -> NDArray[np.bool_]:
    return np.asarray((document[:, None] + steps) >> ORDINAL_BITS == document[:, None] >> ORDINAL_BITS)


def _lending(
    request: CandidateRequest, limits: Conditions, keyword: _Keyword, found: _Fetched, document: Integers
) -> contextual.Postings:
    """Return the postings of the candidates and of the units in their sessions that may be read."""
    read = only(keyword.postings, ~keyword.partial[keyword.postings.term])
    every = concatenated(read, found.postings)
    owner = every.document
    near = among(
        np.where(owner > 0, every.session, owner), np.unique(np.where(document > 0, session_of(document), document))
    )
    if request.filters.as_of is not None or scope.current().reach is Reach.SHARED:
        near &= among(owner, _readable(limits, np.unique(owner[near])))
    return only(every, near)


def _readable(limits: Conditions, documents: Integers) -> Integers:
    """Return which of the documents the scope may read, at the moment asked for."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT d.id FROM index_document d"  # noqa: S608  constants only
            f" WHERE d.id = ANY(%(documents)s::bigint[]) AND {limits.readable} ORDER BY d.id",
            limits.parameters | {"documents": array(documents)},
        )
        return np.array([row[0] for row in cursor.fetchall()], dtype=np.int64)
