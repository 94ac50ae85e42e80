"""Reading the search index: the candidates of a query with all that fusion needs, and the nearest documents for dedup.

Two round trips on the scope's connection. The first reads the statistics and, rarest first, the query's postings,
packed into one value, which numpy weighs faster than SQL would (1.8 against 3–5 ms at 20,000 documents); the second
checks who may see the best of them, searches the vectors, and brings what is near and what lends words.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from apps.core import scope
from apps.core.scope import Reach
from apps.index import embeddings
from apps.index.filters import Conditions, Filters, conditions
from apps.index.models import ORDINAL_BITS
from memory_platform import fusion
from memory_platform.model import Audience, Unit, Visibility
from memory_platform.ports import Vectors

__all__ = ["CandidateRequest", "Candidates", "Filters", "Neighbour", "candidates", "nearest"]

COMMON_SHARE: Final = 0.2
"""Terms of more than this share of the documents do not choose candidates: RECALL.md, 99.96 % of the top 100 stay."""
ALWAYS_READ: Final = 500
"""… unless they occur in fewer documents than this: a small tenant gets every hit."""
POSTINGS_READ: Final = 30_000
"""Postings read to choose candidates; the terms that no longer fit are weighed on the candidates alone."""
EXACT_UP_TO: Final = 5_000
"""Documents up to which every vector is compared: as fast as HNSW there, and exact."""
READ_PER_VECTOR: Final = 500
"""The same for each further vector that is to be compared with one audience …"""
READ_UP_TO: Final = 40_000
"""… and for any number of them: 40,000 vectors are some 30 MB."""
NARROW_UP_TO: Final = 2_000
"""The same when a filter has to be looked up row by row."""
FRESH_UP_TO: Final = 1_000
"""Documents up to which the statistics count the deltas that wait, too: there a few matter."""
OFFERED: Final = 3
"""How many times the wanted number of keyword hits is offered for filtering before all are."""
EF_SEARCH: Final = 200
EF_SEARCH_NEAREST: Final = 80

_POSTING: Final = np.dtype([("document", ">i8"), ("tf", ">i2"), ("length", ">i2"), ("center", ">f4"), ("term", ">i2")])
_COSINE: Final = np.dtype([("document", ">i8"), ("cosine", ">f8")])
_ROW: Final = [
    ("document", ">i8"),
    ("center", ">f8"),
    ("length", ">i4"),
    ("event_time", ">i8"),
    ("recorded_at", ">i8"),
    ("unit_id", "V16"),
    ("unit", ">i2"),
    ("passes", ">i2"),
]
_UNITS: Final = tuple(Unit)
_PACKED_POSTING: Final = (
    "int8send(p.document_id) || int2send(p.tf) || int2send(p.length) || float4send(p.center) || int2send(t.place)"
)
_EPOCH: Final = np.datetime64("2000-01-01T00:00:00", "us")
_SESSION_MASK: Final = (1 << ORDINAL_BITS) - 1

Packed = NDArray[np.void]
Integers = NDArray[np.int64]
Times = NDArray[np.datetime64]


@dataclass(frozen=True, slots=True)
class CandidateRequest:
    """A query as the index needs it: distinct lexeme hashes, and its vector of shape (dimension,) if there is one.

    The limits are RECALL.md's: the best of each arm, and the units within `neighbour_distance` of the first
    `neighbours_of` keyword hits.
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


