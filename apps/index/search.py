"""Reading the search index: the candidates of a query with all that fusion needs, and the nearest documents for dedup.

Two round trips on the scope's connection. The first reads the statistics and, rarest first, the query's postings,
packed into one value, which numpy weighs faster than SQL would (1.8 against 3–5 ms at 20,000 documents); the second
checks who may see the best of them, searches the vectors, the asked-for time and the units others propose, and brings
what is near and what lends words. Whatever answers comes from the second statement, so from one snapshot.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from apps.core import scope
from apps.core.scope import Reach
from apps.index import embeddings
from apps.index.filters import COUNT, Conditions, Filters, conditions
from apps.index.models import ORDINAL_BITS
from apps.index.nearest import Neighbour, nearest
from apps.index.packing import (
    COSINE,
    PACKED_POSTING,
    POSTING,
    ROW,
    UNITS,
    Integers,
    Packed,
    Times,
    among,
    array,
    cosine_of,
    once,
    ordinal_of,
    session_of,
    times,
    unpack,
)
from memory_platform.model import TimeRange, Unit
from memory_platform.ports import Vectors
from memory_platform.retrieval import contextual, relevance

__all__ = [
    "Begun",
    "CandidateRequest",
    "Candidates",
    "Filters",
    "Neighbour",
    "Probe",
    "begin",
    "candidates",
    "complete",
    "nearest",
]

COMMON_SHARE: Final = 0.2
"""Terms of more than this share of the documents do not choose candidates: RECALL.md, 99.96 % of the top 100 stay."""
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
    say how many each arm found, the last how many of the proposed units passed; `limits` is what all of them passed.
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

    @property
    def asks(self) -> NDArray[np.bool_]:
        """Which units only ask."""
        return relevance.is_mere_question(self.units)

    def unit_id(self, index: int) -> UUID:
        """Return the id of the unit at `index`; made on demand, for few of 500 candidates are shown."""
        return UUID(bytes=self.packed_unit_ids[index].tobytes())


@dataclass(frozen=True, slots=True)
class _Keyword:
    """What the first round trip brought. `partial` marks the terms whose postings were not all read."""

    query: contextual.QueryTerms
    postings: Packed
    partial: NDArray[np.bool_]
    narrow: int | None


@dataclass(frozen=True, slots=True)
class Begun:
    """A search after its first round trip: while it was on its way, others may have thought of units to propose."""

    request: CandidateRequest
    limits: Conditions
    keyword: _Keyword


@dataclass(frozen=True, slots=True)
class _Found:
    """What the second brought: the ids of each arm, readable documents and cosines in their ranges, more postings;
    `foreign` are, in order, the documents whose cosine is of the other model.
    """

    keyword: Integers
    vector: Integers
    window: Integers
    proposed: Integers
    rows: Packed
    categories: list[str]
    cosines: Packed
    foreign: Integers
    postings: Packed


def candidates(request: CandidateRequest) -> Candidates:
    """Return what may answer, within the open scope: see Candidates.

    N and df range over the tenant's documents that are not hidden, whoever may read them and whenever they hold.
    """
    return complete(begin(request))


def begin(request: CandidateRequest) -> Begun:
    """Read the statistics and the postings: the first round trip."""
    limits = conditions(request.filters, scope=scope.current(), now=request.now)
    return Begun(request, limits, _read_postings(request, limits))


def complete(begun: Begun, *, units: Sequence[UUID] = ()) -> Candidates:
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


# The first term is read whatever its df, newest documents first, so that a query of common words finds something.
# What a delta that waits adds is looked at only where `corpus` is small.
_POSTINGS: Final = """
WITH q AS (SELECT lexeme, (place - 1)::smallint AS place
FROM unnest(%(lexemes)s::bigint[]) WITH ORDINALITY AS q(lexeme, place)),
folded AS MATERIALIZED (
SELECT coalesce((SELECT documents FROM index_corpus_stat WHERE tenant_id = %(tenant)s), 0) AS documents),
waiting AS MATERIALIZED (
SELECT d.documents, d.lexemes, d.counts FROM index_term_delta d
WHERE d.tenant_id = %(tenant)s AND (SELECT documents FROM folded) < %(fresh_up_to)s),
corpus AS MATERIALIZED (
SELECT documents + coalesce((SELECT sum(documents) FROM waiting), 0) AS documents FROM folded),
stat AS MATERIALIZED (
SELECT q.lexeme, q.place, greatest(coalesce(s.documents, 0) + coalesce(w.documents, 0), 0) AS df
FROM q LEFT JOIN index_term_stat s ON s.tenant_id = %(tenant)s AND s.lexeme = q.lexeme
LEFT JOIN (SELECT u.lexeme, sum(u.n) AS documents FROM waiting, unnest(lexemes, counts) AS u(lexeme, n)
GROUP BY u.lexeme) w ON w.lexeme = q.lexeme),
ranked AS (SELECT lexeme, place, df, sum(df) OVER rarest AS running, row_number() OVER rarest AS rank
FROM stat WINDOW rarest AS (ORDER BY df, place)),
chosen AS MATERIALIZED (
SELECT lexeme, place FROM ranked, corpus
WHERE rank = 1 OR (df <= greatest(%(common_share)s * documents, %(always_read)s) AND running <= %(budget)s))
SELECT (SELECT documents FROM corpus), (SELECT array_agg(df::bigint ORDER BY place) FROM stat),
(SELECT array_agg(place::integer) FROM chosen),
(SELECT string_agg({packed}, '') FROM chosen t CROSS JOIN LATERAL (
SELECT p.document_id, p.tf, p.length, p.center FROM index_posting p
WHERE p.tenant_id = %(tenant)s AND p.lexeme = t.lexeme
ORDER BY p.document_id DESC LIMIT %(budget)s) p),
{narrow}, {settings}
"""


def _read_postings(request: CandidateRequest, limits: Conditions) -> _Keyword:
    """Read statistics and the postings of the terms that choose candidates: the first round trip."""
    narrow = "NULL"
    if limits.narrow:
        narrow = f"(SELECT CASE WHEN documents > %(exact_up_to)s THEN ({COUNT} WHERE {limits.narrow}"
        narrow += " LIMIT %(count_to)s) c) END FROM corpus)"
    sql = _POSTINGS.format(packed=PACKED_POSTING, narrow=narrow, settings=embeddings.SEARCH_SETTINGS)
    with connection.cursor() as cursor:
        cursor.execute(
            sql,
            limits.parameters
            | {
                "lexemes": "{" + ",".join(map(str, request.lexemes)) + "}",
                "fresh_up_to": FRESH_UP_TO,
                "common_share": COMMON_SHARE,
                "always_read": ALWAYS_READ,
                "budget": POSTINGS_READ,
                "exact_up_to": EXACT_UP_TO,
                "count_to": NARROW_UP_TO + 1,
                "ef_search": str(EF_SEARCH),
            },
        )
        documents, frequencies, places, packed, counted, *_ = cursor.fetchone()
    frequency = np.array(frequencies or [], dtype=np.int64)
    postings = unpack(packed, POSTING)
    partial = np.ones(len(frequency), dtype=bool)
    partial[places or []] = frequency[places or []] > POSTINGS_READ
    query = contextual.QueryTerms(np.array(request.lexemes, dtype=np.int64), frequency, int(documents))
    return _Keyword(query, postings, partial, counted)


def _best(keyword: _Keyword) -> Integers:
    """Return the documents of the postings that were read, the best L first; of equals the newest."""
    documents, place = np.unique(keyword.postings["document"].astype(np.int64), return_inverse=True)
    weight = contextual.weights(keyword.postings["tf"], keyword.postings["length"])
    idf = contextual.inverse_document_frequency(keyword.query)
    lexical = np.bincount(place, weights=weight * idf[keyword.postings["term"]], minlength=len(documents))
    return np.asarray(documents[::-1][np.argsort(-lexical[::-1], kind="stable")])


# A lateral sub-select with OFFSET 0 keeps the planner from joining the whole tenant: documents are looked up one by
# one, in order, until enough pass. `+ 0` keeps it from the approximate index. What stands beside a hit, and the unit
# after each, is one range of ids; ranges that touch are read as one.
_FIND: Final = """
WITH probe AS MATERIALIZED (SELECT %(vector)s::halfvec),{other_probe}
keyword AS MATERIALIZED (
SELECT o.id, o.place FROM unnest(%(offered)s::bigint[]) WITH ORDINALITY AS o(id, place)
CROSS JOIN LATERAL (SELECT FROM index_document d WHERE d.id = o.id AND {wanted} OFFSET 0) d
ORDER BY o.place LIMIT %(keyword_limit)s),
vector AS MATERIALIZED ({vector_arm}),
inside AS MATERIALIZED ({window_arm}),
proposed AS MATERIALIZED ({proposed_arm}),
beside AS (
SELECT id - CASE WHEN id < 0 OR place > %(neighbours_of)s THEN 0 ELSE %(distance)s END AS low,
id + CASE WHEN id < 0 THEN 0 WHEN place > %(neighbours_of)s THEN 1 ELSE %(distance)s + 1 END AS high FROM keyword
UNION ALL SELECT id, id + (id > 0)::integer FROM (TABLE vector UNION ALL TABLE inside UNION ALL TABLE proposed) a),
span AS MATERIALIZED (
SELECT min(low) AS low, max(high) AS high FROM (SELECT low, high, sum(starts) OVER (ORDER BY low, high) AS island FROM (
SELECT low, high, coalesce(low > 1 + max(high) OVER (
ORDER BY low, high ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true)::integer AS starts FROM beside) b) b
GROUP BY island)
SELECT (SELECT string_agg(int8send(id), '' ORDER BY place) FROM keyword),
(SELECT string_agg(int8send(id), '') FROM vector), (SELECT string_agg(int8send(id), '') FROM inside),
(SELECT string_agg(int8send(id), '') FROM proposed), r.packed, r.categories, {cosines}, {other_cosines}
FROM (SELECT string_agg(int8send(d.id) || float8send(d.center) || int4send(d.length)
|| timestamptz_send(coalesce(d.event_time, 'infinity')) || timestamptz_send(d.recorded_at)
|| uuid_send(d.unit_id) || int2send(d.unit) || int2send(d.passes) || int2send(d.cues){sent}, '') AS packed,
string_agg(d.category, chr(31)) AS categories
FROM span CROSS JOIN LATERAL (
SELECT d.id, d.center, d.length, d.event_time, d.recorded_at, d.unit_id, d.category, d.cues,
array_position(%(all_units)s, d.unit::text)::smallint AS unit, ({asked})::integer::smallint AS passes{partial}
FROM index_document d WHERE d.id BETWEEN span.low AND span.high AND {readable} OFFSET 0) d) r
"""
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
coalesce(d.frequencies[array_position(d.lexemes, %(lexeme{0})s::bigint)], 0::smallint) AS tf{0}"""
_COSINES: Final = """
(SELECT string_agg(int8send(e.id) || float8send(1 - e.distance), '') FROM span CROSS JOIN LATERAL (
SELECT e.document_id AS id, e.vector <=> (TABLE {of}probe) AS distance FROM {table} e WHERE e.tenant_id = %(tenant)s
AND e.document_id BETWEEN span.low AND span.high AND e.model = %({of}model)s OFFSET 0) e)"""


def _find(request: CandidateRequest, limits: Conditions, keyword: _Keyword, offered: Integers) -> _Found:
    """Filter keyword hits, search the vectors, add what stands beside: the second round trip."""
    partial = np.flatnonzero(keyword.partial)
    vectors = _vector_parts(request, limits, keyword)
    sql = _FIND.format(
        wanted=limits.wanted,
        readable=limits.readable,
        asked=limits.asked,
        **vectors,
        window_arm=_window_arm(request, limits),
        proposed_arm=_PROPOSED_ARM.format(wanted=limits.wanted) if request.units else _NO_ARM,
        partial="".join(_FREQUENCY.format(place) for place in partial),
        sent="".join(f" || int2send(d.tf{place})" for place in partial),
    )
    with connection.cursor() as cursor:
        cursor.execute(
            sql,
            limits.parameters
            | {
                "offered": array(offered),
                "keyword_limit": request.keyword_limit,
                "vector_limit": request.vector_limit,
                "neighbours_of": request.neighbours_of,
                "distance": request.neighbour_distance,
                "model": request.model,
                "vector": None if request.vector is None else embeddings.literal(request.vector),
                "all_units": [unit.value for unit in UNITS],
                "proposed": list(request.units),
                "window_start": request.window and request.window.start,
                "window_end": request.window and request.window.end,
                "window_read": WINDOW_READ,
                "window_limit": request.window_limit,
            }
            | _other_parameters(request.other)
            | {f"lexeme{place}": request.lexemes[place] for place in partial},
        )
        *arms, packed, categories, cosines, other_cosines = cursor.fetchone()
    keyword_ids, vector_ids, window_ids, proposed_ids = (unpack(ids, np.dtype(">i8")).astype(np.int64) for ids in arms)
    category = (categories or "").split("\x1f")
    rows, first = once(unpack(packed, np.dtype([*ROW, *((f"tf{place}", ">i2") for place in partial)])))
    return _Found(
        keyword=keyword_ids,
        vector=vector_ids,
        window=window_ids,
        proposed=proposed_ids,
        rows=rows,
        categories=[category[index] for index in first.tolist()],
        cosines=once(_cosines(cosines, other_cosines, request.other))[0],
        foreign=np.unique(unpack(other_cosines, COSINE)["document"].astype(np.int64)),
        postings=_partial_postings(rows, partial),
    )


def _partial_postings(rows: Packed, partial: Integers) -> Packed:
    """Return the postings of the terms that were not read whole, from the documents that were."""
    postings = []
    for term in partial:
        having = rows[rows[f"tf{term}"] > 0]
        posting = np.zeros(len(having), dtype=POSTING)
        for name in ("document", "length", "center"):
            posting[name] = having[name]
        posting["tf"], posting["term"] = having[f"tf{term}"], term
        postings.append(posting)
    return np.concatenate(postings) if postings else np.empty(0, dtype=POSTING)


def _vector_parts(request: CandidateRequest, limits: Conditions, keyword: _Keyword) -> dict[str, str]:
    """Return the SQL of the vector arm and of the cosines in the ranges."""
    parts = {"vector_arm": _NO_ARM, "cosines": "NULL", "other_probe": "", "other_cosines": "NULL"}
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
        "other_vector": embeddings.literal(other.vector),
        "other_model": other.model,
        "slope": other.slope,
        "shift": other.shift,
    }


