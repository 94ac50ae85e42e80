"""What resolvers get: the caller's MemoryAgent, or a refusal when it is used without a key."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

import strawberry
from django.http import HttpRequest

from apps.api.memory_agent import MemoryAgent
from apps.graph.results import EntityProfile
from memory_platform.errors import NotFound, Unauthenticated


@dataclass(frozen=True, slots=True)
class GraphQLContext:
    """`opened` is None only where DEBUG lets a caller read the schema without a key."""

    request: HttpRequest
    opened: MemoryAgent | None
    _agents: dict[str | int, MemoryAgent] = field(default_factory=dict)
    _profiles: dict[tuple[str | int, UUID], EntityProfile] = field(default_factory=dict)

    @property
    def agent(self) -> MemoryAgent:
        if self.opened is None:
            raise Unauthenticated("An API key is missing.", hint="Send the header Authorization: Bearer mp_….")
        return self.opened

    def ask(self, info: "Info", user_id: str | None = None, *, all_users: bool = False) -> MemoryAgent:
        """The agent for a root field and all that hangs on it, asked for a user. Raises Forbidden, Invalid."""
        return self._agents.setdefault(_root(info), self.agent.of(user_id, all_users=all_users))

    def follow(self, info: "Info", user_id: str | None) -> None:
        """What hangs on the row that a root field named is seen as the user sees it whose it is."""
        self._agents[_root(info)] = self.reader(info).beside(user_id)

    def reader(self, info: "Info") -> MemoryAgent:
        """The agent of the root field that a nested one hangs on."""
        return self._agents.get(_root(info)) or self.agent

    def profile(self, info: "Info", entity_id: UUID) -> EntityProfile:
        """An entity's profile, read once for a root field. Raises NotFound when it is gone since."""
        place = _root(info), entity_id
        if place not in self._profiles:
            found = self.reader(info).entity(entity_id=entity_id)
            if found is None:
                raise NotFound("The entity is no longer there.")
            self._profiles[place] = found
        return self._profiles[place]


def _root(info: "Info") -> str | int:
    """The name under which the root field answers."""
    path = info.path
    while path.prev is not None:
        path = path.prev
    return path.key


if TYPE_CHECKING:
    Info = strawberry.Info[GraphQLContext, Any]
else:
    Info = strawberry.Info
