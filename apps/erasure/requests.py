"""What is asked of erasure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from apps.core.counting import amount
from apps.erasure.models import ErasureKind
from memory_platform.errors import Invalid


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what: a user, a session (of `user_id`, or of all who have one of that name), an entity by id or name, or
    memories and messages by id. Of an entity that was asked for by its id, a row tells the name, too.
    """

    kind: ErasureKind
    user_id: str | None = None
    session_id: str | None = None
    entity_id: UUID | None = None
    entity: str | None = None
    memory_ids: tuple[UUID, ...] = ()
    message_ids: tuple[UUID, ...] = ()

    @property
    def told(self) -> str:
        """In words, for who decides."""
        if self.kind is ErasureKind.USER:
            return f"Everything of the user {self.user_id}"
        if self.kind is ErasureKind.SESSION:
            return f"The session {self.session_id}" + (f" of the user {self.user_id}" if self.user_id else "")
        if self.kind is ErasureKind.ENTITY:
            return f"Everything about {self.entity or self.entity_id}"
        memories = amount(len(self.memory_ids), "memory", "memories")
        if self.kind is ErasureKind.RETENTION:
            return f"{memories} that their category keeps no longer"
        return f"{memories} and {amount(len(self.message_ids), 'message')}, named one by one"

    def as_json(self) -> dict[str, Any]:
        """What a row keeps of it."""
        named = {
            "user_id": self.user_id,
            "session_id": self.session_id,
            "entity_id": None if self.entity_id is None else str(self.entity_id),
            "entity": self.entity,
            "memory_ids": sorted(map(str, self.memory_ids)),
            "message_ids": sorted(map(str, self.message_ids)),
        }
        return {name: value for name, value in named.items() if value}

    @classmethod
    def of_json(cls, kind: str, held: Mapping[str, Any]) -> "Subject":
        entity_id = held.get("entity_id")
        return cls(
            ErasureKind(kind),
            user_id=held.get("user_id"),
            session_id=held.get("session_id"),
            entity_id=None if entity_id is None else UUID(entity_id),
            entity=held.get("entity"),
            memory_ids=tuple(UUID(one) for one in held.get("memory_ids", ())),
            message_ids=tuple(UUID(one) for one in held.get("message_ids", ())),
        )


def subject(
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    entity_id: UUID | None = None,
    entity: str | None = None,
    memory_ids: tuple[UUID, ...] = (),
    message_ids: tuple[UUID, ...] = (),
) -> Subject:
    """Raises Invalid unless exactly one subject is named; `user_id` beside a session says whose."""
    named = {
        ErasureKind.SESSION: session_id is not None,
        ErasureKind.ENTITY: entity_id is not None or entity is not None,
        ErasureKind.MEMORIES: bool(memory_ids or message_ids),
    }
    kinds = [kind for kind, is_named in named.items() if is_named]
    if user_id is not None and kinds != [ErasureKind.SESSION]:
        kinds.append(ErasureKind.USER)
    if len(kinds) != 1 or (entity_id is not None and entity is not None):
        raise Invalid(
            "Say about what: userId, sessionId, entityId, entity, or memoryIds and messageIds; one of them.",
            field="input",
        )
    if "" in {user_id, session_id, entity}:
        raise Invalid("What it is about has an empty name.", field="input")
    return Subject(kinds[0], user_id, session_id, entity_id, entity, memory_ids, message_ids)
