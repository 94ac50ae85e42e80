"""When a summary is written: some time after its items changed, at once when one was forgotten, and what was missed."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Final
from uuid import UUID

from django.db.models import Q

from apps.core import clock, rows, scope
from apps.jobs.services import NewJob, enqueue_many
from apps.memory import filing
from apps.memory.filing import Filing
from apps.summaries.models import CategorySummary
from apps.summaries.selectors import columns, filing_of
from apps.tenants import selectors as tenants

WRITE_JOB: Final = "summaries.write"
REWRITE_JOB: Final = "summaries.rewrite"
"""From scratch."""
ONE_AFTER_ANOTHER: Final = "summaries"
"""A tenant's summaries are written in turn."""
SUMMARIES_PER_JOB: Final = 10


def follow(item_ids: Sequence[UUID]) -> int:
    """Have the summaries of the items' categories written once the tenant's time of rest is over; returns how many.

    Items that were forgotten do not wait, and begin no summary: an erasure forgets before it erases.
    """
    filings = filing.filings_of(item_ids)
    _begin([each for each, are_forgotten in filings.items() if False in are_forgotten])
    heads = _held(filings)
    now = clock.now()
    later = now + timedelta(seconds=tenants.policy(scope.current().tenant_id).summary_debounce_seconds)
    enqueue_many([_write(head, now if True in filings[each] else later) for each, head in heads.items()])
    return len(heads)


def due() -> list[Filing]:
    """Filings whose summary is not written, or not from scratch, and those whose items are others now, or gone."""
    current = {each.filing: each.digest for each in filing.filed()}
    held = {filing_of(row): row for row in CategorySummary.objects.filter(tenant_id=scope.current().tenant_id)}
    changed = [each for each, digest in current.items() if not _is_whole(held.get(each), digest)]
    emptied = [each for each, row in held.items() if each not in current and row.digest]
    return [*changed, *emptied]


def rewrite(filings: Sequence[Filing]) -> int:
    """Have the summaries of these filings written from scratch; returns how many jobs do. Repeating it is harmless."""
    _begin(filings)
    ids = [str(one) for one in _held(filings).values()]
    starts = range(0, len(ids), SUMMARIES_PER_JOB)
    jobs = [
        NewJob(REWRITE_JOB, {"summaries": ids[start : start + SUMMARIES_PER_JOB]}, ONE_AFTER_ANOTHER)
        for start in starts
    ]
    enqueue_many(jobs)
    return len(jobs)


def _is_whole(row: CategorySummary | None, digest: str) -> bool:
    return row is not None and row.is_whole and row.digest == digest


def _begin(filings: Collection[Filing]) -> None:
    """Make the rows of summaries that are not there."""
    tenant_id = scope.current().tenant_id
    rows.insert([CategorySummary(tenant_id=tenant_id, **columns(each)) for each in filings], ignore_conflicts=True)


def _held(filings: Collection[Filing]) -> dict[Filing, UUID]:
    """The rows of the summaries that there are."""
    if not filings:
        return {}
    wanted = reduce(or_, (Q(**columns(each)) for each in filings))
    held = CategorySummary.objects.filter(wanted, tenant_id=scope.current().tenant_id)
    return {filing_of(row): row.id for row in held}


def _write(summary_id: UUID, run_after: datetime) -> NewJob:
    arguments = {"summaries": [str(summary_id)]}
    return NewJob(WRITE_JOB, arguments, ONE_AFTER_ANOTHER, f"{WRITE_JOB} {summary_id}", run_after)
