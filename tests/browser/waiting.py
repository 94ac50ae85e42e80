"""What waits for reviewers in the filled stack: written by `manage.py shell` on the stack's own database."""

from uuid import uuid4

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.curation.models import Proposal, ProposalState
from apps.memory import services as memory
from apps.memory.models import Item, ItemLink
from apps.memory.requests import NewMemory
from apps.tenants import onboarding
from apps.tenants.models import Agent, Tenant
from memory_platform.model import Visibility

HELD = "The night shift may be moved to Thursdays."
PAIR = ("The gate of the north yard is painted green.", "The gate of the north yard is painted red.")


def write(proposals: int) -> None:
    with scope.unscoped("find a tenant by its slug"):
        tenant = Tenant.objects.get(slug=onboarding.FIRST_TENANT)
    with scope.tenant_scope(tenant.id):
        agent = Agent.objects.get(slug=onboarding.FIRST_AGENT)
    within = Scope(tenant.id, agent.id, Reach.SHARED)
    for number in range(proposals):
        _propose(number, within)
    held, *pair = (_remember(text, within) for text in (HELD, *PAIR))
    with scope.tenant_scope(tenant.id):
        Item.objects.filter(id=held).update(verdict="hold", verdict_reason="ambiguous")
        _dispute(*pair)


def _remember(text: str, within: Scope, visibility: Visibility = Visibility.PRIVATE):
    item = memory.remember(NewMemory(text=text, category="operations", visibility=visibility), within=within).item
    if item is None:
        raise ValueError(text)
    return item.id


def _propose(number: int, within: Scope) -> None:
    text = f"Dock {number + 1} of the harbour belongs to company {chr(65 + number)}{number}."
    item_id = _remember(text, within, Visibility.SHARED)
    with scope.tenant_scope(within.tenant_id):
        item = Item.objects.get(id=item_id)
        Proposal.objects.create(
            tenant_id=item.tenant_id,
            section="operations",
            change="add",
            text=item.text,
            kind="fact",
            items=[item.id],
            confidence=0.72,
            said_on=item.said_at.date(),
            proposed_by="rules",
            claim=str(uuid4()),
            state=ProposalState.QUEUED,
            reason="uncertain",
        )


def _dispute(earlier, later) -> None:
    item = Item.objects.get(id=earlier)
    ItemLink.objects.filter(tenant_id=item.tenant_id, from_item_id=later, to_item_id=earlier).delete()
    Item.objects.filter(id=earlier).update(status="active", status_reason="", valid_until=None)
    ItemLink.objects.create(
        tenant_id=item.tenant_id,
        agent_id=item.agent_id,
        visibility=item.visibility,
        kind=ItemLink.Kind.CONTRADICTS,
        from_item_id=later,
        to_item_id=earlier,
        reason="differs",
        batch=uuid4(),
    )
