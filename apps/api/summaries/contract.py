"""Summaries: what is held of a category, in words."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from apps.api.contract import Absent, Answer, ForUser, Input, UserId
from memory_platform.model import Visibility


class SummariesInput(ForUser):
    """Whose summaries are listed."""


class WhichSummary(Input):
    """Whose summary of a category."""

    user_id: UserId = None
    visibility: Visibility = Field(
        default=Visibility.PRIVATE, description="SHARED: of what agents share; needs the scope share."
    )


class SummaryListed(Answer):
    """A category in which something is held. No `updated_at`: no summary is written yet."""

    category: str
    user_id: str | None
    visibility: Visibility
    items: int = Field(description="Current memories.")
    version: int = Field(description="The number of the last version; 0: none is written yet.")
    updated_at: datetime | None = Field(description="When that was written; null: none is.")


class SummarySource(Answer):
    """A memory that a summary rests on."""

    memory_id: UUID = Field(validation_alias="id", description="The memory, by its id.")
    text: str
    said_at: datetime


class Summary(Answer):
    category: str
    user_id: str | None
    visibility: Visibility
    text: str = Field(description="Markdown; empty when nothing is held any more.")
    version: int = Field(
        description="0: arranged for this answer, because none is written yet, or it rests on what was forgotten since."
    )
    writer: str
    updated_at: datetime = Field(description="When it was written, or arranged for this answer.")
    is_current: bool = Field(description="It rests on what is held now; otherwise a job is to write it anew.")
    sources: list[SummarySource] = Field(description="The memories it rests on, the last said first.")


class SummaryVersion(Answer):
    """A summary as it stood from `at` on."""

    number: int = Field(description="Its number, from 1.")
    at: datetime = Field(description="When it was written.")
    writer: str
    degraded: Absent = Field(description="Why rules wrote it and not the model; `unsupported`: its draft said more.")
    text: str
    diff: str = Field(description="What changed since the version before: lines with + and -.")
    memory_ids: list[UUID] = Field(validation_alias="item_ids", description="The memories it rests on.")
