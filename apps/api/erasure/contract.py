"""Erasing for good: whom or what, what would go, how far it has come, and the receipt."""

import json
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from pydantic import AfterValidator, Field, JsonValue

from apps.api.admission import Admission
from apps.api.contract import Absent, AgentName, Answer, Counts, Input, Json, JsonOrNull, Name, Paged, Text
from apps.api.flows.forgetting import MOST_FOUND
from apps.erasure import requests
from apps.erasure.models import ErasureKind, ErasureState
from apps.erasure.requests import Subject

MOST_MEMORIES: Final = 1_000
FINGERPRINT_CHARACTERS: Final = 100
LONGEST_RECEIPT: Final = 100_000
"""Characters; one of an erasure that touched every table has some 5,000."""


class ErasureSubject(Input):
    """Whom or what: one of them. `userId` beside `sessionId` says whose session."""

    user_id: Name | None = Field(default=None, description="Everything of this user, whichever agent remembers it.")
    session_id: Name | None = Field(default=None, description="A session by the caller's own id, of every agent.")
    entity_id: UUID | None = None
    entity: Name | None = Field(default=None, description="Everybody and everything that goes by this name.")
    memory_ids: Annotated[tuple[UUID, ...], Field(max_length=MOST_MEMORIES)] = Field(
        default=(), description="Memories, each by its id."
    )
    message_ids: Annotated[tuple[UUID, ...], Field(max_length=MOST_MEMORIES)] = Field(
        default=(), description="Messages, each by its id."
    )

    def as_subject(self) -> Subject:
        """Raises Invalid unless one is named."""
        return requests.subject(
            user_id=self.user_id,
            session_id=self.session_id,
            entity_id=self.entity_id,
            entity=self.entity,
            memory_ids=self.memory_ids,
            message_ids=self.message_ids,
        )


class ErasurePreviewInput(ErasureSubject):
    """The same, or a topic: a search for what a request then names."""

    topic: Text | None = Field(
        default=None,
        description="Memories and messages that surely are about it, with userId that user's; the answer names them.",
    )
    first: int = Field(default=MOST_FOUND, ge=1, le=MOST_FOUND, description="How many of them a topic finds at most.")


class ErasureInput(ErasureSubject):
    """What to erase as it was previewed."""

    fingerprint: Annotated[
        str,
        Admission.NOT_KEPT,
        Field(max_length=FINGERPRINT_CHARACTERS, description="Of the preview that showed what would go."),
    ]
    reason: Text = Field(default="", description="Why; it is erased with the rest.")


class ErasuresPage(Paged):
    """A page of erasures."""


def _is_no_longer(receipt: JsonValue) -> JsonValue:
    if len(json.dumps(receipt)) > LONGEST_RECEIPT:
        raise ValueError(f"A receipt is never longer than {LONGEST_RECEIPT:,} characters.")
    return receipt


class ReceiptInput(Input):
    """A receipt as it was given."""

    receipt: Annotated[Json, Admission.NOT_KEPT, AfterValidator(_is_no_longer)] = Field(
        description="The receipt, whole, with its signature."
    )


class ErasureSample(Answer):
    """A text that would go: the beginning of a memory or of a message."""

    id: UUID
    kind: str = Field(description="memory or message.")
    text: str = Field(description="How it begins, in at most 300 characters.")


class ErasureEntity(Answer):
    """Somebody or something the name stands for."""

    id: UUID
    name: str
    user_id: str | None
    mentions: int = Field(description="How often it is mentioned.")


class ErasurePreview(Answer):
    """What would go."""

    kind: ErasureKind
    memories: int = Field(description="How many memories would go.")
    messages: int = Field(description="How many messages would go.")
    sessions: int = Field(description="How many sessions would go.")
    rows: Counts = Field(description="Rows by table.")
    samples: list[ErasureSample] = Field(description="The newest memories and messages among them.")
    entities: list[ErasureEntity] = Field(description="All whom or what the name stands for, where one was given.")
    memory_ids: list[UUID] = Field(description="Those that were named, or that the topic found: a request names them.")
    message_ids: list[UUID] = Field(description="The same of messages.")
    truncated: bool = Field(
        description="More may be about the topic than was found: preview it again once this is erased."
    )
    fingerprint: str = Field(description="What a request for just this needs.")
    expires_at: datetime = Field(description="Until when the fingerprint is accepted.")


class Erasure(Answer):
    """An erasure, and how far it has come."""

    id: UUID
    kind: ErasureKind
    state: ErasureState
    about: Json = Field(
        description="Whom or what, as it was asked for; an entity by its name, too. Empty once it is over."
    )
    digest: str = Field(description="What stands for it in the receipt.")
    reason: Absent = Field(description="Why, in the caller's words; null: unsaid, or erased with the rest.")
    requested_by: str = Field(description="agent, or member: and the number of a login.")
    requested_agent_id: AgentName = Field(
        description="As which agent it was asked for, by its own name; null: as none."
    )
    requested_at: datetime = Field(description="When it was asked for.")
    decided_by: Absent = Field(description="Who approved or rejected it.")
    decided_agent_id: AgentName = Field(description="As which agent that was, by its own name; null: as none.")
    decided_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    targets: int = Field(description="Memories, messages, sessions and entities that it means.")
    steps: list[str] = Field(description="What is done.")
    removed: Counts = Field(
        description="So far: rows by table, keys of `valkey`, nodes of `neo4j`, commits of `git` that were made anew."
    )
    residue: list[str] = Field(description="Where the last scan found something again.")
    receipt: JsonOrNull = Field(description="Signed, once it is done.")


class VerifiedReceipt(Answer):
    """Whether a receipt is ours and says what it said when it was signed."""

    valid: bool = Field(description="It is this tenant's, and says what was signed.")
    problem: Absent = Field(description="Why it is not valid; null: it is.")
    erasure_id: UUID | None = Field(description="The erasure it tells of; null unless it is valid.")
    key_id: Absent = Field(description="The key that it names; null: none.")
