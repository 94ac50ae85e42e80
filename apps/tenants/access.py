"""Who acts, and the one way to open a tenant's scope for them: an agent's key, a member's login, or the system itself.

Every entry makes a principal and acts as it, so that the journal says whose action it was: an agent's, a person's
(`member:<login id>`), or a command's.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import ClassVar, Final, TypeAlias
from uuid import UUID

from apps.core import context, scope
from apps.core.context import acting_as
from apps.core.scope import Reach, Scope
from apps.tenants.models import Agent, ApiKey, Membership
from memory_platform.model import EVERYONE, Whose


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a key and its agent may do, per minute; `captures_burst` at once."""

    requests: int
    writes: int
    captures: int
    captures_burst: int
    ingest_lines: int


@dataclass(frozen=True, slots=True)
class AgentKey:
    """An agent's key, bound to one user or (`user_id` None) to none."""

    tenant_id: UUID
    agent_id: UUID
    agent_slug: str
    domain: str
    scopes: frozenset[str]
    key_id: UUID
    limits: Limits
    user_id: str | None = None

    @property
    def actor(self) -> str:
        return "agent"

    @property
    def counted_as(self) -> str:
        """Whose limits are spent."""
        return str(self.agent_id)

    def scope(self, whose: Whose = EVERYONE, *, of_all_agents: bool = False) -> Scope:
        """What the key sees: its agent's rows, and shared ones with the scope `share`; or those `of_all_agents`."""
        own = Reach.SHARED if ApiKey.Scope.SHARE in self.scopes else Reach.OWN
        return Scope(self.tenant_id, self.agent_id, Reach.TENANT if of_all_agents else own, whose)


_EVERYTHING: Final = frozenset(ApiKey.Scope)
_READ, _WRITE, _SHARE, _REVIEW = ApiKey.Scope.READ, ApiKey.Scope.WRITE, ApiKey.Scope.SHARE, ApiKey.Scope.REVIEW
SCOPES: Final[Mapping[str, frozenset[str]]] = {
    Membership.Role.OWNER: _EVERYTHING,
    Membership.Role.ADMIN: _EVERYTHING,
    Membership.Role.OPERATOR: frozenset({_READ, _WRITE, _SHARE, _REVIEW}),
    Membership.Role.BILLING: frozenset({ApiKey.Scope.BILLING}),
    Membership.Role.MEMBER: frozenset({_READ}),
}
"""What a person may do through the API's verbs, by their role in the tenant."""


MEMBER: Final = "member:"
"""What the label of a person begins with; the id of their login follows."""


@dataclass(frozen=True, slots=True)
class Member:
    """A person, by the id of their login; with `agent_id` they ask and write in an agent's place."""

    tenant_id: UUID
    login_id: int
    role: str
    agent_id: UUID | None = None
    agent_slug: str = ""
    domain: str = ""

    user_id: ClassVar[None] = None
    limits: ClassVar[Limits] = Limits(requests=6_000, writes=600, captures=600, captures_burst=120, ingest_lines=20_000)

    @property
    def actor(self) -> str:
        return f"{MEMBER}{self.login_id}"

    @property
    def counted_as(self) -> str:
        return self.actor

    @property
    def scopes(self) -> frozenset[str]:
        return SCOPES[self.role]

    @property
    def is_owner(self) -> bool:
        return self.role == Membership.Role.OWNER

    @property
    def may_edit(self) -> bool:
        return self.role in {Membership.Role.OWNER, Membership.Role.ADMIN}

    def in_place_of(self, agent: Agent) -> "Member":
        """The same person who sees what an agent sees, and whose new rows are the agent's."""
        return replace(self, agent_id=agent.id, agent_slug=agent.slug, domain=agent.domain)

    def scope(self, whose: Whose = EVERYONE, *, of_all_agents: bool = False) -> Scope:
        """The whole tenant, or what the agent sees in whose place they act."""
        reaches_all = of_all_agents or self.agent_id is None
        return Scope(self.tenant_id, self.agent_id, Reach.TENANT if reaches_all else Reach.SHARED, whose)


@dataclass(frozen=True, slots=True)
class System:
    """A command of whoever runs the servers; `actor` says of which kind."""

    tenant_id: UUID
    actor: str = "command"

    @property
    def is_owner(self) -> bool:
        return True

    def scope(self, whose: Whose = EVERYONE) -> Scope:
        return Scope(self.tenant_id, None, Reach.TENANT, whose)


Caller: TypeAlias = AgentKey | Member
"""Who asks for a verb."""
Principal: TypeAlias = Caller | System


@contextmanager
def acting(principal: Principal) -> Iterator[None]:
    """Bind the principal to the journal, jobs and log lines of the block, beside the request it came with."""
    bound = {"tenant_id": str(principal.tenant_id)}
    key_id = str(principal.key_id) if isinstance(principal, AgentKey) else ""
    if not isinstance(principal, System) and principal.agent_id is not None:
        bound["agent_id"] = str(principal.agent_id)
    with acting_as(principal.actor, request_id=context.current().request_id, key_id=key_id, **bound):
        yield


@contextmanager
def opened(principal: Principal, *, whose: Whose = EVERYONE) -> Iterator[Scope]:
    """Act as the principal within its tenant scope."""
    with acting(principal), scope.enter(principal.scope(whose)) as within:
        yield within
