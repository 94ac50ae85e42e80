"""Triage: what becomes of a proposal for the curated memory before anybody looks at it, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from memory_platform.consolidation.claims import claim_hash
from memory_platform.consolidation.gating import has_reference, is_artefact, visible_length
from memory_platform.consolidation.reflecting import are_near
from memory_platform.model import (
    Change,
    ClaimRelation,
    CuratedLine,
    ProposalDraft,
    RelationThresholds,
    Triage,
    TriageDecision,
)


class Reason(StrEnum):
    """Stable codes stored with every decision."""

    ARTEFACT = "artefact"
    TOO_SHORT = "too_short"
    DUPLICATE = "duplicate"
    WEAK = "weak"
    NEAR = "near"
    REFERENCE = "reference"
    SAME = "same"
    DISAGREES = "disagrees"
    UNHEARD_ORDER = "unheard_order"
    REMOVAL = "removal"
    UNSURE = "unsure"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Policy's numbers of triage; the fields are named as they are there, behind `curation_`."""

    promote_above: float = 0.8
    reject_below: float = 0.3
    near_from: float = 0.8
    minimum_length: int = 12


def by_rule(draft: ProposalDraft, lines: Sequence[CuratedLine], numbers: Numbers) -> TriageDecision:
    """Reject artefacts, what is short or weak; merge what is said already, or nearly; promote what is sure and names
    a reference, a path or a command. All else is to be looked at: removals, and orders that no user gave, whatever
    their confidence, because every agent would follow them.
    """
    if draft.change is Change.REMOVE:
        return TriageDecision(Triage.REVIEW, Reason.REMOVAL)
    if reason := _fault(draft, numbers):
        return TriageDecision(Triage.REJECT, reason)
    others = [line for line in lines if line.id != draft.line_id]
    return _merged(draft, others, numbers.near_from) or _weighed(draft, numbers.promote_above)


def by_relation(relations: Sequence[tuple[UUID, ClaimRelation]], thresholds: RelationThresholds) -> TriageDecision:
    """What a judge of claims makes of a proposal beside lines of its section (`id`, how the proposal relates to it):
    merged where one surely says the same, else on to people, who are told when one of them cannot stand beside it.
    """
    same = max(relations, key=lambda each: each[1].same, default=None)
    if same is not None and same[1].same >= thresholds.merge:
        return TriageDecision(Triage.MERGE, Reason.SAME, same[0])
    disagrees = any(one.replaces + one.conflict >= thresholds.doubt for _, one in relations)
    return TriageDecision(Triage.REVIEW, Reason.DISAGREES if disagrees else Reason.UNSURE)


def _fault(draft: ProposalDraft, numbers: Numbers) -> Reason | None:
    if is_artefact(draft.text):
        return Reason.ARTEFACT
    if visible_length(draft.text) < numbers.minimum_length:
        return Reason.TOO_SHORT
    return Reason.WEAK if draft.confidence < numbers.reject_below else None


def _merged(draft: ProposalDraft, lines: Sequence[CuratedLine], near_from: float) -> TriageDecision | None:
    own = claim_hash(draft.text)
    for line in lines:
        if claim_hash(line.text) == own:
            return TriageDecision(Triage.MERGE, Reason.DUPLICATE, line.id)
    for line in lines:
        if are_near(draft.text, line.text, near_from=near_from, negated=draft.is_negated != line.is_negated):
            return TriageDecision(Triage.MERGE, Reason.NEAR, line.id)
    return None


def _weighed(draft: ProposalDraft, promote_above: float) -> TriageDecision:
    if draft.acts and not draft.is_said_by_user:
        return TriageDecision(Triage.REVIEW, Reason.UNHEARD_ORDER)
    if draft.confidence > promote_above and has_reference(draft.text):
        return TriageDecision(Triage.PROMOTE, Reason.REFERENCE)
    return TriageDecision(Triage.REVIEW, Reason.UNSURE)
