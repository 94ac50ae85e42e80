"""Whose graph: entities of an audience are resolved among themselves only, under the audience's lock."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from apps.core import locks
from memory_platform.model import Audience, Visibility


@dataclass(frozen=True, slots=True)
class Owner:
    """The audience of entities and aliases. Shared ones belong to no agent in particular."""

    tenant_id: UUID
    agent_id: UUID | None
    user_id: str | None
    visibility: Visibility

    @classmethod
    def of(cls, tenant_id: UUID, audience: Audience) -> "Owner":
        is_shared = audience.visibility is Visibility.SHARED
        return cls(tenant_id, None if is_shared else audience.agent_id, audience.user_id, audience.visibility)

    def condition(self, table: str) -> tuple[str, list[UUID | str]]:
        """SQL that picks the owner's rows, tenant literal included, and its parameters."""
        conditions = [f"{table}.tenant_id = %s", f"{table}.visibility = %s"]
        values: list[UUID | str] = [self.tenant_id, self.visibility.value]
        for column, value in (("agent_id", self.agent_id), ("user_id", self.user_id)):
            conditions.append(f"{table}.{column} IS NULL" if value is None else f"{table}.{column} = %s")
            values += [] if value is None else [value]
        return " AND ".join(conditions), values

    @property
    def key(self) -> str:
        user = "" if self.user_id is None else f"={self.user_id}"
        return f"graph:{self.tenant_id}:{self.agent_id}:{self.visibility}:{user}"


def lock(owners: Iterable[Owner]) -> None:
    """Wait until no one else changes these audiences' graphs, and keep it so until the commit; in one order."""
    for key in sorted(owner.key for owner in owners):
        locks.take_turn(key)
