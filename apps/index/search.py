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
NARROW_UP_TO: Final = 2_000
"""The same when a filter has to be looked up row by row."""
FRESH_UP_TO: Final = 1_000
"""Documents up to which the statistics count the deltas that wait, too: there a few matter."""
OFFERED: Final = 3
"""How many times the wanted number of keyword hits is offered for filtering before all are."""
EF_SEARCH: Final = 200
EF_SEARCH_NEAREST: Final = 80

_POSTING: Final = np.dtype([("document", ">i8"), ("tf", ">i2"), ("length", ">i2"), ("center", ">f4"), ("term", ">i2")])
_UNIT: Final = np.dtype(
    [
        ("document", ">i8"),
        ("center", ">f8"),
        ("length", ">i4"),
        ("cosine", ">f8"),
        ("event_time", ">i8"),
        ("recorded_at", ">i8"),
        ("unit_id", "V16"),
        ("is_candidate", ">i2"),
    ]
)
_PACKED_POSTING: Final = (
    "int8send(p.document_id) || int2send(p.tf) || int2send(p.length) || float4send(p.center) || int2send(t.place)"
)
_EPOCH: Final = np.datetime64("2000-01-01T00:00:00", "us")
_SESSION_MASK: Final = (1 << ORDINAL_BITS) - 1

Postings = NDArray[np.void]
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
    postings: Postings
    partial: NDArray[np.bool_]
    narrow: int | None


@dataclass(frozen=True, slots=True)
class _Found:
    """What the second brought: rows of candidates and of the units after them, and the rest of the postings."""

    rows: Postings
    unit: list[str]
    category: list[str]
    postings: Postings
    keyword_hits: int
    vector_hits: int


def candidates(request: CandidateRequest) -> Candidates:
    """Return what may answer, within the open scope: see Candidates.

    N and df range over the tenant's documents that are not hidden, whoever may read them and whenever they hold.
    """
    limits = conditions(request.filters, scope=scope.current(), now=request.now)
    keyword = _read_postings(request, limits)
    best = _best(keyword)
    found = _find(request, limits, keyword, best[: OFFERED * request.keyword_limit])
    if found.keyword_hits < request.keyword_limit and len(best) > OFFERED * request.keyword_limit:
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
        "count_to": EXACT_UP_TO + 1,
        "ef_search": str(EF_SEARCH_NEAREST),
    }
    name = embeddings.table(vectors.shape[1])
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT ({_COUNT} WHERE {limits.wanted} AND {same} LIMIT %(count_to)s) c), {_SEARCH_SETTINGS}", parameters
        )
        statement = _NEAREST_EXACT if cursor.fetchone()[0] <= EXACT_UP_TO else _NEAREST_APPROXIMATE
        cursor.execute(statement.format(table=name, condition=f"{limits.wanted} AND {same}"), parameters)
        answers: list[list[Neighbour]] = [[] for _ in vectors]
        for place, document_id, unit_id, cosine in cursor.fetchall():
            answers[place - 1].append(Neighbour(document_id, unit_id, cosine))
    return answers


