"""N and df of a tenant: over every document that is not hidden, whatever its audience, validity or age.

Writers append deltas; `fold` adds them up in a job, so that the figures lag by one fold at most; `recount` starts over.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import Sum

from apps.core import scope
from apps.core.scope import Reach
from apps.index.models import CorpusStat, TermDelta
from apps.jobs.services import enqueue

FOLD: Final = "index.fold"
DELTAS_AT_ONCE: Final = 2_000

_COUNTED: Final = (
    "SELECT lexeme, count(*)::integer AS documents FROM index_document, unnest(lexemes) AS lexeme"
    " WHERE tenant_id = %(tenant)s AND NOT hidden GROUP BY lexeme"
)


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the statistics are: documents counted, deltas that wait, when the last fold was."""

    documents: int
    waiting: int
    folded_at: datetime | None


@dataclass(frozen=True, slots=True)
class Drift:
    """What the index says against what it holds; all zero when nothing is wrong.

    `documents` and `lexemes` are the differences of N and the number of lexemes whose df is off, waiting deltas
    included; `postings_missing` and `postings_orphaned` compare Posting with Document.lexemes.
    """

    documents: int
    lexemes: int
    postings_missing: int
    postings_orphaned: int

    @property
    def is_zero(self) -> bool:
        return not (self.documents or self.lexemes or self.postings_missing or self.postings_orphaned)


def request_fold() -> None:
    """Ask for a fold after the open transaction; one that waits already is enough."""
    enqueue(FOLD, {}, serial_key=FOLD, dedup_key=FOLD)


def delta_of(changed: str, *, sign: str, tenant: str = "%(tenant)s") -> str:
    """Return the CTE `delta` that counts the rows of the CTE `changed`, which has `lexemes`; `sign` is '' or '-'."""
    return (
        "delta AS (INSERT INTO index_term_delta (tenant_id, documents, lexemes, counts, created_at)"  # noqa: S608  constants only
        f" SELECT {tenant}, {sign}(SELECT count(*) FROM {changed}), coalesce(array_agg(t.lexeme), '{{}}'),"
        f" coalesce(array_agg({sign}t.n), '{{}}'), now()"
        f" FROM (SELECT lexeme, count(*)::integer AS n FROM {changed}, unnest(lexemes) AS lexeme GROUP BY lexeme) t"
        f" HAVING (SELECT count(*) FROM {changed}) > 0)"
    )


def fold() -> int:
    """Add waiting deltas to the statistics; returns how many were folded, at most DELTAS_AT_ONCE."""
    _lock()
    return _run(
        "WITH taken AS (DELETE FROM index_term_delta WHERE tenant_id = %(tenant)s AND id IN (SELECT id"
        " FROM index_term_delta WHERE tenant_id = %(tenant)s ORDER BY id LIMIT %(limit)s)"
        " RETURNING documents, lexemes, counts),"
        " terms AS (INSERT INTO index_term_stat AS s (tenant_id, lexeme, documents)"
        " SELECT %(tenant)s, u.lexeme, sum(u.n) FROM taken, unnest(lexemes, counts) AS u(lexeme, n)"
        " GROUP BY u.lexeme HAVING sum(u.n) <> 0"
        " ON CONFLICT (tenant_id, lexeme) DO UPDATE SET documents = s.documents + excluded.documents),"
        " corpus AS (INSERT INTO index_corpus_stat AS s (tenant_id, documents, folded_at)"
        " SELECT %(tenant)s, coalesce(sum(documents), 0), now() FROM taken"
        " ON CONFLICT (tenant_id) DO UPDATE"
        " SET documents = s.documents + excluded.documents, folded_at = excluded.folded_at)"
        " SELECT count(*) FROM taken",
        {"limit": DELTAS_AT_ONCE},
    )


