"""What resolvers get: the caller's MemoryAgent, or a refusal when it is used without a key."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import strawberry
from django.http import HttpRequest

from apps.api.memory_agent import MemoryAgent
from memory_platform.errors import Unauthenticated


@dataclass(frozen=True, slots=True)
class GraphQLContext:
    """`opened` is None only where DEBUG lets a caller read the schema without a key."""

    request: HttpRequest
    opened: MemoryAgent | None

    @property
    def agent(self) -> MemoryAgent:
        if self.opened is None:
            raise Unauthenticated("An API key is missing.", hint="Send the header Authorization: Bearer mp_….")
        return self.opened


if TYPE_CHECKING:
    Info = strawberry.Info[GraphQLContext, Any]
else:
    Info = strawberry.Info
