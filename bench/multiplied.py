"""A tenant ten times another, made of it by SQL in minutes: the services would take an hour on a busy machine.

Every row is copied under new ids, so that sessions, postings, vectors and mentions stay what they are to each other. No
copy repeats its original: each word becomes one as frequent, each vector is mixed with another's.
"""

from collections.abc import Mapping
from uuid import UUID

import psycopg
from psycopg import sql

WORDS_ALIKE = 16
"""Words of neighbouring frequency that take each other's place."""
SESSION_SHIFT = 1 << 40
"""Far above the sessions of the original: a document's id says which one it is in."""
VECTOR_INDEX = "index_embedding384_encoder"

_WORDS = """
CREATE TEMP TABLE same AS SELECT generate_series(0, %(copies)s - 1) AS copy;
CREATE TEMP TABLE words AS
WITH ranked AS (SELECT lexeme, row_number() OVER (ORDER BY documents DESC, lexeme) - 1 AS rank FROM index_term_stat
WHERE tenant_id = %(small)s AND documents > 0)
SELECT copy, here.lexeme AS old, there.lexeme AS new FROM same CROSS JOIN ranked here JOIN ranked there
ON there.rank / %(alike)s = here.rank / %(alike)s AND there.rank %% %(alike)s = (here.rank + copy) %% %(alike)s;
CREATE UNIQUE INDEX ON words (copy, old);
CREATE TEMP TABLE numbered AS SELECT document_id, model, text_hash, vector,
row_number() OVER (ORDER BY document_id) AS place FROM index_embedding384 WHERE tenant_id = %(small)s;
CREATE UNIQUE INDEX ON numbered (place);
ANALYZE words;
ANALYZE numbered
"""
_POSTINGS = """
INSERT INTO index_posting (tenant_id, lexeme, document_id, center, tf, length)
SELECT DISTINCT ON (words.new, row.document_id, same.copy) %(large)s, words.new,
row.document_id + same.copy * %(shift)s, row.center, row.tf, row.length
FROM index_posting row CROSS JOIN same JOIN words ON words.copy = same.copy AND words.old = row.lexeme
WHERE row.tenant_id = %(small)s
"""
_VECTORS = """
INSERT INTO index_embedding384 (tenant_id, document_id, model, text_hash, vector)
SELECT %(large)s, row.document_id + same.copy * %(shift)s, row.model, row.text_hash,
CASE same.copy WHEN 0 THEN row.vector ELSE l2_normalize(row.vector + other.vector) END
FROM numbered row CROSS JOIN same
JOIN numbered other ON other.place = 1 + (row.place * 7919 + same.copy * 104729) %% (SELECT count(*) FROM numbered)
"""
_STATISTICS = """
INSERT INTO index_term_stat (tenant_id, lexeme, documents)
SELECT %(large)s, lexeme, count(*) FROM index_posting WHERE tenant_id = %(large)s GROUP BY lexeme;
INSERT INTO index_corpus_stat (tenant_id, documents, folded_at)
SELECT %(large)s, count(*), now() FROM index_document WHERE tenant_id = %(large)s
"""
_LEXEMES = """
(SELECT coalesce(array_agg(words.new ORDER BY at), '{}') FROM unnest(row.lexemes) WITH ORDINALITY AS own(lexeme, at)
JOIN words ON words.copy = same.copy AND words.old = own.lexeme)
"""


def _copied(column: str) -> str:
    """A new id for each copy of a row; the same for whoever refers to it."""
    return f"md5(same.copy || row.{column}::text)::uuid"


def _once(column: str) -> str:
    """A new id for something all copies share."""
    return f"md5('once' || row.{column}::text)::uuid"


def multiply(url: str, *, small: UUID, large: UUID, agent: UUID, copies: int) -> None:
    """Fill the tenant `large` (empty, with its agent) with `copies` of what `small` holds; `url` is the superuser's."""
    names = {"small": small, "large": large, "copies": copies, "alike": WORDS_ALIKE, "shift": SESSION_SHIFT}
    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute("SET work_mem = '256MB'")
        connection.execute(_WORDS, names)
        owner = {"tenant_id": f"'{large}'::uuid", "agent_id": f"'{agent}'::uuid"}
        session = {"session_id": _copied("session_id")}
        document = {"id": f"row.id + same.copy * {SESSION_SHIFT}", "unit_id": _copied("unit_id"), "lexemes": _LEXEMES}
        mention = {"id": _copied("id"), "unit_id": _copied("unit_id")}
        shared = {"entity_id": _once("entity_id"), "alias_id": _once("alias_id")}
        external = {"external_id": "row.external_id || ' of copy ' || same.copy"}
        _copy(connection, "resources_session", {**owner, "id": _copied("id"), **external}, names)
        _copy(connection, "resources_resource", {**owner, "id": _copied("id"), **session}, names)
        _copy(connection, "index_document", {**owner, **document, **session}, names)
        connection.execute(_POSTINGS, names)
        entity = {"id": _once("id"), "mention_count": f"row.mention_count * {copies}"}
        _copy(connection, "graph_entity", {**owner, **entity}, names, once=True)
        _copy(connection, "graph_alias", {**owner, **entity, "entity_id": _once("entity_id")}, names, once=True)
        _copy(connection, "graph_mention", {**owner, **mention, **shared}, names)
        _vectors(connection, names)
        connection.execute(_STATISTICS, names)


def _copy(
    connection: "psycopg.Connection[tuple[object, ...]]",
    table: str,
    changed: Mapping[str, str],
    names: Mapping[str, object],
    *,
    once: bool = False,
) -> None:
    rows = connection.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_name = %s ORDER BY ordinal_position", [table]
    )
    columns = [str(row[0]) for row in rows.fetchall()]
    chosen = sql.SQL(", ").join(sql.SQL(changed.get(column, f'row."{column}"')) for column in columns)
    statement = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {} row CROSS JOIN same WHERE row.tenant_id = {}{}").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        chosen,
        sql.Identifier(table),
        sql.Literal(names["small"]),
        sql.SQL(" AND same.copy = 0" if once else ""),
    )
    connection.execute(statement)


def _vectors(connection: "psycopg.Connection[tuple[object, ...]]", names: Mapping[str, object]) -> None:
    """Insert without the index and build it anew: a fifth of the time of keeping it up to date row by row."""
    found = connection.execute(
        "SELECT pg_get_indexdef(oid) FROM pg_class WHERE relname = %s", [VECTOR_INDEX]
    ).fetchone()
    definition = "" if found is None else str(found[0]).replace(" ON ONLY ", " ON ")
    connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(VECTOR_INDEX)))
    connection.execute(_VECTORS, names)
    connection.execute(definition.encode())
