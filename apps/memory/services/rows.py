"""What candidates become, as rows not yet written: items, and rejections of what becomes none."""

from datetime import datetime

from apps.core import scope
from apps.core.ids import new_id
from apps.memory.models import Item, Rejection, RejectionStage
from apps.memory.services.candidates import Candidate, Origin
from apps.tenants import selectors as tenants
from memory_platform.lifecycle.belief import believed_from
from memory_platform.model import Dropped, Fact


def item_of(candidate: Candidate, now: datetime, **fields: object) -> Item:
    """A candidate as the item it becomes; `fields` are what was decided about it."""
    origin = candidate.origin
    columns = {
        **_audience(origin),
        **_told(candidate.fact),
        **_classified(candidate),
        **_judged(candidate),
        **_times(candidate, now),
        **fields,
    }
    return Item(id=new_id(), session_id=origin.session_id, **columns)


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
    return Rejection(resource_id=origin.resource_id, **_audience(origin), **columns)


def _audience(origin: Origin) -> dict[str, object]:
    audience = origin.audience
    return {
        "tenant_id": scope.current().tenant_id,
        "agent_id": audience.agent_id,
        "user_id": audience.user_id,
        "visibility": audience.visibility.value,
    }


def _told(fact: Fact) -> dict[str, object]:
    """What the words say."""
    return {
        "text": fact.text,
        "lead_in": fact.lead_in,
        "subject": fact.slot.subject,
        "attribute": fact.slot.attribute,
        "value": fact.slot.value,
        "qualifier": fact.slot.qualifier,
        "standing": fact.slot.standing.value,
        "mood": fact.mood.value,
        "is_negated": fact.is_negated,
        "said_by": fact.said_by,
        "reported_by": fact.reported_by[:200],
        "language": fact.language,
    }


def _classified(candidate: Candidate) -> dict[str, object]:
    fact = candidate.fact
    return {
        "kind": fact.kind.value,
        "category": fact.category,
        "filed_by": (candidate.carried.filed_by or fact.filed_by).value,
        "taxonomy_version": tenants.taxonomy_version(scope.current().tenant_id),
        "service": fact.service or "",
        "entity_names": list(fact.entities),
        "strength": fact.strength.value,
        "sentiment": fact.sentiment.value,
        "priority": fact.priority.value,
    }


def _judged(candidate: Candidate) -> dict[str, object]:
    return {
        "external_id": candidate.external_id,
        "claim_hash": candidate.claim_hash,
        "confidence": candidate.confidence,
        "dedup_pending": candidate.pending,
        "verdict": candidate.gate.verdict.value,
        "verdict_reason": candidate.gate.reason.value,
        "status": candidate.carried.status.value,
        "status_reason": candidate.carried.status_reason,
    }


def _times(candidate: Candidate, now: datetime) -> dict[str, object]:
    """When it happens, holds, was said, and since when it is believed."""
    said_at = candidate.origin.said_at
    believed_at = believed_from(said_at=said_at, heard_at=now)
    return {
        "event_time": candidate.fact.event_time or said_at,
        "said_at": said_at,
        "valid_from": candidate.valid_from or said_at,
        "valid_until": candidate.valid_until,
        "recorded_at": min(candidate.carried.recorded_at or believed_at, now),
        "reinforced_at": believed_at,
    }