@dataclass(frozen=True, slots=True)
class Candidates:
    """The inputs of `fusion.score`, and what each unit is, parallel to the arrays of `units`.

    Times are datetime64[us] in UTC, NaT where unknown. `keyword_hits` and `vector_hits` say how many each arm found.
    """

    query: fusion.QueryTerms
    units: fusion.Units
    postings: fusion.Postings
    unit: list[Unit]
    category: list[str]
    event_time: Times
    recorded_at: Times
    keyword_hits: int
    vector_hits: int
    packed_unit_ids: NDArray[np.void]

    def unit_id(self, index: int) -> UUID:
        """Return the id of the unit at `index`; made on demand, for few of 500 candidates are shown."""
        return UUID(bytes=self.packed_unit_ids[index].tobytes())


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A document near a vector; `cosine` in -1..1."""

    document_id: int
    unit_id: UUID
    cosine: float


@dataclass(frozen=True, slots=True)
class _Keyword:
    """What the first round trip brought. `partial` marks the terms whose postings were not all read."""

    query: fusion.QueryTerms
    postings: Packed
    partial: NDArray[np.bool_]
    narrow: int | None


@dataclass(frozen=True, slots=True)
class _Found:
    """What the second brought: the ids of each arm, readable documents and cosines in their ranges, more postings."""

    keyword: Integers
    vector: Integers
    rows: Packed
    categories: list[str]
    cosines: Packed
    postings: Packed


def candidates(request: CandidateRequest) -> Candidates:
    """Return what may answer, within the open scope: see Candidates.

    N and df range over the tenant's documents that are not hidden, whoever may read them and whenever they hold.
    """
    limits = conditions(request.filters, scope=scope.current(), now=request.now)
    keyword = _read_postings(request, limits)
    best = _best(keyword)
    found = _find(request, limits, keyword, best[: OFFERED * request.keyword_limit])
    if len(found.keyword) < request.keyword_limit and len(best) > OFFERED * request.keyword_limit:
        found = _find(request, limits, keyword, best)
    return _assemble(request, limits, keyword, found)


def nearest(
    vectors: Vectors,
    *,
    audience: Audience,
    model: str,
    now: datetime,
    k: int = 10,
    unit: Unit = Unit.ITEM,
) -> list[list[Neighbour]]:
    """Return for each vector the k nearest documents that hold now and have exactly this audience, nearest first.

    The same user (none equals none) and visibility; private ones of the same agent.
    """
    if not len(vectors):
        return []
    limits = conditions(Filters(units=(unit,)), scope=scope.current(), now=now)
    same = "d.user_id IS NOT DISTINCT FROM %(user)s AND d.visibility = %(visibility)s"
    if audience.visibility is Visibility.PRIVATE:
        same += " AND d.agent_id = %(agent)s"
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
    parts = {"table": embeddings.table(vectors.shape[1]), "condition": f"{limits.wanted} AND {same}"}
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT ({_COUNT} WHERE {limits.wanted} AND {same} LIMIT %(count_to)s) c), {_SEARCH_SETTINGS}", parameters
        )
        if cursor.fetchone()[0] < parameters["count_to"]:
            cursor.execute(_AUDIENCE.format(**parts), parameters)
            return _compare(vectors, cursor.fetchone()[0], k)
        cursor.execute(_NEAREST.format(**parts), parameters)
        answers: list[list[Neighbour]] = [[] for _ in vectors]
        for place, document_id, unit_id, cosine in cursor.fetchall():
            answers[place - 1].append(Neighbour(document_id, unit_id, cosine))
    return answers


def _worth_reading(vectors: int) -> int:
    """Documents of an audience up to which reading all their vectors beats asking HNSW for each of `vectors`."""
    return max(EXACT_UP_TO, min(READ_PER_VECTOR * vectors, READ_UP_TO))


def _compare(vectors: Vectors, packed: bytes | None, k: int) -> list[list[Neighbour]]:
    """Compare every vector with every document of the audience at once."""
    row = np.dtype([*_EMBEDDED, ("vector", ">f2", (vectors.shape[1],))])
    rows = np.frombuffer(packed or b"", dtype=row)
    stored = rows["vector"].astype(np.float32)
    cosines = vectors @ (stored / np.maximum(np.linalg.norm(stored, axis=1, keepdims=True), 1e-12)).T
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return [
        [
            Neighbour(int(rows["document"][at]), UUID(bytes=rows["unit_id"][at].tobytes()), float(cosines[place, at]))
            for at in near
        ]
        for place, near in enumerate(best.tolist())
    ]


_SEARCH_SETTINGS: Final = (
    "set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(ef_search)s, true)"
)
_COUNT: Final = "SELECT count(*) FROM (SELECT FROM index_document d"
# A halfvec is sent as its dimension, an unused number and its elements, 2 bytes each.
_EMBEDDED: Final = [("document", ">i8"), ("unit_id", "V16"), ("dimension", ">i2"), ("unused", ">i2")]
_AUDIENCE: Final = (
    "SELECT string_agg(int8send(d.id) || uuid_send(d.unit_id) || halfvec_send(e.vector), '' ORDER BY d.id)"
    " FROM index_document d JOIN {table} e ON e.tenant_id = %(tenant)s AND e.document_id = d.id"
    " AND e.model = %(model)s WHERE {condition}"
)
_NEAREST: Final = (
    "SELECT v.place, n.id, n.unit_id, n.cosine FROM unnest(%(vectors)s::text[]) WITH ORDINALITY AS v(vector, place)"
    " CROSS JOIN LATERAL (SELECT d.id, d.unit_id, 1 - (e.vector <=> v.vector::halfvec) AS cosine FROM {table} e"
    " CROSS JOIN LATERAL (SELECT d.id, d.unit_id FROM index_document d WHERE d.id = e.document_id AND {condition}"
    " OFFSET 0) d WHERE e.tenant_id = %(tenant)s AND e.model = %(model)s"
    " ORDER BY e.vector <=> v.vector::halfvec LIMIT %(k)s) n ORDER BY v.place, n.cosine DESC"
)


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
        narrow = f"(SELECT CASE WHEN documents > %(exact_up_to)s THEN ({_COUNT} WHERE {limits.narrow}"
        narrow += " LIMIT %(count_to)s) c) END FROM corpus)"
    sql = _POSTINGS.format(packed=_PACKED_POSTING, narrow=narrow, settings=_SEARCH_SETTINGS)
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
    postings = _unpack(packed, _POSTING)
    partial = np.ones(len(frequency), dtype=bool)
    partial[places or []] = frequency[places or []] > POSTINGS_READ
    query = fusion.QueryTerms(np.array(request.lexemes, dtype=np.int64), frequency, int(documents))
    return _Keyword(query, postings, partial, counted)


def _best(keyword: _Keyword) -> Integers:
    """Return the documents of the postings that were read, the best L first; of equals the newest."""
    documents, place = np.unique(keyword.postings["document"].astype(np.int64), return_inverse=True)
    weight = fusion.weights(keyword.postings["tf"], keyword.postings["length"])
    idf = fusion.inverse_document_frequency(keyword.query)
    lexical = np.bincount(place, weights=weight * idf[keyword.postings["term"]], minlength=len(documents))
    return np.asarray(documents[::-1][np.argsort(-lexical[::-1], kind="stable")])


# A lateral sub-select with OFFSET 0 keeps the planner from joining the whole tenant: documents are looked up one by
# one, in order, until enough pass. `+ 0` keeps it from the approximate index. What stands beside a hit, and the unit
# after each, is one range of ids, read in one go; rows of ranges that overlap come twice.
_FIND: Final = """
WITH keyword AS MATERIALIZED (
SELECT o.id, o.place FROM unnest(%(offered)s::bigint[]) WITH ORDINALITY AS o(id, place)
CROSS JOIN LATERAL (SELECT FROM index_document d WHERE d.id = o.id AND {wanted} OFFSET 0) d
ORDER BY o.place LIMIT %(keyword_limit)s),
vector AS MATERIALIZED ({vector_arm}),
beside AS MATERIALIZED (
SELECT id - CASE WHEN id < 0 OR place > %(neighbours_of)s THEN 0 ELSE %(distance)s END AS low,
id + CASE WHEN id < 0 THEN 0 WHEN place > %(neighbours_of)s THEN 1 ELSE %(distance)s + 1 END AS high FROM keyword),
span AS (TABLE beside UNION SELECT id, id + (id > 0)::integer FROM vector)
SELECT (SELECT string_agg(int8send(id), '' ORDER BY place) FROM keyword),
(SELECT string_agg(int8send(id), '') FROM vector), r.packed, r.categories, {cosines}
FROM (SELECT string_agg(int8send(d.id) || float8send(d.center) || int4send(d.length)
|| timestamptz_send(coalesce(d.event_time, 'infinity')) || timestamptz_send(d.recorded_at)
|| uuid_send(d.unit_id) || int2send(d.unit) || int2send(d.passes){sent}, '') AS packed,
string_agg(d.category, chr(31)) AS categories
FROM span CROSS JOIN LATERAL (
SELECT d.id, d.center, d.length, d.event_time, d.recorded_at, d.unit_id, d.category,
array_position(%(all_units)s, d.unit::text)::smallint AS unit, ({asked})::integer::smallint AS passes{partial}
FROM index_document d WHERE d.id BETWEEN span.low AND span.high AND {readable} OFFSET 0) d) r
"""
_VECTOR_ARM: Final = """
SELECT e.document_id AS id, e.vector <=> %(vector)s::halfvec AS distance FROM {table} e
CROSS JOIN LATERAL (SELECT FROM index_document d WHERE d.id = e.document_id AND {wanted} OFFSET 0) d
WHERE e.tenant_id = %(tenant)s AND e.model = %(model)s
ORDER BY e.vector <=> %(vector)s::halfvec LIMIT %(vector_limit)s"""
_VECTOR_ARM_EXACT: Final = """
SELECT e.document_id AS id, e.vector <=> %(vector)s::halfvec AS distance
FROM {table} e JOIN index_document d ON d.id = e.document_id
WHERE e.tenant_id = %(tenant)s AND e.model = %(model)s AND {wanted}
ORDER BY (e.vector <=> %(vector)s::halfvec) + 0 LIMIT %(vector_limit)s"""
# Common terms lend their words over this short way only: there is one nearby anyway, and its idf is small.
_FREQUENCY: Final = """,
coalesce(d.frequencies[array_position(d.lexemes, %(lexeme{0})s::bigint)], 0::smallint) AS tf{0}"""
_COSINES: Final = """
(SELECT string_agg(int8send(id) || float8send(1 - distance), '') FROM (TABLE vector UNION ALL SELECT e.id, e.distance
FROM (TABLE beside UNION SELECT id + 1, id + 1 FROM vector WHERE id > 0) s CROSS JOIN LATERAL (
SELECT e.document_id AS id, e.vector <=> %(vector)s::halfvec AS distance FROM {table} e WHERE e.tenant_id = %(tenant)s
AND e.document_id BETWEEN s.low AND s.high AND e.model = %(model)s OFFSET 0) e) c)"""


def _find(request: CandidateRequest, limits: Conditions, keyword: _Keyword, offered: Integers) -> _Found:
    """Filter keyword hits, search the vectors, add what stands beside: the second round trip."""
    partial = np.flatnonzero(keyword.partial)
    vector_arm, cosines = _vector_parts(request, limits, keyword)
    sql = _FIND.format(
        wanted=limits.wanted,
        readable=limits.readable,
        asked=limits.asked,
        vector_arm=vector_arm,
        cosines=cosines,
        partial="".join(_FREQUENCY.format(place) for place in partial),
        sent="".join(f" || int2send(d.tf{place})" for place in partial),
    )
    with connection.cursor() as cursor:
        cursor.execute(
            sql,
            limits.parameters
            | {
                "offered": _array(offered),
                "keyword_limit": request.keyword_limit,
                "vector_limit": request.vector_limit,
                "neighbours_of": request.neighbours_of,
                "distance": request.neighbour_distance,
                "model": request.model,
                "vector": None if request.vector is None else embeddings.literal(request.vector),
                "all_units": [unit.value for unit in _UNITS],
            }
            | {f"lexeme{place}": request.lexemes[place] for place in partial},
        )
        keyword_ids, vector_ids, packed, categories, cosines_packed = cursor.fetchone()
    category = (categories or "").split("\x1f")
    rows, first = _once(_unpack(packed, np.dtype([*_ROW, *((f"tf{place}", ">i2") for place in partial)])))
    return _Found(
        keyword=_unpack(keyword_ids, np.dtype(">i8")).astype(np.int64),
        vector=_unpack(vector_ids, np.dtype(">i8")).astype(np.int64),
        rows=rows,
        categories=[category[index] for index in first.tolist()],
        cosines=_once(_unpack(cosines_packed, _COSINE))[0],
        postings=_partial_postings(rows, partial),
    )


def _partial_postings(rows: Packed, partial: Integers) -> Packed:
    """Return the postings of the terms that were not read whole, from the documents that were."""
    postings = []
    for term in partial:
        having = rows[rows[f"tf{term}"] > 0]
        posting = np.zeros(len(having), dtype=_POSTING)
        for name in ("document", "length", "center"):
            posting[name] = having[name]
        posting["tf"], posting["term"] = having[f"tf{term}"], term
        postings.append(posting)
    return np.concatenate(postings) if postings else np.empty(0, dtype=_POSTING)


def _once(rows: Packed) -> tuple[Packed, Integers]:
    """Return each document's first row in order of document, and where it stood."""
    _, first = np.unique(rows["document"].astype(np.int64), return_index=True)
    return rows[first], first


