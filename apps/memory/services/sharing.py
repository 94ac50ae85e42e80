"""share: what one agent knows becomes known to all agents of the tenant.

The private item stays as it is. What is shared is a new item of the shared audience, compared there like anything an
agent says to all: it is stored, merged into what is known, or kept beside what another agent says. It brings the claim
and none of the conversation: no sources, no quotes, no session.
"""

from dataclasses import replace
from uuid import UUID

from apps.core import clock, scope
from apps.core.scope import Scope
from apps.memory import selectors
from apps.memory.confidence import Confidence
from apps.memory.documents import MERGED
from apps.memory.models import Item, ItemLink
from apps.memory.results import ItemView, WriteOutcome
from apps.memory.services import explicit
from apps.memory.services.candidates import Candidate, Origin, Shared
from apps.memory.services.comparing import candidate_of
from apps.memory.services.finding import writable
from apps.tenants import selectors as tenants
from memory_platform.errors import Conflict, Invalid
from memory_platform.model import Audience, FiledBy, Status, Verdict, Visibility


def share(item_id: UUID, *, domain: str | None = None, within: Scope) -> ItemView:
    """Make a private item known to all agents, filed under `domain` (a category; None: its own); return the shared one.

    Called without an open scope. Sharing again changes nothing. Raises NotFound, Forbidden for another agent's, Invalid
    for an unknown domain, Conflict when the item waits for review, is past, or contradicts something better supported
    that the same agent shares.
    """
    with scope.enter(within):
        item = writable(item_id)
        if earlier := _shared_already(item):
            return earlier
        policy = tenants.policy(within.tenant_id)
        rules = tenants.category_rules(within.tenant_id)
    if domain is not None and domain not in {rule.slug for rule in rules}:
        raise Invalid(f"There is no domain {domain!r}.", field="domain", hint="A domain is the slug of a category.")
    _refuse_unfit(item)
    confidence = Confidence.at(clock.now(), policy, rules).when(item.said_at).effective(item)
    written = explicit.write(_candidate(item, domain, confidence), policy, rules, within=within, operation="share")
    if written.item is None or written.outcome is WriteOutcome.REJECTED:
        raise Conflict(
            "This memory contradicts something better supported that you share already.",
            hint="Correct the shared memory, or confirm this one before sharing it.",
        )
    return written.item


def _candidate(item: Item, domain: str | None, confidence: float) -> Candidate:
    held = candidate_of(item)
    filed = (item.category, held.fact.filed_by) if domain is None else (domain, FiledBy.GIVEN)
    return replace(
        held,
        fact=replace(held.fact, category=filed[0], filed_by=filed[1]),
        origin=Origin(Audience(item.agent_id, item.user_id, Visibility.SHARED), item.said_at),
        confidence=confidence,
        valid_from=item.valid_from,
        valid_until=item.valid_until,
        purpose=Shared(item),
    )


def _shared_already(item: Item) -> ItemView | None:
    """What is shared of the item: itself, or the item that its shared twin is or was merged into."""
    if item.visibility == Visibility.SHARED:
        return selectors.item(item.id)
    links = ItemLink.objects.filter(tenant_id=item.tenant_id, closed_at=None)
    twins = links.filter(kind=ItemLink.Kind.SHARED_FROM, to_item_id=item.id).exclude(from_item__status=Status.DELETED)
    twin = twins.values_list("from_item_id", "from_item__status_reason").order_by("-id").first()
    if twin is None:
        return None
    twin_id, status_reason = twin
    if status_reason == MERGED:
        into = links.filter(kind=ItemLink.Kind.MERGED_INTO, from_item_id=twin_id)
        twin_id = into.values_list("to_item_id", flat=True).get()
    shared = selectors.item(twin_id)
    return None if shared is None or shared.status is Status.DELETED else shared


def _refuse_unfit(item: Item) -> None:
    if item.status not in {Status.ACTIVE, Status.STALE}:
        raise Conflict("Only current memories are shared; this one is superseded, archived or forgotten.")
    if item.verdict != Verdict.ALLOW:
        raise Conflict("This memory waits for review.", hint="Confirm it first, then share it.")
