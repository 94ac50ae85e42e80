"""What lessons answer."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.lessons.models import LessonStatus
from memory_platform.lifecycle.lessons import Pattern
from memory_platform.model import Audience, Visibility


@dataclass(frozen=True, slots=True)
class Evidence:
    """A message that says it, and its words."""

    resource_id: UUID
    said_at: datetime
    quote: str


@dataclass(frozen=True, slots=True)
class ExportedLesson:
    """A lesson as it was exported, and whose it is to be; `text` is what a repeated request asks for."""

    owner: Audience
    pattern: Pattern
    status: LessonStatus
    text: str = ""


@dataclass(frozen=True, slots=True)
class LessonView:
    """A lesson as readers see it. `scope` is the service or the category it is about, `instead_of` what was wrong,
    `replaces` what the lessons said whose place it took.
    """

    id: UUID
    pattern: Pattern
    text: str
    scope: str
    instead_of: str
    replaces: tuple[str, ...]
    heard: int
    last_heard_at: datetime
    evidence: tuple[Evidence, ...]
    item_id: UUID | None
    status: LessonStatus
    replaced_by_id: UUID | None
    agent_id: UUID
    user_id: str | None
    visibility: Visibility
    created_at: datetime


@dataclass(frozen=True, slots=True)
class LessonsFile:
    """The lessons file: Markdown, its tokens, and the lessons that are in it."""

    text: str
    tokens: int
    lessons: tuple[LessonView, ...]


@dataclass(frozen=True, slots=True)
class Taught:
    """What a run did: lessons made, changed (ended, superseded, given back)."""

    made: int = 0
    changed: int = 0
