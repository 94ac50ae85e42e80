"""In whose place a page asks: one of the tenant's agents, and a user or none. The address says whose."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from apps.api import verbs
from apps.api.gateway import Gateway
from apps.tenants import selectors
from apps.tenants.access import Member
from apps.tenants.models import Agent
from memory_platform.errors import NotFound


@dataclass(frozen=True, slots=True)
class Asker:
    """The `agents` to choose from, the one that was chosen (the first unless one is named), the `user` (empty: none),
    and the gateway that asks in their place. No gateway: the tenant has no agent yet.
    """

    agents: tuple[Agent, ...]
    agent: Agent | None
    user: str
    gateway: Gateway | None


def asker(gateway: Gateway, chosen: Mapping[str, str]) -> Asker:
    """Raises NotFound for an agent that there is not."""
    with gateway.open(verbs.VIEWER):
        agents = selectors.agents()
    wanted, user = chosen.get("agent", ""), chosen.get("user", "").strip()
    agent = next((each for each in agents if each.slug == wanted), None)
    if wanted and agent is None:
        raise NotFound("There is no such agent.", field="agent")
    agent = agent or next(iter(agents), None)
    if agent is None or not isinstance(gateway.principal, Member):
        return Asker(agents, None, user, None)
    theirs = replace(gateway, principal=gateway.principal.in_place_of(agent))
    return Asker(agents, agent, user, theirs.of(user or None))
