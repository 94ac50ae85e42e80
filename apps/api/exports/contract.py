"""Exporting everything about somebody or something, and importing it again."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import AwareDatetime, Field

from apps.api.admission import LONGEST_NAME, Admission
from apps.api.contract import Absent, Answer, Input, Json, Paged
from apps.api.erasure.contract import ErasureSubject
from apps.api.memories.contract import RememberInput
from apps.api.sessions.contract import IngestLine
from apps.api.triggers.contract import TriggerInput
from apps.erasure.results import LineKind
from memory_platform.errors import Invalid

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
ClaimHash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


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

    external_id: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="The caller's own id of it.")
    agent_id: Agent = None
    valid_from: datetime | None = Field(default=None, description="Since when it is true.")
    valid_until: datetime | None = Field(default=None, description="Until when it was true.")
    protected: bool = Field(default=False, exclude=True, description="Whether somebody vouched for it.")
    status: str | None = Field(default=None, max_length=10, exclude=True, description="How it stood.")
    status_reason: Annotated[str, Field(pattern="^[a-z_]{0,32}$")] = Field(
        default="", exclude=True, description="Why it was archived."
    )


class TriggerLine(TriggerInput):
    """What is set again of a line that is a trigger; memories to show have other ids where it is imported."""

    external_id: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="Its id where it was set.")


class ImportStatus(StrEnum):
    """SKIPPED: a line that is to be read only, or whose memory is learnt again from its messages. FORGOTTEN: a memory
    or trigger that was forgotten, or a copy of a message of which something was; nothing is stored.
    """

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    FORGOTTEN = "forgotten"
    INVALID = "invalid"
    CONFLICT = "conflict"
    REFUSED = "refused"
    SKIPPED = "skipped"


class ImportedLine(Answer):
    """What became of a line, counted from 1. REFUSED: the rate limit was reached; send it again later."""

    line: int
    status: ImportStatus
    id: UUID | None = Field(description="Of the message, memory or trigger.")
    error: Absent
    field: Absent


class Imported(Answer):
    """`refused` lines met the rate limit: send them again after `retryAfter` seconds."""

    accepted: int
    duplicate: int
    forgotten: int
    invalid: int
    conflict: int
    refused: int
    skipped: int
    retry_after: float | None
    results: list[ImportedLine]
