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
    _profiles: dict[UUID, EntityProfile] = field(default_factory=dict)

    @property
    def agent(self) -> MemoryAgent:
        if self.opened is None:
            raise Unauthenticated("An API key is missing.", hint="Send the header Authorization: Bearer mp_….")
        return self.opened

    def profile(self, entity_id: UUID) -> EntityProfile:
        """An entity's profile, read once in an operation. Raises NotFound when it is gone since."""
        if entity_id not in self._profiles:
            found = self.agent.entity(entity_id=entity_id)
            if found is None:
                raise NotFound("The entity is no longer there.")
            self._profiles[entity_id] = found
        return self._profiles[entity_id]


if TYPE_CHECKING:
    Info = strawberry.Info[GraphQLContext, Any]
else:
    Info = strawberry.Info
