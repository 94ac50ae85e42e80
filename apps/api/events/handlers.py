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


def memory_events(gateway: Gateway, given: EventsInput) -> MemoryEvents:
    """What happened behind `after`. An id that was never given is as good as the latest."""
    with gateway.open(verbs.MEMORY_EVENTS):
        latest = services.place_events()
        after = latest if given.after is None else min(int(given.after), latest)
        own = selectors.events(after=after, upto=latest, first=given.first)
    of_budgets = _of_budgets(gateway, after, latest, given.first)
    found = list(merge(own, of_budgets, key=attrgetter("position")))[: given.first]
    reached = found[-1].position if len(found) == given.first else latest
    return MemoryEvents(items=gateway.answers(MemoryEvent, found), next=str(reached))


def most_listeners(gateway: Gateway) -> int:
    """How many of the tenant's may listen to one process at once."""
    tenant_id = gateway.principal.tenant_id
    held = tenants.cached_policy(tenant_id)
    if held is None:
        with scope.enter(gateway.principal.scope()):
            held = tenants.policy(tenant_id)
    return held.event_streams


def _of_budgets(gateway: Gateway, after: int, latest: int, first: int) -> list[EventView]:
    """Budgets are the tenant's: whoever may read them hears of them all."""
    if after == latest or not gateway.sees_budgets:
        return []
    with scope.enter(gateway.principal.scope(of_all_agents=True)):
        return selectors.events(after=after, upto=latest, first=first, budgets=True)
