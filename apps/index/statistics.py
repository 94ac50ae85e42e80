"""N and df of a tenant: over every document that is not hidden, whatever its audience, validity or age.

Writers append deltas; `fold` adds them up in a job, so that the figures lag by one fold at most; `recount` starts over.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import Sum

from apps.core import locks, scope
from apps.core.scope import Reach
from apps.core.sql import statement
from apps.index.models import CorpusStat, TermDelta
from apps.jobs.services import enqueue

FOLD: Final = "index.fold"
DELTAS_AT_ONCE: Final = 2_000


@dataclass(frozen=True, slots=True)
class StatisticsState:
    """How far the statistics are: documents counted, deltas that wait, when the last fold was."""

    documents: int
    waiting: int
    folded_at: datetime | None


@dataclass(frozen=True, slots=True)
class IndexDrift:
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
    return _run("fold_statistics", {"limit": DELTAS_AT_ONCE})


def recount() -> int:
    """Count everything anew from the documents; returns N. Raises NoScope in a scope that does not see all of them."""
    _require_whole_reach()
    _lock()
    return _run("recount_statistics", {})


def state() -> StatisticsState:
    tenant_id = scope.current().tenant_id
    corpus = CorpusStat.objects.filter(tenant_id=tenant_id).first()
    deltas = TermDelta.objects.filter(tenant_id=tenant_id)
    waiting = deltas.aggregate(documents=Sum("documents"))["documents"] or 0
    return StatisticsState(
        documents=(corpus.documents if corpus else 0) + waiting,
        waiting=deltas.count(),
        folded_at=corpus.folded_at if corpus else None,
    )


def drift() -> IndexDrift:
    """Compare statistics and postings with the documents, repairing nothing. Raises NoScope as `recount` does."""
    _require_whole_reach()
    with connection.cursor() as cursor:
        cursor.execute(statement("index", "statistics_drift"), {"tenant": scope.current().tenant_id})
        return IndexDrift(*map(int, cursor.fetchone()))


def _require_whole_reach() -> None:
    if scope.current().reach is not Reach.TENANT:
        raise scope.NoScope("Statistics range over the whole tenant; open a scope without an agent.")


def _lock() -> None:
    """One fold or recount of a tenant at a time. Taken before the statement, whose snapshot must be younger."""
    locks.take_turn(f"{FOLD} {scope.current().tenant_id}")


def _run(name: str, parameters: dict[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement("index", name), {"tenant": scope.current().tenant_id, **parameters})
        return int(cursor.fetchone()[0])
