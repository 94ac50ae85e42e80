"""Reflection: what changed in the memories agents share becomes proposals, and what rules can decide is decided."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog

from apps.budgets.services import meter, spending
from apps.core import clock, providers, scope
from apps.core.scope import Scope
from apps.curation.models import CuratedEntry, CuratedFile, Proposal, ProposalState, Removal
from apps.curation.results import Sorted
from apps.curation.services import basis, deciding, lines
from apps.journal.services import record
from apps.memory import commons
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.consolidation import reflecting, triage
from memory_platform.consolidation.triage import Numbers
from memory_platform.errors import BudgetSpent, ProviderError, ProviderRetryable
from memory_platform.model import Change, CuratedFact, CuratedLine, JournalLine, ProposalDraft, Triage, TriageDecision
from memory_platform.ports import Curator
from memory_platform.text.redaction import redact

REFLECT_JOB: Final = "curation.reflect"
OPERATION: Final = "reflect"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Basis:
    """What a reflection looks at: what changed behind `after`, up to `reached`, and the lines that stand."""

    facts: tuple[CuratedFact, ...]
    lines: tuple[CuratedLine, ...]
    after: int
    reached: int
    policy: Policy


@dataclass(frozen=True, slots=True)
class _Thought:
    """Proposals, who made them (`degraded`: why not the model), and how many of a model's were not believed."""

    drafts: tuple[ProposalDraft, ...]
    by: str = lines.RULES
    degraded: str = ""
    refused: int = 0


def reflect(*, within: Scope, fall_back: bool = True) -> Sorted:
    """Propose what the shared memories that changed since the last reflection would change in the curated memory.

    Called without an open scope, so that no transaction waits for a model. Repeating it proposes nothing twice. Raises
    ProviderRetryable when a model does not answer, unless the rules are to `fall_back` on.
    """
    with scope.enter(within):
        looked_at = _load()
    thought = _think(looked_at, within, fall_back=fall_back)
    with scope.enter(within):
        file = lines.lock()
        if file.reflected != looked_at.after:
            return Sorted()
        done = _store(thought, looked_at, file)
        file.reflected, file.reflected_at = looked_at.reached, clock.now()
        file.save(update_fields=["reflected", "reflected_at"])
        record(JournalLine("curation.reflected", data=_counts(done)))
    return done


def is_behind() -> bool:
    """Whether there is more to look at. Needs an open scope."""
    return bool(commons.changed_since(_reflected(), most=1)[0])


def _reflected() -> int:
    """Up to which change of the shared memories was looked; 0: nothing was."""
    found = CuratedFile.objects.filter(tenant_id=scope.current().tenant_id).values_list("reflected", flat=True)
    return found.first() or 0


def numbers_of(policy: Policy) -> Numbers:
    return Numbers(
        promote_above=policy.curation_promote_above,
        reject_below=policy.curation_reject_below,
        near_from=policy.curation_near_from,
        minimum_length=policy.curation_minimum_length,
    )


def _load() -> _Basis:
    tenant_id = scope.current().tenant_id
    policy = tenants.policy(tenant_id)
    after = _reflected()
    ids, reached = commons.changed_since(after, most=policy.reflection_items)
    present = basis.present()
    successors = [one for line in present for one in line.successors]
    facts = basis.facts(list(dict.fromkeys([*ids, *successors])))
    return _Basis(facts, present, after, reached, policy)


def _think(looked_at: _Basis, within: Scope, *, fall_back: bool) -> _Thought:
    """The model's proposals where there is one, else those by rules, which are not asked for what no fact says."""
    curator = providers.curator()
    if curator is None or not looked_at.facts:
        return _Thought(_by_rule(looked_at, looked_at.facts))
    try:
        return _asked(curator, looked_at, within)
    except ProviderError as error:
        if isinstance(error, ProviderRetryable) and not (fall_back or isinstance(error, BudgetSpent)):
            raise
        log.warning("curation.model_failed", error_class=type(error).__name__)
        return _Thought(_by_rule(looked_at, looked_at.facts), degraded=type(error).__name__)