def _cosines(own: bytes | None, others: bytes | None, other: Probe | None) -> Packed:
    """Both models' cosines as the request's model would give them; where a document has both, the other's is first."""
    mine = unpack(own, COSINE)
    if other is None:
        return mine
    theirs = unpack(others, COSINE).copy()
    theirs["cosine"] = other.slope * theirs["cosine"] + other.shift
    return np.concatenate([theirs, mine])


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


def _assemble(request: CandidateRequest, limits: Conditions, keyword: _Keyword, found: _Found) -> Candidates:
    chosen = _chosen(request, found)
    rows = found.rows[chosen]
    document = rows["document"].astype(np.int64)
    follows = among(document + 1, found.rows["document"].astype(np.int64)) & (document > 0)
    return Candidates(
        query=keyword.query,
        units=contextual.Units(
            document=document,
            session=session_of(document),
            ordinal=ordinal_of(document),
            center=rows["center"].astype(np.float64),
            length=rows["length"].astype(np.int64),
            cosine=cosine_of(document, found.cosines),
            next_cosine=np.where(follows, cosine_of(document + 1, found.cosines), np.nan),
            cues=rows["cues"].astype(np.int64),
            foreign=among(document, found.foreign),
        ),
        postings=_lending(request, limits, keyword, found, document),
        unit=[UNITS[code - 1] for code in rows["unit"].tolist()],
        category=[found.categories[index] for index in np.flatnonzero(chosen).tolist()],
        event_time=times(rows["event_time"]),
        recorded_at=times(rows["recorded_at"]),
        keyword_hits=len(found.keyword),
        vector_hits=len(found.vector),
        window_hits=len(found.window),
        proposed_hits=len(found.proposed),
        packed_unit_ids=rows["unit_id"],
        limits=limits,
    )


