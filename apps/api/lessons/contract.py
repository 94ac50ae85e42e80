"""Lessons: what users taught an agent, and the file that says so."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from apps.api.contract import Absent, AgentName, Answer, ForUser, Input, PageOf, UserId, queried
from apps.api.recall.contract import TOKENS_AT_MOST
from apps.lessons import requests
from apps.lessons.models import LessonStatus
from memory_platform.lifecycle.lessons import Pattern
from memory_platform.model import Visibility

FileTokens = Annotated[
    int | None,
    Field(
        ge=1, le=TOKENS_AT_MOST, description="Tokens of the file at most; default: the policy's `lesson_file_tokens`."
    ),
]


class LessonFilter(ForUser):
    statuses: tuple[LessonStatus, ...] | None = Field(
        default=None, max_length=len(LessonStatus), description="Default: what holds, that is active."
    )

    def as_filter(self) -> requests.LessonFilter:
        return requests.LessonFilter(self.statuses)


class LessonsInput(LessonFilter, PageOf):
    """The query string of a list of lessons."""

    model_config = queried(statuses="status")


class LessonsFileInput(Input):
    """Whose file: an agent's with one user; without a user what holds for all of them."""

    user_id: UserId = None
    max_tokens: FileTokens = None


class Evidence(Answer):
    """A message that says it, and its words."""

    resource_id: UUID
    said_at: datetime
    quote: str


class Lesson(Answer):
    """What a user wants done otherwise from now on, or asks for again and again."""

    id: UUID
    pattern: Pattern = Field(description="What makes it a lesson.")
    text: str
    scope: str = Field(description="The service or the category it is about.")
    instead_of: Absent = Field(description="What was wrong, of a correction.")
    replaces: list[str] = Field(description="What the lessons said whose place it took, the oldest first.")
    heard: int = Field(description="How many messages say it.")
    last_heard_at: datetime = Field(description="When a message said it last.")
    evidence: list[Evidence] = Field(description="The messages that say it.")
    item_id: UUID | None = Field(description="The memory it stands on; null for a request.")
    status: LessonStatus
    replaced_by_id: UUID | None = Field(description="The lesson that took its place; null: none did.")
    agent_id: AgentName
    user_id: str | None
    visibility: Visibility
    created_at: datetime


class LessonsFile(Answer):
    """The lessons file, in Markdown; empty when there are none."""

    text: str = Field(description="The file; empty: there are no lessons.")
    tokens: int