def _asked(curator: Curator, looked_at: _Basis, within: Scope) -> _Thought:
    """What the model words must stand in its evidence; what does not is proposed in the facts' own words."""
    with spending(operation=OPERATION, within=within) as asked:
        given, usage = curator.reflect(looked_at.facts, looked_at.lines)
        asked.usages.append(usage)
        with scope.enter(within):
            meter(operation=OPERATION, usages=(usage,))
    facts = {fact.id: fact for fact in looked_at.facts}
    doubtful = [draft for draft in given if not _is_believed(draft, facts)]
    kept = [draft for draft in given if draft not in doubtful]
    again = {item_id for draft in doubtful for item_id in draft.item_ids}
    # Lines whose memories are gone, and too many of them, are the rules' to notice.
    rest = _by_rule(looked_at, [fact for fact in looked_at.facts if fact.id in again])
    named = {draft.line_id for draft in kept if draft.line_id is not None}
    drafts = (*kept, *(draft for draft in rest if draft.line_id is None or draft.line_id not in named))
    return _Thought(drafts, curator.version, refused=len(doubtful))


def _is_believed(draft: ProposalDraft, facts: Mapping[UUID, CuratedFact]) -> bool:
    if draft.change is Change.REMOVE:
        return True
    return not reflecting.unsupported(draft, [facts[one] for one in draft.item_ids])


def _by_rule(looked_at: _Basis, facts: Sequence[CuratedFact]) -> tuple[ProposalDraft, ...]:
    policy = looked_at.policy
    return reflecting.reflect(
        facts, looked_at.lines, near_from=policy.curation_near_from, most_lines=policy.curation_entries
    )


def _store(thought: _Thought, looked_at: _Basis, file: CuratedFile) -> Sorted:
    filing = _ProposalIntake(file, numbers_of(looked_at.policy), thought.by, _known(thought.drafts), _open_additions())
    for draft in thought.drafts:
        filing.file(draft)
    read, worded = _letters(thought.drafts, looked_at.facts)
    return Sorted(
        facts=len(looked_at.facts),
        refused=thought.refused,
        letters_read=read,
        letters_worded=worded,
        by=thought.by,
        degraded=thought.degraded,
        **filing.became,
        **reflecting.left_out(looked_at.facts, looked_at.lines, thought.drafts),
    )


def _letters(drafts: Sequence[ProposalDraft], facts: Sequence[CuratedFact]) -> tuple[int, int]:
    """How long the memories are that what is to be written rests on, and how long that is itself."""
    lengths = {fact.id: len(fact.text) for fact in facts}
    written = [draft for draft in drafts if draft.change is not Change.REMOVE]
    read = sum(lengths.get(item_id, 0) for draft in written for item_id in draft.item_ids)
    return read, sum(len(draft.text) for draft in written)


class _ProposalIntake:
    """Stores proposals one after another, each compared with the lines and the open proposals as they are by then."""

    def __init__(
        self, file: CuratedFile, numbers: Numbers, by: str, known: dict[str, Proposal], open_rows: list[Proposal]
    ) -> None:
        self.became: Counter[str] = Counter()
        self._file = file
        self._numbers = numbers
        self._by = by
        self._known = known
        self._open = open_rows
        self._lines = basis.present()

    def file(self, draft: ProposalDraft) -> None:
        """A proposal made before stands as it was decided, unless what it rests on was forgotten and is back."""
        claim = reflecting.claim_of(draft)
        row = self._known.get(claim)
        if row is not None and not _is_back(row):
            self.became["known"] += 1
        elif row is None and (supported := _supported(draft, self._open, self._numbers.near_from)) is not None:
            _support(supported, draft)
            self.became["supported"] += 1
        else:
            self.became["proposed"] += 1
            self.became[self._sorted(self._opened(row, claim, draft), draft)] += 1

    def _opened(self, row: Proposal | None, claim: str, draft: ProposalDraft) -> Proposal:
        """The proposal made before, or a new one."""
        if row is None:
            row = self._known[claim] = _made(draft, claim, self._by)
        else:
            deciding.reopen(row, draft)
        return row

    def _sorted(self, row: Proposal, draft: ProposalDraft) -> str:
        """Triage by rule; what it is not sure of waits for the next batch."""
        decision = triage.by_rule(draft, self._lines, self._numbers)
        if decision.verdict is Triage.REVIEW:
            deciding.move(row, ProposalState.WAITING, decision.reason)
            self._open += [row] if draft.change is Change.ADD else []
            return "waiting"
        became = settled(row, self._file, decision, lines.RULES)
        if decision.verdict is Triage.PROMOTE:
            self._lines = basis.present()
        return became