_SEARCH_SETTINGS: Final = (
    "set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(ef_search)s, true)"
)
_COUNT: Final = "SELECT count(*) FROM (SELECT FROM index_document d"
_NEAREST_EXACT: Final = (
    "WITH same AS MATERIALIZED (SELECT d.id, d.unit_id, e.vector FROM index_document d JOIN {table} e"
    " ON e.tenant_id = %(tenant)s AND e.document_id = d.id AND e.model = %(model)s WHERE {condition})"
    " SELECT v.place, n.id, n.unit_id, n.cosine FROM unnest(%(vectors)s::text[]) WITH ORDINALITY AS v(vector, place)"
    " CROSS JOIN LATERAL (SELECT s.id, s.unit_id, 1 - (s.vector <=> v.vector::halfvec) AS cosine FROM same s"
    " ORDER BY cosine DESC LIMIT %(k)s) n ORDER BY v.place, n.cosine DESC"
)
_NEAREST_APPROXIMATE: Final = (
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
        narrow = f"({_COUNT} WHERE {limits.narrow} LIMIT %(count_to)s) c)"
    sql = _POSTINGS.format(packed=_PACKED_POSTING, narrow=narrow, settings=_SEARCH_SETTINGS)
    with connection.cursor() as cursor:
        cursor.execute(
            sql,
            limits.parameters
            | {
                "lexemes": list(request.lexemes),
                "fresh_up_to": FRESH_UP_TO,
                "common_share": COMMON_SHARE,
                "always_read": ALWAYS_READ,
                "budget": POSTINGS_READ,
                "count_to": NARROW_UP_TO + 1,
                "ef_search": str(EF_SEARCH),
            },
        )
        documents, frequencies, places, packed, counted, *_ = cursor.fetchone()
    frequency = np.array(frequencies or [], dtype=np.int64)
    postings = np.frombuffer(packed or b"", dtype=_POSTING)
    partial = np.ones(len(frequency), dtype=bool)
    partial[places or []] = frequency[places or []] > POSTINGS_READ
    query = fusion.QueryTerms(np.array(request.lexemes, dtype=np.int64), frequency, int(documents))
    return _Keyword(query, postings, partial, counted)


def _best(keyword: _Keyword) -> Integers:
    """Return the documents of the postings that were read, the best L first; of equals the newest."""
    if not len(keyword.postings):
        return np.empty(0, dtype=np.int64)
    documents, place = np.unique(keyword.postings["document"].astype(np.int64), return_inverse=True)
    weight = fusion.weights(keyword.postings["tf"], keyword.postings["length"])
    idf = fusion.inverse_document_frequency(keyword.query)
    lexical = np.bincount(place, weights=weight * idf[keyword.postings["term"]])
    return np.asarray(documents[np.lexsort((-documents, -lexical))])


# A lateral sub-select with OFFSET 0 keeps the planner from joining the whole tenant: documents are looked up one by
# one, in order, until enough pass. `+ 0` keeps it from the approximate index.
_FIND: Final = """
WITH keyword AS MATERIALIZED (
    SELECT o.id, o.place FROM unnest(%(offered)s::bigint[]) WITH ORDINALITY AS o(id, place)
    CROSS JOIN LATERAL (SELECT FROM index_document d WHERE d.id = o.id AND {wanted} OFFSET 0) d
    ORDER BY o.place LIMIT %(keyword_limit)s),
vector AS MATERIALIZED ({vector_arm}),
candidate AS MATERIALIZED (
    SELECT id FROM keyword UNION SELECT id FROM vector
    UNION SELECT d.id FROM (
        SELECT DISTINCT k.id + s.step AS id FROM (SELECT id FROM keyword ORDER BY place LIMIT %(neighbours_of)s) k,
            generate_series(-%(distance)s, %(distance)s) AS s(step)
        WHERE k.id > 0 AND (k.id + s.step) >> {bits} = k.id >> {bits}) n
    CROSS JOIN LATERAL (SELECT d.id FROM index_document d WHERE d.id = n.id AND {wanted} OFFSET 0) d),
involved AS (
    SELECT id, 1 AS is_candidate FROM candidate
    UNION ALL SELECT f.id, 0 FROM (
        SELECT id + 1 AS id FROM candidate WHERE id > 0 EXCEPT SELECT id FROM candidate) f),
row AS (
    SELECT d.*, i.is_candidate, e.cosine FROM involved i
    CROSS JOIN LATERAL (
        SELECT d.id, d.center, d.length, d.event_time, d.recorded_at, d.unit, d.unit_id, d.category
        FROM index_document d WHERE d.id = i.id AND {readable} OFFSET 0) d
    LEFT JOIN LATERAL ({cosine}) e ON true),
span AS (
    SELECT DISTINCT CASE WHEN id > 0 THEN id >> {bits} << {bits} ELSE id END AS low,
        CASE WHEN id > 0 THEN id | {mask} ELSE id END AS high FROM candidate)
SELECT (SELECT count(*) FROM keyword), (SELECT count(*) FROM vector), string_agg(
        int8send(id) || float8send(center) || int4send(length) || float8send(coalesce(cosine, 'NaN'))
        || timestamptz_send(coalesce(event_time, 'infinity')) || timestamptz_send(recorded_at)
        || uuid_send(unit_id) || int2send(is_candidate::smallint), ''),
    array_agg(unit::text), array_agg(category::text), {others}
FROM row
"""
_VECTOR_ARM: Final = """
    SELECT e.document_id AS id FROM {table} e
    CROSS JOIN LATERAL (SELECT FROM index_document d WHERE d.id = e.document_id AND {wanted} OFFSET 0) d
    WHERE e.tenant_id = %(tenant)s AND e.model = %(model)s
    ORDER BY e.vector <=> %(vector)s::halfvec LIMIT %(vector_limit)s"""
_VECTOR_ARM_EXACT: Final = """
    SELECT e.document_id AS id FROM {table} e JOIN index_document d ON d.id = e.document_id
    WHERE e.tenant_id = %(tenant)s AND e.model = %(model)s AND {wanted}
    ORDER BY (e.vector <=> %(vector)s::halfvec) + 0 LIMIT %(vector_limit)s"""
_COSINE: Final = """
    SELECT 1 - (e.vector <=> %(vector)s::halfvec) AS cosine FROM {table} e
    WHERE e.tenant_id = %(tenant)s AND e.document_id = i.id AND e.model = %(model)s"""
_OTHERS: Final = """
    (SELECT string_agg({packed}, '') FROM span CROSS JOIN unnest(%(partial)s::bigint[], %(places)s::smallint[])
        AS t(lexeme, place) CROSS JOIN LATERAL (
        SELECT p.document_id, p.tf, p.length, p.center FROM index_posting p WHERE p.tenant_id = %(tenant)s
        AND p.lexeme = t.lexeme AND p.document_id BETWEEN span.low AND span.high OFFSET 0) p)"""


def _find(request: CandidateRequest, limits: Conditions, keyword: _Keyword, offered: Integers) -> _Found:
    """Filter keyword hits, search the vectors, add what stands beside: the second round trip."""
    partial = np.flatnonzero(keyword.partial)
    others = _OTHERS.format(packed=_PACKED_POSTING) if len(partial) else "NULL"
    sql = _FIND.format(
        wanted=limits.wanted,
        readable=limits.readable,
        bits=ORDINAL_BITS,
        mask=_SESSION_MASK,
        others=others,
        **_vector_parts(request, limits, keyword),
    )
    with connection.cursor() as cursor:
        cursor.execute(
            sql,
            limits.parameters
            | {
                "offered": "{" + ",".join(map(str, offered.tolist())) + "}",
                "keyword_limit": request.keyword_limit,
                "vector_limit": request.vector_limit,
                "neighbours_of": request.neighbours_of,
                "distance": request.neighbour_distance,
                "model": request.model,
                "vector": None if request.vector is None else embeddings.literal(request.vector),
                "partial": keyword.query.hashes[partial].tolist(),
                "places": partial.tolist(),
            },
        )
        keyword_hits, vector_hits, packed, unit, category, other_postings = cursor.fetchone()
    return _Found(
        np.frombuffer(packed or b"", dtype=_UNIT),
        unit or [],
        category or [],
        np.frombuffer(other_postings or b"", dtype=_POSTING),
        keyword_hits,
        vector_hits,
    )


def _vector_parts(request: CandidateRequest, limits: Conditions, keyword: _Keyword) -> dict[str, str]:
    """Return the SQL of the vector arm and of a unit's cosine."""
    if request.vector is None:
        return {"vector_arm": "SELECT 0::bigint AS id WHERE false", "cosine": "SELECT NULL::float8 AS cosine"}
    name = embeddings.table(len(request.vector))
    few = keyword.query.documents <= EXACT_UP_TO or (keyword.narrow or NARROW_UP_TO + 1) <= NARROW_UP_TO
    arm = _VECTOR_ARM_EXACT if few else _VECTOR_ARM
    return {"vector_arm": arm.format(table=name, wanted=limits.wanted), "cosine": _COSINE.format(table=name)}


def _assemble(request: CandidateRequest, limits: Conditions, keyword: _Keyword, found: _Found) -> Candidates:
    is_candidate = found.rows["is_candidate"] == 1
    rows = found.rows[is_candidate]
    document = rows["document"].astype(np.int64)
    chosen = np.flatnonzero(is_candidate).tolist()
    return Candidates(
        query=keyword.query,
        units=fusion.Units(
            document=document,
            session=_session(document),
            ordinal=_ordinal(document),
            center=rows["center"].astype(np.float64),
            length=rows["length"].astype(np.int64),
            cosine=rows["cosine"].astype(np.float64),
            next_cosine=_next_cosine(document, found.rows),
        ),
        postings=_lending(request, limits, keyword, found, document),
        unit=[Unit(found.unit[index]) for index in chosen],
        category=[found.category[index] for index in chosen],
        event_time=_times(rows["event_time"]),
        recorded_at=_times(rows["recorded_at"]),
        keyword_hits=found.keyword_hits,
        vector_hits=found.vector_hits,
        packed_unit_ids=rows["unit_id"],
    )


def _session(document: Integers) -> Integers:
    return np.where(document > 0, document >> ORDINAL_BITS, fusion.NO_SESSION)


def _ordinal(document: Integers) -> Integers:
    return np.where(document > 0, document & _SESSION_MASK, 0)


def _next_cosine(document: Integers, rows: Postings) -> NDArray[np.float64]:
    """Return the cosine of the unit after each document, NaN where there is none."""
    if not len(document):
        return np.empty(0)
    order = np.argsort(rows["document"])
    known = rows["document"][order].astype(np.int64)
    place = np.minimum(np.searchsorted(known, document + 1), len(known) - 1)
    follows = (known[place] == document + 1) & (document > 0)
    return np.where(follows, rows["cosine"][order][place].astype(np.float64), np.nan)


def _lending(
    request: CandidateRequest, limits: Conditions, keyword: _Keyword, found: _Found, document: Integers
) -> fusion.Postings:
    """Return the postings of the candidates and of the units in their sessions that may be read."""
    read = keyword.postings[~keyword.partial[keyword.postings["term"]]]
    postings = np.concatenate([read, found.postings])
    owner = postings["document"].astype(np.int64)
    session = _session(owner)
    near = np.isin(session, document[document > 0] >> ORDINAL_BITS) | np.isin(owner, document)
    if request.filters.as_of is not None or scope.current().reach is Reach.SHARED:
        near &= np.isin(owner, _readable(limits, np.unique(owner[near])))
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
            f"SELECT d.id FROM index_document d WHERE d.id = ANY(%(documents)s::bigint[]) AND {limits.readable}",  # noqa: S608  constants only
            limits.parameters | {"documents": "{" + ",".join(map(str, documents.tolist())) + "}"},
        )
        return np.array([row[0] for row in cursor.fetchall()], dtype=np.int64)


def _times(microseconds: NDArray[Any]) -> Times:
    """Decode PostgreSQL's binary timestamps; infinity stands for unknown."""
    values = microseconds.astype(np.int64)
    return np.where(values == np.iinfo(np.int64).max, np.datetime64("NaT", "us"), _EPOCH + values.astype("m8[us]"))
