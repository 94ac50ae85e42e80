"""Exporting everything about somebody or something, and importing it again."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Self
from uuid import UUID

from pydantic import AwareDatetime, Field, model_validator
from typing_extensions import override

from apps.api.admission import LONGEST_NAME, Admission
from apps.api.contract import Absent, Answer, Input, Json, Name, Paged, SessionId, Text
from apps.api.erasure.contract import ErasureSubject
from apps.api.memories.contract import FeedbackInput, RememberInput
from apps.api.sessions.contract import IngestLine
from apps.api.triggers.contract import TriggerInput
from apps.core.clock import now
from apps.erasure.results import LineKind
from apps.erasure.services.exporting import MOST_CONDENSED, MOST_MESSAGES
from apps.lessons.models import LessonStatus
from apps.memory.documents import CONDENSED, MERGED
from apps.memory.requests import CarriedState, Condensed, Former, FormerReason, NewMemory
from memory_platform.consolidation.gating import GateReason
from memory_platform.errors import Invalid
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.lifecycle.lessons import LONGEST_REQUEST, Pattern
from memory_platform.model import FiledBy, Status, Verdict, Visibility

MOST_LINES: Final = 500
MOST_CLAIMS: Final = 10_000
_PUT_ASIDE: Final = frozenset({Status.STALE, Status.ARCHIVED})
_LET_IN: Final = frozenset({GateReason.AMBIGUOUS, GateReason.EXTRACTOR_HELD, GateReason.UNSUPPORTED, CONDENSED})
"""Why the gate would hold what somebody let in, or what the platform itself said."""


class ExportInput(ErasureSubject, Paged):
    """About whom or what, and which page of it."""


class ExportedLine(Answer):
    """A line of an export."""

    kind: LineKind = Field(description="What the line is; a RECORD is to be read, not to be imported.")
    content: Json = Field(description="The line as JSON: what an import takes.")
    markdown: str = Field(description="The same for people, in one line.")


class ImportInput(Input):
    """Lines of an export, in their order."""

    lines: Annotated[Json, Admission.NOT_KEPT] = Field(description=f"A list of at most {MOST_LINES}.")

    def as_lines(self) -> Sequence[Any]:
        """Raises Invalid."""
        if not isinstance(self.lines, list) or len(self.lines) > MOST_LINES:
            raise Invalid(f"lines is a list of at most {MOST_LINES} lines.", field="lines")
        return self.lines


Agent = Annotated[str | None, Field(max_length=LONGEST_NAME, exclude=True, description="Whose it was.")]
ExternalId = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
ClaimHash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Code = Annotated[str, Field(pattern="^[a-z_]{0,32}$")]


class MessageLine(IngestLine):
    """What is learnt from of a line that is a message."""

    agent_id: Agent = None
    ended_claims: Annotated[frozenset[ClaimHash], Field(max_length=MOST_CLAIMS)] = Field(
        default=frozenset(),
        description="Hashes of what it said that was forgotten or corrected.",
    )
    ended_at: AwareDatetime | None = Field(default=None, description="When the last of them was.")


class MessageName(Input):
    """A message by what it is called wherever it is imported."""

    session_id: SessionId
    external_id: ExternalId = Field(description="The message's id.")
    agent_id: Agent = None


Messages = Annotated[tuple[MessageName, ...], Field(max_length=MOST_MESSAGES)]


class MemoryName(Input):
    """A memory by what it is called wherever it is imported.

    One that was remembered is named by the id it has then, one that was learnt by the hash of what it says.
    """

    memory_id: ExternalId | None = Field(default=None, description="The id under which the memory is remembered.")
    claim: ClaimHash | None = Field(default=None, description="The hash of what the memory says.")
    messages: Messages = Field(default=(), description="The messages it rests on.")


class MemoryLine(RememberInput):
    """What is remembered of a line that is a memory."""

    external_id: ExternalId = Field(description="The caller's own id of it.")
    agent_id: Agent = None
    recorded_at: AwareDatetime | None = Field(default=None, exclude=True, description="Since when it was believed.")
    filed_by: FiledBy = Field(default=FiledBy.GIVEN, exclude=True, description="Who said where it belongs.")
    protected: bool = Field(default=False, exclude=True, description="Whether somebody vouched for it.")
    confirmed_at: AwareDatetime | None = Field(default=None, exclude=True, description="When somebody did so last.")
    status: Status = Field(default=Status.ACTIVE, exclude=True, description="How it stood.")
    status_reason: Code = Field(default="", exclude=True, description="Why it stood so.")
    verdict: Verdict = Field(default=Verdict.ALLOW, exclude=True, description="Whether it waited for a review.")
    verdict_reason: Code = Field(default="", exclude=True, description="Why it did.")

    @override
    def as_new(self) -> NewMemory:
        return NewMemory(**self.model_dump(), carried=self._carried())

    def _carried(self) -> CarriedState:
        """What feedback brought about is brought about by that again."""
        is_put_aside = self.status in _PUT_ASIDE and self.status_reason not in {Opinion.OUTDATED, MERGED}
        return CarriedState(
            protected=self.protected,
            confirmed_at=self.confirmed_at,
            recorded_at=self.recorded_at,
            filed_by=self.filed_by if self.category else None,
            is_held=self.verdict is Verdict.HOLD and self.verdict_reason != Opinion.WRONG,
            is_reviewed=self.verdict is Verdict.ALLOW and self.verdict_reason in _LET_IN,
            status=self.status if is_put_aside else Status.ACTIVE,
            status_reason=self.status_reason if is_put_aside else "",
        )


class FormerLine(MemoryLine):
    """What is kept as history of a line that is a memory whose place another took; one that is learnt again (`claim`)
    gives way again.
    """

    claim: ClaimHash | None = Field(default=None, exclude=True, description="The hash of what is learnt again.")
    lead_in: Text = Field(default="", description="What it leans on.")
    messages: Messages = Field(default=(), exclude=True, description="The messages it was learnt from.")
    held_until: AwareDatetime | None = Field(
        default=None, exclude=True, description="Until when it was true before another took its place."
    )
    retracted_at: AwareDatetime | None = Field(
        default=None, exclude=True, description="Since when it counts as never true."
    )
    replaced_by: MemoryName | None = Field(default=None, exclude=True, description="What took its place.")
    status_reason: FormerReason = Field(exclude=True, description="Why it did.")

    @model_validator(mode="after")
    def _has_ended(self) -> Self:
        _ = self.ended_at
        return self

    @property
    def ended_at(self) -> datetime:
        """Raises ValueError where nothing says when."""
        if ended_at := self.retracted_at or self.valid_until:
            return ended_at
        raise ValueError("What was replaced has ended; it has valid_until or retracted_at.")

    @property
    def names(self) -> tuple[MemoryName, ...]:
        """What must be here before it."""
        own = MemoryName(messages=self.messages)
        return (own,) if self.replaced_by is None else (own, self.replaced_by)

    def as_former(self, *, by: UUID | None, resource_ids: Sequence[UUID]) -> NewMemory:
        """What it was there is history here, whatever took its place."""
        retracted_at = self.retracted_at and min(self.retracted_at, now())
        former = Former(by, self.status_reason, self.valid_until, retracted_at, tuple(resource_ids))
        return replace(self.as_new(), valid_until=self.held_until, purpose=former)


class InsightLine(MemoryLine):
    """What is told in short again of a line that is an insight."""

    condenses: Annotated[tuple[MemoryName, ...], Field(min_length=1, max_length=MOST_CONDENSED)] = Field(
        exclude=True, description="The memories it tells of."
    )

    @property
    def names(self) -> tuple[MemoryName, ...]:
        """What must be here before it."""
        return self.condenses

    def as_insight(self, item_ids: Sequence[UUID]) -> NewMemory:
        return replace(self.as_new(), purpose=Condensed(tuple(item_ids)))


class TriggerLine(TriggerInput):
    """What is set again of a line that is a trigger; memories to show have other ids where it is imported."""

    external_id: ExternalId = Field(description="Its id where it was set.")


class FollowingLine(MemoryName):
    """A line that is about a memory, or about messages, which come before it."""

    external_id: ExternalId = Field(description="Its id where it was exported.")
    user_id: Name | None = Field(default=None, description="Of whom it is; absent: of no user.")
    visibility: Visibility = Visibility.PRIVATE

    @property
    def names(self) -> tuple[MemoryName, ...]:
        """What must be here before it."""
        return (self,)


class ConfirmationLine(FollowingLine):
    """What is vouched for again of a line that is a memory, which is learnt again from its messages."""

    confirmed_at: AwareDatetime = Field(description="When somebody vouched for it last.")


class FeedbackLine(FollowingLine, FeedbackInput):
    """What is said again of a memory."""

    by: Annotated[str, Field(pattern="^[a-z]+(:[a-z0-9-]+)?$", max_length=64)] = Field(description="Who said so.")
    by_agent_id: Name | None = Field(default=None, description="Which agent did.")
    at: AwareDatetime = Field(description="When.")


class TaughtLine(FollowingLine):
    """What is a lesson again, or was dismissed as one."""

    pattern: Pattern
    status: LessonStatus
    text: Annotated[str, Field(max_length=LONGEST_REQUEST)] = Field(default="", description="What is asked for.")


class ImportStatus(StrEnum):
    """What became of a line that was imported."""

    ACCEPTED = "accepted"
    """It was stored."""
    DUPLICATE = "duplicate"
    """It was known already."""
    FORGOTTEN = "forgotten"
    """It was forgotten here, is about what was, or copies a message of which something was; nothing is stored."""
    INVALID = "invalid"
    """It is no valid line."""
    CONFLICT = "conflict"
    """It differs from what is stored under its id."""
    REFUSED = "refused"
    """It is to be sent again, later."""
    SKIPPED = "skipped"
    """It is to be read only, is learnt again from its messages, or is about what is not here."""


class ImportedLine(Answer):
    """What became of a line, counted from 1. REFUSED: the rate limit was reached, or what it is about is not learnt
    yet; send it again later.
    """

    line: int
    status: ImportStatus = Field(description="What became of it.")
    id: UUID | None = Field(description="Of what the line became.")
    error: Absent
    field: Absent


class Imported(Answer):
    """`refused` lines met the rate limit, or came before what they are about was learnt: send them again after
    `retryAfter` seconds.
    """

    accepted: int
    duplicate: int
    forgotten: int
    invalid: int
    conflict: int
    refused: int
    skipped: int = Field(description="How many lines are to be read only, or about what is not here.")
    retry_after: float | None
    results: list[ImportedLine]
