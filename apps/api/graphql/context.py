"""What resolvers get: the caller's Gateway, or a refusal when it is used without a key."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import strawberry
from django.http import HttpRequest

from apps.api.gateway import Gateway, NamesUsers
from apps.api.graphql.batches import Batch
from memory_platform.errors import Unauthenticated


@dataclass(frozen=True, slots=True)
class GraphQLContext:
    """`opened` is None only where DEBUG lets a caller read the schema without a key."""

    request: HttpRequest
    opened: Gateway | None
    _gateways: dict[str | int, Gateway] = field(default_factory=dict)
    _batches: dict[str | int, Batch] = field(default_factory=dict)

    @property
    def gateway(self) -> Gateway:
        if self.opened is None:
            raise Unauthenticated("An API key is missing.", hint="Send the header Authorization: Bearer mp_….")
        return self.opened

    def ask(self, info: "Info", user_id: str | None = None, *, all_users: bool = False) -> Gateway:
        """The gateway for a root field and all that hangs on it, asked for a user. Raises Forbidden, Invalid."""
        return self._gateways.setdefault(_root(info), self.gateway.of(user_id, all_users=all_users))

    def ask_named(self, info: "Info", given: NamesUsers) -> Gateway:
        """The same for the users an input names."""
        return self._gateways.setdefault(_root(info), self.gateway.of_named(given))

    def follow(self, info: "Info", user_id: str | None) -> None:
        """What hangs on the row that a root field named is seen as the user sees it whose it is."""
        self._gateways[_root(info)] = self.reader(info).beside(user_id)

    def reader(self, info: "Info") -> Gateway:
        """The gateway of the root field that a nested one hangs on."""
        return self._gateways.get(_root(info)) or self.gateway

    def batch(self, info: "Info") -> Batch:
        """The rows that hang on the same root field, which are read together."""
        return self._batches.setdefault(_root(info), Batch())


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
