"""What candidates become, as rows not yet written: items, and rejections of what becomes none."""

from collections.abc import Mapping
from datetime import datetime

from apps.core import scope
from apps.core.ids import new_id
from apps.memory.models import Item, Rejection, RejectionStage
from apps.memory.services.candidates import Candidate, Origin
from apps.tenants import selectors as tenants
from memory_platform.lifecycle.belief import believed_from
from memory_platform.model import Dropped


def item_of(candidate: Candidate, now: datetime, **fields: object) -> Item:
    """A candidate as the item it becomes; `fields` are what was decided about it."""
    fact, origin = candidate.fact, candidate.origin
    carried, moment = candidate.carried, believed_from(said_at=origin.said_at, heard_at=now)
    columns: Mapping[str, object] = {
        "confidence": candidate.confidence,
        "valid_from": candidate.valid_from or origin.said_at,
        "valid_until": candidate.valid_until,
        "dedup_pending": candidate.pending,
        "verdict_reason": candidate.gate.reason.value,
        "status": carried.status.value,
        "status_reason": carried.status_reason,
        **fields,
    }
    return Item(
        id=new_id(),
        tenant_id=scope.current().tenant_id,
        agent_id=origin.audience.agent_id,
        user_id=origin.audience.user_id,
        visibility=origin.audience.visibility.value,
        session_id=origin.session_id,
        external_id=candidate.external_id,
        text=fact.text,
        lead_in=fact.lead_in,
        claim_hash=candidate.claim_hash,
        subject=fact.slot.subject,
        attribute=fact.slot.attribute,
        value=fact.slot.value,
        qualifier=fact.slot.qualifier,
        standing=fact.slot.standing.value,
        mood=fact.mood.value,
        is_negated=fact.is_negated,
        said_by=fact.said_by,
        reported_by=fact.reported_by[:200],
        language=fact.language,
        kind=fact.kind.value,
        category=fact.category,
        filed_by=(carried.filed_by or fact.filed_by).value,
        taxonomy_version=tenants.taxonomy_version(scope.current().tenant_id),
        service=fact.service or "",
        entity_names=list(fact.entities),
        strength=fact.strength.value,
        sentiment=fact.sentiment.value,
        priority=fact.priority.value,
        reinforced_at=moment,
        verdict=candidate.gate.verdict.value,
        event_time=fact.event_time or origin.said_at,
        said_at=origin.said_at,
        recorded_at=min(carried.recorded_at or moment, now),
        **columns,
    )


def left_out(origin: Origin, dropped: Dropped) -> Rejection:
    """What the extractor found not worth keeping, as the row that says so."""
    return _rejection(origin, text=dropped.text, stage=RejectionStage.EXTRACTION, reason=dropped.reason)


def rejected(candidate: Candidate, *, stage: RejectionStage, reason: str, detail: str) -> Rejection:
    """A candidate that becomes no item, as the row that says which stage said so and why."""
    return _rejection(
        candidate.origin,
        text=candidate.fact.text,
        stage=stage,
        reason=reason,
        verdict=candidate.gate.verdict,
        detail=detail,
        scores={"usefulness": round(candidate.gate.score, 4), "confidence": round(candidate.confidence, 4)},
    )


def _rejection(origin: Origin, **columns: object) -> Rejection:
    return Rejection(
        tenant_id=scope.current().tenant_id,
        agent_id=origin.audience.agent_id,
        user_id=origin.audience.user_id,
        visibility=origin.audience.visibility,
        resource_id=origin.resource_id,
        **columns,
    )
