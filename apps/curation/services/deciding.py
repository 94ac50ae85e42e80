"""Deciding on proposals: by rule, by a model, by people. Every transition takes a version and writes a journal line."""

from typing import Final
from uuid import UUID

from apps.core import clock, scope
from apps.curation.models import CuratedEntry, CuratedFile, Proposal, ProposalState, Removal
from apps.curation.requests import Decision, ReviewDecision
from apps.curation.services import basis, lines
from apps.curation.services.lines import Amendment
from apps.journal.services import NewEvent, record, tell
from apps.memory import filing
from apps.tenants import selectors as tenants
from memory_platform.consolidation.reflecting import claim_of
from memory_platform.errors import Conflict, Invalid, NotFound
from memory_platform.model import Change, EventKind, JournalLine, ProposalDraft, Triage, TriageDecision

FORGOTTEN: Final = "forgotten"
OUTDATED: Final = "outdated"
"""Why a proposal that nobody decided is withdrawn: what it rests on was forgotten, or does not hold any more."""
OPEN: Final = (ProposalState.WAITING, ProposalState.QUEUED)
_DECIDED: Final = {
    ReviewDecision.APPROVE: "approved",
    ReviewDecision.EDIT: "edited",
    ReviewDecision.REJECT: "turned_down",
    ReviewDecision.UNDO: "undone",
}


def decide(proposal_id: UUID, given: Decision) -> Proposal:
    """Decide as somebody asks, on the version they saw. Needs an open scope of the whole tenant.

    Raises NotFound, Invalid, and Conflict when somebody else decided meanwhile, when it is (or is not yet) decided, or
    when what it is about changed or was forgotten.
    """
    file = lines.lock()
    row = _locked(proposal_id)
    if row.version != given.version:
        raise Conflict(
            f"It is at version {row.version} and {row.state}, not at version {given.version}.",
            field="version",
            hint="Somebody may have decided meanwhile: look at it again and decide on the version it has now.",
        )
    by = lines.label()
    if given.verdict is ReviewDecision.UNDO:
        _undo(row, file, by)
    elif row.state not in OPEN:
        raise Conflict(f"This is {row.state} already.", field="decision", hint="Undo that first.")
    elif given.verdict is ReviewDecision.REJECT:
        _close(row, ProposalState.REJECTED, _DECIDED[given.verdict], by, comment=given.comment)
    else:
        _approve(row, file, given, by)
    return row


def undo_refusal(row: Proposal, made: CuratedEntry | None, *, is_forgotten: bool) -> Conflict | None:
    """Why what was decided cannot be taken back; None: it can. `made` is the line it made, still there or not,
    `is_forgotten` whether all it rests on is: nobody could be asked about it again.
    """
    if row.state in OPEN:
        return Conflict("Nothing was decided on this.", field="decision")
    if is_forgotten:
        return Conflict("What this rested on was forgotten.", field="decision")
    if made is not None and made.removed is not None:
        return Conflict("The line was changed since.", field="decision", hint="Undo the later change first.")
    return None


def settle(row: Proposal, file: CuratedFile, decision: TriageDecision, by: str) -> None:
    """What triage says, done; what is to be reviewed is queued. Needs the lock."""
    if decision.verdict is Triage.PROMOTE:
        amend(row, file, by, text=row.text, section=row.section)
        _close(row, ProposalState.APPROVED, decision.reason, by)
    elif decision.verdict is Triage.REJECT:
        _close(row, ProposalState.REJECTED, decision.reason, by)
    elif decision.verdict is Triage.MERGE:
        row.target_id = decision.into
        _close(row, ProposalState.MERGED, decision.reason, by)
    else:
        move(row, ProposalState.QUEUED, decision.reason)


def amend(row: Proposal, file: CuratedFile, by: str, *, text: str, section: str, as_decision: bool = False) -> None:
    """Change the lines as a proposal says. Raises Conflict when the line it is about is no longer there."""
    before = _target(row)
    amendment = Amendment(file, by)
    if before is not None:
        amendment.remove(before, Removal.REMOVED if row.change == Change.REMOVE else Removal.REPLACED)
    if row.change != Change.REMOVE:
        entry = lines.new(section, row.kind, text, row.said_on, row.items)
        entry.replaces_id = None if before is None else before.id
        has_record = as_decision or (before is not None and before.decision is not None)
        row.entry_id = amendment.add(entry, as_decision=has_record).id
    amendment.close()


def move(row: Proposal, state: ProposalState, reason: str) -> None:
    """To another state of those that nobody decided."""
    before, row.state, row.reason = row.state, state, reason
    row.save(update_fields=["state", "reason"])
    _note(row, before, lines.RULES)