def _vector_parts(request: CandidateRequest, limits: Conditions, keyword: _Keyword) -> tuple[str, str]:
    """Return the SQL of the vector arm and of the cosines in the ranges."""
    if request.vector is None:
        return "SELECT 0::bigint AS id, 0::float8 AS distance WHERE false", "NULL"
    name = embeddings.table(len(request.vector))
    few = keyword.query.documents <= EXACT_UP_TO or (keyword.narrow or NARROW_UP_TO + 1) <= NARROW_UP_TO
    arm = _VECTOR_ARM_EXACT if few else _VECTOR_ARM
    return arm.format(table=name, wanted=limits.wanted), _COSINES.format(table=name)


def _assemble(request: CandidateRequest, limits: Conditions, keyword: _Keyword, found: _Found) -> Candidates:
    chosen = _chosen(request, found)
    rows = found.rows[chosen]
    document = rows["document"].astype(np.int64)
    follows = _among(document + 1, found.rows["document"].astype(np.int64)) & (document > 0)
    return Candidates(
        query=keyword.query,
        units=fusion.Units(
            document=document,
            session=_session(document),
            ordinal=_ordinal(document),
            center=rows["center"].astype(np.float64),
            length=rows["length"].astype(np.int64),
            cosine=_cosine_of(document, found.cosines),
            next_cosine=np.where(follows, _cosine_of(document + 1, found.cosines), np.nan),
        ),
        postings=_lending(request, limits, keyword, found, document),
        unit=[_UNITS[code - 1] for code in rows["unit"].tolist()],
        category=[found.categories[index] for index in np.flatnonzero(chosen).tolist()],
        event_time=_times(rows["event_time"]),
        recorded_at=_times(rows["recorded_at"]),
        keyword_hits=len(found.keyword),
        vector_hits=len(found.vector),
        packed_unit_ids=rows["unit_id"],
    )