def settled(row: Proposal, file: CuratedFile, decision: TriageDecision, by: str) -> str:
    """Do what triage says; the name of the count it belongs to."""
    deciding.settle(row, file, decision, by)
    return {
        Triage.PROMOTE: "promoted",
        Triage.REJECT: "rejected",
        Triage.MERGE: "merged",
        Triage.REVIEW: "queued",
    }[decision.verdict]


def _known(drafts: Sequence[ProposalDraft]) -> dict[str, Proposal]:
    claims = [reflecting.claim_of(draft) for draft in drafts]
    found = Proposal.objects.select_for_update().filter(tenant_id=scope.current().tenant_id, claim__in=claims)
    return {row.claim: row for row in found}


def _is_back(row: Proposal) -> bool:
    """Whether it went because its memories were over, which they are no more."""
    if row.state == ProposalState.REJECTED:
        return row.reason in {deciding.FORGOTTEN, deciding.OUTDATED}
    entry_id = row.entry_id if row.state == ProposalState.APPROVED else row.target_id
    if entry_id is None or row.state not in {ProposalState.APPROVED, ProposalState.MERGED}:
        return False
    return CuratedEntry.objects.filter(tenant_id=row.tenant_id, id=entry_id, removal=Removal.FORGOTTEN).exists()


def _open_additions() -> list[Proposal]:
    found = Proposal.objects.select_for_update().filter(
        tenant_id=scope.current().tenant_id, state__in=deciding.OPEN, change=Change.ADD.value
    )
    return list(found.order_by("id"))


def _supported(draft: ProposalDraft, open_rows: Sequence[Proposal], near_from: float) -> Proposal | None:
    """The open proposal that nearly says what another would."""
    if draft.change is not Change.ADD:
        return None
    near = (
        row
        for row in open_rows
        if row.section == draft.section
        and reflecting.are_near(row.text, draft.text, near_from=near_from, negated=row.is_negated != draft.is_negated)
    )
    return next(near, None)


def _support(row: Proposal, draft: ProposalDraft) -> None:
    """More memories say it: no proposal of its own."""
    added = [one for one in draft.item_ids if one not in set(row.items)]
    if not added:
        return
    row.items += added
    row.confidence = max(row.confidence, draft.confidence)
    row.save(update_fields=["items", "confidence"])
    record(JournalLine("proposal.supported", "proposal", row.id, {"memories": len(added)}))


def _made(draft: ProposalDraft, claim: str, by: str) -> Proposal:
    row = Proposal(
        tenant_id=scope.current().tenant_id,
        section=draft.section,
        change=draft.change.value,
        text=redact(draft.text).text,
        kind=draft.kind.value,
        items=list(draft.item_ids),
        confidence=draft.confidence,
        said_on=draft.said_on,
        acts=draft.acts,
        is_said_by_user=draft.is_said_by_user,
        is_negated=draft.is_negated,
        proposed_by=by,
        claim=claim,
        target_id=draft.line_id,
        created_at=clock.now(),
    )
    row.save(force_insert=True)
    record(JournalLine("proposal.made", "proposal", row.id, {"change": row.change, "by": by}))
    return row


def _counts(done: Sorted) -> dict[str, int | str]:
    return {name: getattr(done, name) for name in Sorted.__slots__}
