"""The second triage: what rules were not sure of, in batches, by a model where there is one, else by learned heads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db.models import QuerySet

from apps.budgets.services import meter, spending
from apps.core import providers, scope
from apps.core.scope import Scope
from apps.curation.models import Proposal, ProposalState
from apps.curation.results import Sorted
from apps.curation.services import basis, lines
from apps.curation.services.reflecting import settled
from apps.tenants import selectors as tenants
from memory_platform.consolidation import triage
from memory_platform.consolidation.triage import Reason
from memory_platform.errors import BudgetSpent, ProviderError, ProviderRetryable
from memory_platform.model import Change, CuratedLine, ProposalDraft, Triage, TriageDecision
from memory_platform.ports import ClaimPair
from memory_platform.text.terms import terms

TRIAGE_JOB: Final = "curation.triage"
OPERATION: Final = "triage"
HEADS: Final = "heads"
COMPARED: Final = 8
"""Lines of its section a proposal is compared with: those that share most words with it."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _TriageBatch:
    """Proposals by their rows' ids and versions, and the lines that stand."""

    rows: tuple[Proposal, ...]
    lines: tuple[CuratedLine, ...]

    @property
    def drafts(self) -> list[ProposalDraft]:
        return [basis.draft(row) for row in self.rows]


@dataclass(frozen=True, slots=True)
class _Judged:
    decisions: tuple[TriageDecision, ...]
    by: str = HEADS
    degraded: str = ""


def sort(*, within: Scope, fall_back: bool = True) -> Sorted:
    """Look at the next batch of proposals that wait. Called without an open scope, for a model may be asked.

    What is not sure goes on to people. One that somebody decided meanwhile is left as it is. Raises ProviderRetryable
    when a model does not answer, unless the heads are to `fall_back` on.
    """
    with scope.enter(within):
        batch = _load()
    if not batch.rows:
        return Sorted()
    judged = _judge(batch, within, fall_back=fall_back)
    with scope.enter(within):
        return _store(batch, judged)


def waiting() -> int:
    """How many proposals wait for a batch. Needs an open scope."""
    return _waiting().count()


def _load() -> _TriageBatch:
    size = tenants.policy(scope.current().tenant_id).curation_batch
    rows = tuple(_waiting().order_by("created_at", "id")[:size])
    return _TriageBatch(rows, basis.present() if rows else ())


def _judge(batch: _TriageBatch, within: Scope, *, fall_back: bool) -> _Judged:
    curator = providers.curator()
    if curator is None:
        return _Judged(_by_heads(batch))
    try:
        with spending(operation=OPERATION, within=within) as asked:
            decisions, usage = curator.review(batch.drafts, batch.lines)
            asked.usages.append(usage)
            with scope.enter(within):
                meter(operation=OPERATION, usages=(usage,))
    except ProviderError as error:
        if isinstance(error, ProviderRetryable) and not (fall_back or isinstance(error, BudgetSpent)):
            raise
        log.warning("curation.model_failed", error_class=type(error).__name__)
        return _Judged(_by_heads(batch), degraded=type(error).__name__)
    checked = zip(batch.drafts, decisions, strict=True)
    return _Judged(tuple(_allowed(draft, decision) for draft, decision in checked), curator.version)


def _allowed(draft: ProposalDraft, decision: TriageDecision) -> TriageDecision:
    """No model takes a line away, or puts an order before every agent that no user gave: people do."""
    is_order = draft.acts and not draft.is_said_by_user
    if decision.verdict is Triage.PROMOTE and (is_order or draft.change is Change.REMOVE):
        return TriageDecision(Triage.REVIEW, Reason.UNHEARD_ORDER if is_order else Reason.REMOVAL)
    return decision


def _by_heads(batch: _TriageBatch) -> tuple[TriageDecision, ...]:
    relator = providers.relator()
    compared = [_compared(draft, batch.lines) for draft in batch.drafts]
    pairs = [
        ClaimPair(line.text, draft.text, timedelta(days=abs((draft.said_on - line.said_on).days)))
        for draft, near in zip(batch.drafts, compared, strict=True)
        for line in near
    ]
    relations = iter(relator.relate(pairs) if pairs else ())
    decided = []
    for draft, near in zip(batch.drafts, compared, strict=True):
        found = triage.by_relation([(line.id, next(relations)) for line in near], relator.thresholds)
        decided.append(TriageDecision(Triage.REVIEW, Reason.REMOVAL) if draft.change is Change.REMOVE else found)
    return tuple(decided)


def _compared(draft: ProposalDraft, present: Sequence[CuratedLine]) -> list[CuratedLine]:
    """Lines of the section that share most words; of a removal none, of a replacement not the one it replaces."""
    if draft.change is Change.REMOVE:
        return []
    own = terms(draft.text).keys()
    shared = [
        (len(own & terms(line.text).keys()), line)
        for line in present
        if line.section == draft.section and line.id != draft.line_id
    ]
    nearest = sorted((each for each in shared if each[0]), key=lambda each: (-each[0], each[1].id))
    return [line for _, line in nearest[:COMPARED]]


def _store(batch: _TriageBatch, judged: _Judged) -> Sorted:
    file = lines.lock()
    seen = {row.id: row.version for row in batch.rows}
    fresh = {row.id: row for row in _waiting().select_for_update().filter(id__in=list(seen))}
    present = {entry.id for entry in lines.present()}
    counts: dict[str, int] = {}
    for row, decision in zip(batch.rows, judged.decisions, strict=True):
        held = fresh.get(row.id)
        if held is None or held.version != seen[row.id]:
            continue
        became = settled(held, file, _rechecked(held, decision, present), judged.by)
        counts[became] = counts.get(became, 0) + 1
    return Sorted(by=judged.by, degraded=judged.degraded, **counts)


def _rechecked(row: Proposal, decision: TriageDecision, present: set[UUID]) -> TriageDecision:
    """A decision about a line that went meanwhile is people's."""
    about = decision.into if decision.verdict is Triage.MERGE else row.target_id
    is_there = about is None or about in present
    return decision if is_there else TriageDecision(Triage.REVIEW, Reason.UNSURE)


def _waiting() -> "QuerySet[Proposal]":
    return Proposal.objects.filter(tenant_id=scope.current().tenant_id, state=ProposalState.WAITING)
