"""Writing a summary: by the configured model where there is one and what it says stands in the items, else by rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog

from apps.budgets.services import meter, spending
from apps.core import clock, providers, scope
from apps.core.scope import Scope
from apps.journal.services import record
from apps.memory import filing
from apps.summaries import drafting
from apps.summaries.drafting import Draft, Gathered
from apps.summaries.models import CategorySummary, SummaryVersion
from apps.summaries.results import Written
from apps.summaries.selectors import filing_of
from apps.tenants import selectors as tenants
from memory_platform.consolidation.summarising import WRITER, unsupported
from memory_platform.errors import BudgetSpent, ProviderError, ProviderRetryable
from memory_platform.model import JournalLine, SummaryLine, SummarySection
from memory_platform.ports import Summariser
from memory_platform.text.redaction import redact

OPERATION: Final = "summarise"
UNSUPPORTED: Final = "unsupported"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _SummaryToWrite:
    """A summary to be written: what from, its present text, and the digest of the items as they were read.

    `seen` are all items that whoever writes it reads of.
    """

    row: CategorySummary
    basis: Gathered
    digest: str
    present: str
    seen: frozenset[UUID]
    from_scratch: bool


def write(summary_ids: Sequence[UUID], *, within: Scope, from_scratch: bool = False, fall_back: bool = True) -> Written:
    """Write summaries whose items have changed; `from_scratch` those, too, that a model went on with since.

    Called without an open scope, so that no transaction waits for a model. One that stands as it is gets no version.
    Raises ProviderRetryable when a model does not answer, unless the rules are to `fall_back` on.
    """
    counts = Written()
    for summary_id in summary_ids:
        counts = _added(counts, _write(summary_id, within, from_scratch=from_scratch, fall_back=fall_back))
    return counts


def _write(summary_id: UUID, within: Scope, *, from_scratch: bool, fall_back: bool) -> Written:
    with scope.enter(within):
        task = _task(summary_id, from_scratch=from_scratch)
    if task is None:
        return Written(unchanged=1)
    draft = _drafted(task, within, fall_back=fall_back)
    with scope.enter(within):
        is_new = _store(task, draft)
    refused = int(draft.degraded == UNSUPPORTED)
    return Written(written=int(is_new), unchanged=int(not is_new), refused=refused)


def _task(summary_id: UUID, *, from_scratch: bool) -> _SummaryToWrite | None:
    """What is to be done about a summary; None when it stands."""
    row = CategorySummary.objects.filter(tenant_id=scope.current().tenant_id, id=summary_id).first()
    if row is None:
        return None
    wanted = filing_of(row)
    digest = filing.digest(wanted)
    if row.number and row.digest == digest and (row.is_whole or not from_scratch):
        return None
    last = _last(row)
    basis = drafting.gathered(wanted, known=frozenset(last.item_ids) if last else frozenset())
    # What a forgotten item said must not come back out of the present text.
    is_sound = last is not None and filing.unforgotten(last.item_ids).issuperset(last.item_ids)
    present = last.text if last is not None and is_sound and not from_scratch else ""
    seen = frozenset(item.id for item in basis.items) | frozenset(last.item_ids if last is not None and present else ())
    return _SummaryToWrite(row, basis, digest, present, seen, from_scratch=from_scratch or not present)


def _last(row: CategorySummary) -> SummaryVersion | None:
    return SummaryVersion.objects.filter(tenant_id=row.tenant_id, summary_id=row.id, number=row.number).first()


def _drafted(task: _SummaryToWrite, within: Scope, *, fall_back: bool) -> Draft:
    """The model's draft if it may stand, else the one by rules. A spent budget is not waited for."""
    summariser = providers.summariser()
    if summariser is None or not task.basis.facts:
        return drafting.arranged(task.basis)
    try:
        sections = _asked(summariser, task, within)
    except ProviderError as error:
        if isinstance(error, ProviderRetryable) and not (fall_back or isinstance(error, BudgetSpent)):
            raise
        log.warning("summaries.model_failed", error_class=type(error).__name__)
        return drafting.arranged(task.basis, degraded=type(error).__name__)
    if unsupported(task.basis.label, sections, task.basis.facts):
        return drafting.arranged(task.basis, degraded=UNSUPPORTED)
    return drafting.composed(task.basis, sections, writer=summariser.version)


def _asked(summariser: Summariser, task: _SummaryToWrite, within: Scope) -> tuple[SummarySection, ...]:
    agent_id, basis = task.row.agent_id, task.basis
    with spending(operation=OPERATION, within=within, agent_id=agent_id) as asked:
        sections, usage = summariser.summarise(basis.label, basis.facts, present=task.present)
        asked.usages.append(usage)
        with scope.enter(within):
            meter(operation=OPERATION, usages=(usage,), agent_id=agent_id)
    return tuple(map(_redacted, sections))


def _redacted(section: SummarySection) -> SummarySection:
    lines = tuple(SummaryLine(redact(line.text).text, line.facts) for line in section.lines)
    return SummarySection(redact(section.heading).text, lines)


def _store(task: _SummaryToWrite, draft: Draft) -> bool:
    """Add the version, unless it says what the last one says, or something in it was forgotten since; whether it was
    added.
    """
    row = CategorySummary.objects.select_for_update().filter(tenant_id=task.row.tenant_id, id=task.row.id).first()
    if row is None or not filing.unforgotten(list(task.seen)).issuperset(task.seen):
        return False
    last = _last(row)
    is_new = draft.text != (last.text if last else "") or (last is not None and last.writer != draft.writer)
    if is_new:
        row.number += 1
        row.updated_at = clock.now()
        _add_version(row, draft)
    elif last is not None and tuple(last.item_ids) != draft.item_ids:
        last.item_ids = list(draft.item_ids)
        last.save(update_fields=["item_ids"])
    row.digest = task.digest
    row.is_whole = not draft.degraded and (task.from_scratch or draft.writer == WRITER)
    row.save(update_fields=["number", "updated_at", "digest", "is_whole"])
    return is_new


def _add_version(row: CategorySummary, draft: Draft) -> None:
    SummaryVersion.objects.create(
        tenant_id=row.tenant_id,
        agent_id=row.agent_id,
        user_id=row.user_id,
        visibility=row.visibility,
        summary=row,
        number=row.number,
        text=draft.text,
        writer=draft.writer,
        degraded=draft.degraded,
        item_ids=list(draft.item_ids),
        at=row.updated_at,
    )
    kept = tenants.policy(row.tenant_id).summary_versions
    SummaryVersion.objects.filter(tenant_id=row.tenant_id, summary_id=row.id, number__lte=row.number - kept).delete()
    data = {"version": row.number, "writer": draft.writer, "items": len(draft.item_ids)}
    record(JournalLine("summary.written", "summary", row.id, data), agent_id=row.agent_id)


def _added(counts: Written, more: Written) -> Written:
    return Written(counts.written + more.written, counts.unchanged + more.unchanged, counts.refused + more.refused)