def _chosen(request: CandidateRequest, found: _Found) -> NDArray[np.bool_]:
    """Return which rows are candidates: hits of an arm, and what passes beside the first keyword hits."""
    document = found.rows["document"].astype(np.int64)
    first = found.keyword[: request.neighbours_of]
    steps = np.arange(-request.neighbour_distance, request.neighbour_distance + 1)
    beside = (first[first > 0][:, None] + steps)[_same_session(first[first > 0], steps)]
    wanted = np.concatenate([found.keyword, found.vector, found.window, found.proposed, beside])
    return np.asarray((found.rows["passes"] == 1) & among(document, np.sort(wanted)))


def _same_session(document: Integers, steps: Integers) -> NDArray[np.bool_]:
    return np.asarray((document[:, None] + steps) >> ORDINAL_BITS == document[:, None] >> ORDINAL_BITS)


def _lending(
    request: CandidateRequest, limits: Conditions, keyword: _Keyword, found: _Found, document: Integers
) -> contextual.Postings:
    """Return the postings of the candidates and of the units in their sessions that may be read."""
    read = keyword.postings[~keyword.partial[keyword.postings["term"]]]
    postings = np.concatenate([read, found.postings])
    owner = postings["document"].astype(np.int64)
    session = session_of(owner)
    near = among(np.where(owner > 0, session, owner), np.unique(np.where(document > 0, session_of(document), document)))
    if request.filters.as_of is not None or scope.current().reach is Reach.SHARED:
        near &= among(owner, _readable(limits, np.unique(owner[near])))
    postings, owner, session = postings[near], owner[near], session[near]
    return contextual.Postings(
        document=owner,
        term=postings["term"].astype(np.int64),
        tf=postings["tf"].astype(np.int64),
        length=postings["length"].astype(np.int64),
        session=session,
        ordinal=ordinal_of(owner),
        center=postings["center"].astype(np.float64),
    )


def _readable(limits: Conditions, documents: Integers) -> Integers:
    """Return which of the documents the scope may read, at the moment asked for."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT d.id FROM index_document d"  # noqa: S608  constants only
            f" WHERE d.id = ANY(%(documents)s::bigint[]) AND {limits.readable} ORDER BY d.id",
            limits.parameters | {"documents": array(documents)},
        )
        return np.array([row[0] for row in cursor.fetchall()], dtype=np.int64)
