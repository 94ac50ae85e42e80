"""remember: an explicit fact, stored at once, gated, deduplicated and conflict-checked like an observed one."""

import re
from dataclasses import replace
from typing import Final
from uuid import UUID

from django.db import IntegrityError

from apps.core import clock, scope
from apps.core.scope import Scope
from apps.memory import cold, selectors
from apps.memory.documents import MERGED
from apps.memory.models import Item, ItemLink
from apps.memory.requests import NewMemory
from apps.memory.results import PendingStep, WriteOutcome, WriteResult
from apps.memory.services import ending, explicit
from apps.memory.services.candidates import NEWS, Candidate, Origin, judge
from apps.resources import services as resources
from apps.tenants import selectors as tenants
from memory_platform.consolidation.claims import claim_hash
from memory_platform.errors import Conflict, Forbidden, Invalid
from memory_platform.model import Audience, CategoryRule, Fact, FiledBy, Status, Verdict

_BESIDE: Final = re.compile(r" \([^()]*\)")


def remember(new: NewMemory, *, within: Scope) -> WriteResult:
    """Store an explicit fact. Called without an open scope: it embeds first, for at most a second.

    Repeating an `external_id` with the same text changes nothing. The session is made when new. Raises Conflict when an
    `external_id` returns with another text, Invalid on an empty or overlong text.
    """
    text = explicit.checked(new.text)
    if within.agent_id is None:
        raise Forbidden("Only an agent remembers; use an agent's key.")
    if new.valid_from and new.valid_until and new.valid_until < new.valid_from:
        raise Invalid("validUntil lies before validFrom.", field="validUntil")
    with scope.enter(within):
        if earlier := _earlier(within.agent_id, new):
            return _repeated(earlier, text)
        policy = tenants.policy(within.tenant_id)
        categories = tenants.category_rules(within.tenant_id)
        user_id = new.user_id or None
        session_id = _opened(new.session_id, new) if new.session_id else None
    _require_known(new, categories)
    audience = Audience(within.agent_id, user_id, new.visibility)
    origin = Origin(audience, new.occurred_at or clock.now(), session_id)
    told = explicit.read(text, origin, categories, day_first=policy.day_first)
    candidate = _candidate(new, judge(_fact(new, told.fact), origin, policy), dropped_as=told.dropped_as)
    try:
        return explicit.write(candidate, policy, categories, within=within, operation="remember")
    except IntegrityError:
        # The same external_id arrived twice at once, and the other one was first.
        with scope.enter(within):
            if earlier := _earlier(within.agent_id, new):
                return _repeated(earlier, text)
        raise


def _opened(session_id: str, new: NewMemory) -> UUID:
    """The session it is told in; the one the user was in before is learnt from when that begins it."""
    opened = resources.open_session(session_id, user_id=new.user_id or None, since=new.occurred_at)
    if opened.predecessor is not None:
        ending.flush(opened.predecessor)
    return opened.place.session_id


def _require_known(new: NewMemory, categories: tuple[CategoryRule, ...]) -> None:
    if new.category is not None and new.category not in {rule.slug for rule in categories}:
        raise Invalid(f"There is no category {new.category!r}.", field="category")
    if new.confidence is not None and not 0.0 <= new.confidence <= 1.0:
        raise Invalid("confidence must lie between 0 and 1.", field="confidence")


def _fact(new: NewMemory, read: Fact) -> Fact:
    """The caller's word goes before what was read."""
    return replace(
        read,
        text=read.text if new.purpose is None else new.text,
        lead_in=new.lead_in if new.lead_in is not None else read.lead_in,
        kind=new.kind or read.kind,
        category=new.category or read.category,
        filed_by=FiledBy.GIVEN if new.category else read.filed_by,
        service=new.service if new.service is not None else read.service,
        strength=new.strength or read.strength,
        confidence=new.confidence if new.confidence is not None else read.confidence,
        entities=new.entities if new.entities is not None else read.entities,
    )


def _candidate(new: NewMemory, judged: Candidate, *, dropped_as: str) -> Candidate:
    """What was judged, with what the caller says of it; `dropped_as` is why a turn that says so would leave nothing."""
    return replace(
        judged,
        gate=replace(judged.gate, verdict=_reviewed(new, judged.gate.verdict), detail=dropped_as),
        external_id=new.external_id,
        valid_from=new.valid_from,
        valid_until=new.valid_until,
        carried=new.carried,
        purpose=new.purpose or NEWS,
    )


def _reviewed(new: NewMemory, verdict: Verdict) -> Verdict:
    """Who vouched for it, or let it in, has looked at it; what waits for a review still does."""
    if verdict is Verdict.DISCARD:
        return verdict
    if new.carried.protected or new.carried.is_reviewed:
        return Verdict.ALLOW
    return Verdict.HOLD if new.carried.is_held else verdict


def _earlier(agent_id: UUID, new: NewMemory) -> Item | None:
    if new.external_id is None:
        return None
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, agent_id=agent_id, external_id=new.external_id)
    found = rows.filter(user_id=new.user_id or None).first()
    cold.fill([found] if found else [])
    return found


def _repeated(earlier: Item, text: str) -> WriteResult:
    """What the first call led to, as it stands now."""
    if earlier.claim_hash != claim_hash(text) and not _is_repetition(earlier, text):
        raise Conflict("Another fact was remembered under this externalId.", field="externalId")
    if earlier.status == Status.DELETED:
        told = "Not stored: it was forgotten; restore it to have it back."
        return WriteResult(WriteOutcome.REJECTED, None, told, is_repeated=True)
    item_id, outcome = earlier.id, WriteOutcome.STORED
    if earlier.status_reason == MERGED:
        item_id, outcome = _merge_target(earlier), WriteOutcome.MERGED
    elif earlier.verdict == Verdict.HOLD:
        outcome = WriteOutcome.HELD
    pending = (PendingStep.DEDUP,) if earlier.dedup_pending else ()
    told = "Remembered already under this externalId."
    return WriteResult(outcome, selectors.item(item_id), told, pending=pending, is_repeated=True)


def _is_repetition(earlier: Item, text: str) -> bool:
    """Whether the item came of these words: it may hold a date beside them."""
    return _BESIDE.sub("", earlier.text) == _BESIDE.sub("", text)


def _merge_target(item: Item) -> UUID:
    links = ItemLink.objects.filter(
        tenant_id=item.tenant_id, from_item_id=item.id, kind=ItemLink.Kind.MERGED_INTO, closed_at=None
    )
    return links.values_list("to_item_id", flat=True).get()
