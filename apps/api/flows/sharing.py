"""Shared memory: where an agent's shared memories are filed, and what there is of all agents."""

from dataclasses import dataclass, replace
from datetime import datetime

from apps.memory import selectors as memory
from apps.memory.requests import NewMemory
from apps.retrieval.requests import RecallRequest
from apps.tenants import selectors as tenants
from apps.tenants.access import Caller
from apps.tenants.models import ApiKey
from memory_platform.errors import Forbidden
from memory_platform.model import Visibility


@dataclass(frozen=True, slots=True)
class SharedDomain:
    """A domain (a category) of shared memory; `agents` are the sharing agents' own names."""

    domain: str
    memories: int
    agents: tuple[str, ...]
    last_write_at: datetime


def domain_of(principal: Caller, named: str | None) -> str | None:
    """Where this agent's shared memories go: its home category. None: it has none, what the text is about decides.

    Raises Forbidden when another one is named without the scope admin.
    """
    home = principal.domain or None
    if named is None or home is None:
        return named or home
    if named != home and ApiKey.Scope.ADMIN not in principal.scopes:
        raise Forbidden(
            f"An agent shares in its own domain; {principal.agent_slug!r} is at home in {home!r}.",
            field="domain",
            hint="Leave the domain out, or use a key with the scope admin.",
        )
    return named


def filed(new: NewMemory, principal: Caller) -> NewMemory:
    """A memory to remember, in its agent's domain when it is a shared one."""
    if new.visibility is not Visibility.SHARED:
        return new
    return replace(new, category=domain_of(principal, new.category))


def among_shared(request: RecallRequest) -> RecallRequest:
    """The same question, asked of shared memories only."""
    return replace(request, filter=replace(request.filter, visibility=Visibility.SHARED))


def domains() -> list[SharedDomain]:
    held = memory.shared_domains()
    slugs = tenants.agent_slugs({agent_id for each in held for agent_id in each.agent_ids})
    return [
        SharedDomain(
            domain=each.domain,
            memories=each.memories,
            agents=tuple(sorted(slugs[agent_id] for agent_id in each.agent_ids if agent_id in slugs)),
            last_write_at=each.last_write_at,
        )
        for each in held
    ]
