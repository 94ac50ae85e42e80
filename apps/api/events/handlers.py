"""What the verb of events does, once the gateway has let the caller in."""

from heapq import merge
from operator import attrgetter

from apps.api import verbs
from apps.api.events.contract import EventsInput, MemoryEvent, MemoryEvents
from apps.api.gateway import Gateway
from apps.core import scope
from apps.journal import selectors, services
from apps.journal.selectors import EventView
from apps.tenants import selectors as tenants
from memory_platform.model import EventKind


def memory_events(gateway: Gateway, given: EventsInput) -> MemoryEvents:
    """What happened behind `after`. An id that was never given is as good as the latest."""
    with gateway.open(verbs.MEMORY_EVENTS):
        latest = services.place_events()
        after = latest if given.after is None else min(int(given.after), latest)
        own = selectors.events(after=after, upto=latest, first=given.first)
        missed = 0 < after < latest and after < selectors.pruned_events()
    of_tenant = _of_tenant(gateway, after, latest, given.first)
    found = list(merge(own, of_tenant, key=attrgetter("position")))[: given.first]
    reached = found[-1].position if len(found) == given.first else latest
    return MemoryEvents(items=gateway.answers(MemoryEvent, found), next=str(reached), missed=missed)


def most_listeners(gateway: Gateway) -> int:
    """How many of the tenant's may listen to one process at once."""
    tenant_id = gateway.principal.tenant_id
    held = tenants.cached_policy(tenant_id)
    if held is None:
        with scope.enter(gateway.principal.scope()):
            held = tenants.policy(tenant_id)
    return held.event_streams


def _of_tenant(gateway: Gateway, after: int, latest: int, first: int) -> list[EventView]:
    """Budgets and proposals are the tenant's: whoever may read them hears of them all."""
    heard = {EventKind.BUDGET: gateway.sees_budgets, EventKind.PROPOSAL: gateway.curates}
    kinds = [kind for kind, is_heard in heard.items() if is_heard]
    if after == latest or not kinds:
        return []
    with scope.enter(gateway.principal.scope(of_all_agents=True)):
        return selectors.events(after=after, upto=latest, first=first, kinds=kinds)