def _chosen(request: CandidateRequest, found: _Found) -> NDArray[np.bool_]:
    """Return which rows are candidates: hits of an arm, and what passes beside the first keyword hits."""
    document = found.rows["document"].astype(np.int64)
    first = found.keyword[: request.neighbours_of]
    steps = np.arange(-request.neighbour_distance, request.neighbour_distance + 1)
    beside = (first[first > 0][:, None] + steps)[_same_session(first[first > 0], steps)]
    wanted = np.concatenate([found.keyword, found.vector, beside])
    return np.asarray((found.rows["passes"] == 1) & _among(document, np.sort(wanted)))


def _same_session(document: Integers, steps: Integers) -> NDArray[np.bool_]:
    return np.asarray((document[:, None] + steps) >> ORDINAL_BITS == document[:, None] >> ORDINAL_BITS)


def _among(values: Integers, ordered: Integers) -> NDArray[np.bool_]:
    """Return which values occur in an ascending array."""
    if not len(ordered):
        return np.zeros(len(values), dtype=bool)
    return np.asarray(ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values)


def _cosine_of(document: Integers, cosines: Packed) -> NDArray[np.float64]:
    """Return each document's cosine, NaN without a vector."""
    if not len(cosines):
        return np.full(len(document), np.nan)
    known = cosines["document"].astype(np.int64)
    place = np.minimum(np.searchsorted(known, document), len(known) - 1)
    return np.where(known[place] == document, cosines["cosine"][place].astype(np.float64), np.nan)