def withdraw(row: Proposal, reason: str) -> None:
    """Nobody is asked any more."""
    _close(row, ProposalState.REJECTED, reason, lines.RULES)


def reopen(row: Proposal, draft: ProposalDraft) -> None:
    """What it rested on is back, or said anew: it is proposed once more, on what the draft rests on."""
    row.items, row.confidence, row.said_on = list(draft.item_ids), draft.confidence, draft.said_on
    row.target_id = row.target_id if row.change != Change.ADD else None
    row.entry_id, row.decided_at, row.decided_by = None, None, ""
    row.version += 1
    before, row.state, row.reason = row.state, ProposalState.WAITING, "restored"
    fields = ["target", "entry", "decided_at", "decided_by", "version", "state", "reason"]
    row.save(update_fields=[*fields, "items", "confidence", "said_on"])
    _note(row, before, lines.RULES)


def _approve(row: Proposal, file: CuratedFile, given: Decision, by: str) -> None:
    text, section = _wording(row, given)
    if _is_forgotten(row):
        raise Conflict("What this rests on was forgotten.", hint="Reject it.")
    amend(row, file, by, text=text, section=section, as_decision=given.as_decision)
    _close(row, ProposalState.APPROVED, _DECIDED[given.verdict], by, comment=given.comment)


def _wording(row: Proposal, given: Decision) -> tuple[str, str]:
    """The words and the section a line gets. Raises Invalid."""
    if given.verdict is ReviewDecision.APPROVE:
        if given.text is not None or given.section is not None:
            raise Invalid("Text and section belong to the decision edit.", field="decision")
        return row.text, row.section
    if row.change == Change.REMOVE:
        raise Invalid("A removal has no words to edit.", field="decision", hint="Approve or reject it.")
    if given.text is None and given.section is None:
        raise Invalid("An edit says a text or a section.", field="text", hint="Approve what is to stay as it is.")
    section = given.section or row.section
    if section not in {rule.slug for rule in tenants.category_rules(row.tenant_id)}:
        raise Invalid("There is no such category.", field="section")
    return given.text or row.text, section


def _undo(row: Proposal, file: CuratedFile, by: str) -> None:
    made = None if row.entry_id is None else _entry(row, row.entry_id)
    if (refusal := undo_refusal(row, made, is_forgotten=_is_forgotten(row))) is not None:
        raise refusal
    if row.state == ProposalState.APPROVED:
        _take_back(row, made, Amendment(file, by))
    if row.state == ProposalState.MERGED:
        row.target_id = None
    row.entry_id, row.comment = None, ""
    _close(row, ProposalState.QUEUED, _DECIDED[ReviewDecision.UNDO], by)


def _take_back(row: Proposal, made: CuratedEntry | None, amendment: Amendment) -> None:
    if made is not None:
        amendment.remove(made, Removal.UNDONE)
    if row.target_id is not None:
        row.target_id = amendment.add_again(_entry(row, row.target_id)).id
        # What people took back is not proposed again of the line that took its place.
        row.claim = claim_of(basis.draft(row))
    amendment.close()


def _entry(row: Proposal, entry_id: UUID) -> CuratedEntry:
    """A line that a proposal names, still there or not."""
    return CuratedEntry.objects.get(tenant_id=row.tenant_id, id=entry_id)


def _is_forgotten(row: Proposal) -> bool:
    """Whether there was something it rests on, and all of it is forgotten."""
    return bool(row.items) and not filing.unforgotten(row.items)


def _target(row: Proposal) -> CuratedEntry | None:
    if row.change == Change.ADD:
        return None
    found = None if row.target_id is None else lines.line(row.target_id)
    if found is None:
        raise Conflict("The line this is about is no longer there.", field="decision", hint="Reject it.")
    return found


def _close(row: Proposal, state: ProposalState, reason: str, by: str, *, comment: str = "") -> None:
    before = row.state
    row.state, row.reason, row.comment = state, reason, comment
    row.decided_by, row.decided_at = by, clock.now()
    row.version += 1
    row.save(
        update_fields=["state", "reason", "comment", "decided_by", "decided_at", "version", "target", "entry", "claim"]
    )
    _note(row, before, by)


def _note(row: Proposal, before: str, by: str) -> None:
    told = {"before": before, "after": str(row.state), "reason": row.reason, "by": by, "version": row.version}
    record(JournalLine(f"proposal.{row.state}", "proposal", row.id, told))
    if row.state == ProposalState.QUEUED:
        tell([NewEvent(EventKind.PROPOSAL, "proposal", row.id, None, None)])


def _locked(proposal_id: UUID) -> Proposal:
    rows = Proposal.objects.select_for_update().filter(tenant_id=scope.current().tenant_id, id=proposal_id)
    if (found := rows.first()) is None:
        raise NotFound("There is no such proposal.", field="id")
    return found
