"""Exporting everything about somebody or something, and importing it again."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import AwareDatetime, Field
from typing_extensions import override

from apps.api.admission import LONGEST_NAME, Admission
from apps.api.contract import Absent, Answer, Input, Json, Name, Paged, SessionId
from apps.api.erasure.contract import ErasureSubject
from apps.api.memories.contract import FeedbackInput, RememberInput
from apps.api.sessions.contract import IngestLine
from apps.api.triggers.contract import TriggerInput
from apps.erasure.results import LineKind
from apps.erasure.services.exporting import MOST_MESSAGES
from apps.lessons.models import LessonStatus
from apps.memory.requests import NewMemory
from memory_platform.errors import Invalid
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.lifecycle.lessons import LONGEST_REQUEST, Pattern
from memory_platform.model import Status, Verdict, Visibility

MOST_LINES: Final = 500
MOST_CLAIMS: Final = 10_000


class ExportInput(ErasureSubject, Paged):
    """About whom or what, and which page of it."""


class ExportedLine(Answer):
    """A line of an export."""

    kind: LineKind
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


class MemoryLine(RememberInput):
    """What is remembered of a line that is a memory."""

    external_id: ExternalId = Field(description="The caller's own id of it.")
    agent_id: Agent = None
    valid_from: datetime | None = Field(default=None, description="Since when it is true.")
    valid_until: datetime | None = Field(default=None, description="Until when it was true.")
    protected: bool = Field(default=False, exclude=True, description="Whether somebody vouched for it.")
    status: Status = Field(default=Status.ACTIVE, exclude=True, description="How it stood.")
    status_reason: Code = Field(default="", exclude=True, description="Why it stood so.")
    verdict: Verdict = Field(default=Verdict.ALLOW, exclude=True, description="Whether it waited for a review.")
    verdict_reason: Code = Field(default="", exclude=True, description="Why it did.")

    @override
    def as_new(self) -> NewMemory:
        """What feedback brought about is brought about by that again."""
        is_put_aside = self.status in {Status.STALE, Status.ARCHIVED} and self.status_reason != Opinion.OUTDATED
        return NewMemory(
            **self.model_dump(),
            protected=self.protected,
            is_held=self.verdict is Verdict.HOLD and self.verdict_reason != Opinion.WRONG,
            status=self.status if is_put_aside else Status.ACTIVE,
            status_reason=self.status_reason if is_put_aside else "",
        )


class TriggerLine(TriggerInput):
    """What is set again of a line that is a trigger; memories to show have other ids where it is imported."""

    external_id: ExternalId = Field(description="Its id where it was set.")


class MessageName(Input):
    """A message by what it is called wherever it is imported."""

    session_id: SessionId
    external_id: ExternalId = Field(description="The message's id.")
    agent_id: Agent = None


class FollowingLine(Input):
    """A line that is about a memory, or about messages, which come before it.

    A memory that was remembered is named by the id it has then, one that was learnt by the hash of what it says.
    """

    external_id: ExternalId = Field(description="Its id where it was exported.")
    user_id: Name | None = Field(default=None, description="Of whom it is; absent: of no user.")
    visibility: Visibility = Visibility.PRIVATE
    memory_id: ExternalId | None = Field(default=None, description="The id under which the memory is remembered.")
    claim: ClaimHash | None = Field(default=None, description="The hash of what the memory says.")
    messages: Annotated[tuple[MessageName, ...], Field(max_length=MOST_MESSAGES)] = Field(
        default=(), description="The messages it rests on."
    )


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
    """SKIPPED: a line that is to be read only, whose memory is learnt again from its messages, or that is about what
    is not here. FORGOTTEN: a memory or trigger that was forgotten, what is about one, or a copy of a message of which
    something was; nothing is stored.
    """

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    FORGOTTEN = "forgotten"
    INVALID = "invalid"
    CONFLICT = "conflict"
    REFUSED = "refused"
    SKIPPED = "skipped"


class ImportedLine(Answer):
    """What became of a line, counted from 1. REFUSED: the rate limit was reached, or what it is about is not learnt
    yet; send it again later.
    """

    line: int
    status: ImportStatus
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
    skipped: int
    retry_after: float | None
    results: list[ImportedLine]
