"""What erasure answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from apps.core.erasing import Conversation
from apps.erasure.models import ErasureKind, ErasureState


@dataclass(frozen=True, slots=True)
class MatchedEntity:
    """An entity the name stands for; `agent_id` (None: shared) and `user_id` whose it is."""

    id: UUID
    name: str
    agent_id: UUID | None
    user_id: str | None
    mentions: int


@dataclass(frozen=True, slots=True)
class Selection:
    """What a subject means now, by id."""

    item_ids: tuple[UUID, ...] = ()
    resource_ids: tuple[UUID, ...] = ()
    session_ids: tuple[UUID, ...] = ()
    entity_ids: tuple[UUID, ...] = ()
    conversations: tuple[Conversation, ...] = ()
    matched: tuple[MatchedEntity, ...] = ()
    words: str | None = None
    users: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return len(self.item_ids) + len(self.resource_ids) + len(self.session_ids)


@dataclass(frozen=True, slots=True)
class Sample:
    """A text that would go."""

    id: UUID
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Extent:
    """What an erasure that was asked for has written down to go, and a few of its texts, the newest first."""

    memories: int
    messages: int
    sessions: int
    names: int
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What would go; `fingerprint` is what a request for just this needs, until `expires_at`.

    `memory_ids` and `message_ids` are those that were named, or found: a request names them. `truncated`: what a topic
    found is not surely all of it.
    """

    kind: ErasureKind
    memories: int
    messages: int
    sessions: int
    rows: Mapping[str, int]
    samples: tuple[Sample, ...]
    entities: tuple[MatchedEntity, ...]
    memory_ids: tuple[UUID, ...]
    message_ids: tuple[UUID, ...]
    fingerprint: str
    expires_at: datetime
    truncated: bool = False


class LineKind(StrEnum):
    """What a line of an export is."""

    MESSAGE = "message"
    """A captured message."""
    MEMORY = "memory"
    """A memory."""
    TRIGGER = "trigger"
    """A time that was named or set."""
    FEEDBACK = "feedback"
    """What was said of a memory."""
    LESSON = "lesson"
    """A lesson."""
    RECORD = "record"
    """Anything else: to be read, not to be imported."""


@dataclass(frozen=True, slots=True)
class ExportedLine:
    """A line of an export: `content` as JSON, and the same for people."""

    id: UUID
    kind: LineKind
    content: Mapping[str, Any]
    markdown: str


@dataclass(frozen=True, slots=True)
class ErasureView:
    """An erasure as those who may ask see it; `requested_person` made the key that asked, or asked without one."""

    id: UUID
    kind: ErasureKind
    state: ErasureState
    about: Mapping[str, Any]
    digest: str
    reason: str
    requested_by: str
    requested_person: str
    requested_agent_id: UUID | None
    requested_at: datetime
    decided_by: str
    decided_agent_id: UUID | None
    decided_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    targets: int
    steps: tuple[str, ...]
    removed: Mapping[str, int]
    residue: tuple[str, ...]
    receipt: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether a receipt is ours and unchanged, and why not; `erasure_id` where it is."""

    valid: bool
    problem: str = ""
    erasure_id: UUID | None = None
    key_id: str = ""


@dataclass(frozen=True, slots=True)
class Scanned:
    """A scan for what was erased: how much of which stores was looked at, and where it was found (table.column)."""

    columns: int = 0
    keys: int = 0
    stores: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