def _session(document: Integers) -> Integers:
    return np.where(document > 0, document >> ORDINAL_BITS, fusion.NO_SESSION)


def _ordinal(document: Integers) -> Integers:
    return np.where(document > 0, document & _SESSION_MASK, 0)


def _lending(
    request: CandidateRequest, limits: Conditions, keyword: _Keyword, found: _Found, document: Integers
) -> fusion.Postings:
    """Return the postings of the candidates and of the units in their sessions that may be read."""
    read = keyword.postings[~keyword.partial[keyword.postings["term"]]]
    postings = np.concatenate([read, found.postings])
    owner = postings["document"].astype(np.int64)
    session = _session(owner)
    near = _among(np.where(owner > 0, session, owner), np.unique(np.where(document > 0, _session(document), document)))
    if request.filters.as_of is not None or scope.current().reach is Reach.SHARED:
        near &= _among(owner, _readable(limits, np.unique(owner[near])))
    postings, owner, session = postings[near], owner[near], session[near]
    return fusion.Postings(
        document=owner,
        term=postings["term"].astype(np.int64),
        tf=postings["tf"].astype(np.int64),
        length=postings["length"].astype(np.int64),
        session=session,
        ordinal=_ordinal(owner),
        center=postings["center"].astype(np.float64),
    )


def _readable(limits: Conditions, documents: Integers) -> Integers:
    """Return which of the documents the scope may read, at the moment asked for."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT d.id FROM index_document d"  # noqa: S608  constants only
            f" WHERE d.id = ANY(%(documents)s::bigint[]) AND {limits.readable} ORDER BY d.id",
            limits.parameters | {"documents": _array(documents)},
        )
        return np.array([row[0] for row in cursor.fetchall()], dtype=np.int64)


def _times(microseconds: NDArray[Any]) -> Times:
    """Decode PostgreSQL's binary timestamps; infinity stands for unknown."""
    values = microseconds.astype(np.int64)
    return np.where(values == np.iinfo(np.int64).max, np.datetime64("NaT", "us"), _EPOCH + values.astype("m8[us]"))


def _unpack(packed: bytes | None, dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.frombuffer(packed or b"", dtype=dtype)


def _array(values: Integers) -> str:
    return "{" + ",".join(map(str, values.tolist())) + "}"