def recount() -> int:
    """Count everything anew from the documents; returns N. Raises NoScope in a scope that does not see all of them."""
    _require_whole_reach()
    _lock()
    return _run(
        "WITH waiting AS (DELETE FROM index_term_delta WHERE tenant_id = %(tenant)s),"  # noqa: S608  constants only
        f" counted AS MATERIALIZED ({_COUNTED}),"
        " unknown AS (DELETE FROM index_term_stat s WHERE s.tenant_id = %(tenant)s"
        " AND NOT EXISTS (SELECT FROM counted c WHERE c.lexeme = s.lexeme)),"
        " known AS (INSERT INTO index_term_stat (tenant_id, lexeme, documents)"
        " SELECT %(tenant)s, lexeme, documents FROM counted"
        " ON CONFLICT (tenant_id, lexeme) DO UPDATE SET documents = excluded.documents)"
        " INSERT INTO index_corpus_stat (tenant_id, documents, folded_at)"
        " SELECT %(tenant)s, count(*), now() FROM index_document WHERE tenant_id = %(tenant)s AND NOT hidden"
        " ON CONFLICT (tenant_id) DO UPDATE SET documents = excluded.documents, folded_at = excluded.folded_at"
        " RETURNING documents",
        {},
    )


def standing() -> Standing:
    tenant_id = scope.current().tenant_id
    corpus = CorpusStat.objects.filter(tenant_id=tenant_id).first()
    deltas = TermDelta.objects.filter(tenant_id=tenant_id)
    waiting = deltas.aggregate(documents=Sum("documents"))["documents"] or 0
    return Standing(
        documents=(corpus.documents if corpus else 0) + waiting,
        waiting=deltas.count(),
        folded_at=corpus.folded_at if corpus else None,
    )


def drift() -> Drift:
    """Compare statistics and postings with the documents, repairing nothing. Raises NoScope as `recount` does."""
    _require_whole_reach()
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH counted AS ({_COUNTED}), stated AS (SELECT lexeme, sum(n) AS documents FROM ("  # noqa: S608  constants only
            " SELECT lexeme, documents AS n FROM index_term_stat WHERE tenant_id = %(tenant)s"
            " UNION ALL SELECT u.lexeme, u.n FROM index_term_delta d, unnest(d.lexemes, d.counts) AS u(lexeme, n)"
            " WHERE d.tenant_id = %(tenant)s) s GROUP BY lexeme HAVING sum(n) <> 0),"
            " wanted AS (SELECT id, unnest(lexemes) AS lexeme FROM index_document"
            " WHERE tenant_id = %(tenant)s AND NOT hidden),"
            " held AS (SELECT document_id AS id, lexeme FROM index_posting WHERE tenant_id = %(tenant)s)"
            " SELECT (SELECT count(*) FROM index_document WHERE tenant_id = %(tenant)s AND NOT hidden)"
            " - coalesce((SELECT documents FROM index_corpus_stat WHERE tenant_id = %(tenant)s), 0)"
            " - coalesce((SELECT sum(documents) FROM index_term_delta WHERE tenant_id = %(tenant)s), 0),"
            " (SELECT count(*) FROM counted c FULL JOIN stated s USING (lexeme)"
            " WHERE c.documents IS DISTINCT FROM s.documents),"
            " (SELECT count(*) FROM (TABLE wanted EXCEPT TABLE held) m),"
            " (SELECT count(*) FROM (TABLE held EXCEPT TABLE wanted) o)",
            {"tenant": scope.current().tenant_id},
        )
        return Drift(*map(int, cursor.fetchone()))


def _require_whole_reach() -> None:
    if scope.current().reach is not Reach.TENANT:
        raise scope.NoScope("Statistics range over the whole tenant; open a scope without an agent.")


def _lock() -> None:
    """One fold or recount of a tenant at a time. Taken before the statement, whose snapshot must be younger."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{FOLD} {scope.current().tenant_id}"])


def _run(sql: str, parameters: dict[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"tenant": scope.current().tenant_id, **parameters})
        return int(cursor.fetchone()[0])
