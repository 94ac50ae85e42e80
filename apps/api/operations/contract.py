"""Operations: who is asking, how much is held, what waits, and the journal of what was done."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from pydantic import BeforeValidator, Field

from apps.api.contract import (
    Absent,
    AgentName,
    Answer,
    Counts,
    ForOneUser,
    Input,
    InTime,
    Json,
    Name,
    Paged,
    Text,
    UserId,
)
from apps.jobs.models import JobState
from apps.journal.selectors import EntryFilter
from apps.tenants.models import ApiKey


class JournalFilter(InTime):
    """Which entries of the journal."""

    operation: Name | None = Field(default=None, description="What was done, by its code, such as turn.captured.")
    actor: Name | None = Field(default=None, description="By whom, as the entries name it.")
    agent_id: Name | None = Field(default=None, description="Of this agent, by its own name.")
    subject_id: UUID | None = None
    request_id: Name | None = Field(default=None, description="In this request, by its X-Request-ID.")

    def as_filter(self) -> EntryFilter:
        """But for the agent, who is named in the caller's words."""
        return EntryFilter(
            operation=self.operation,
            actor=self.actor,
            subject_id=self.subject_id,
            request_id=self.request_id,
            since=self.since,
            until=self.until,
        )


class JournalInput(JournalFilter, Paged):
    """The query string of a list of entries."""

    user_id: UserId = None


JOBS_AT_ONCE: Final = 100
CountedUser = Annotated[Name | None, Field(description="Counts over this user's alone; absent: over every user's.")]


class JobsInput(Input):
    """The query string of jobs by id."""

    ids: tuple[UUID, ...] = Field(max_length=JOBS_AT_ONCE, description="Jobs, by their ids.")


class StatsInput(ForOneUser):
    user_id: CountedUser = None


class LogInput(Input):
    action: str = Field(min_length=1, max_length=64, description="The verb: deployed, restarted, decided.")
    tool: str = Field(default="", max_length=128, description="The noun: what was used or acted on.")
    detail: Text = Field(default="", description="What was done, in words.")
    reason: Text = Field(default="", description="Why, in words.")
    session_id: Name | None = Field(default=None, description="In which session; made when new. Its words go with it.")
    user_id: Name | None = Field(default=None, description="Whose session it is.")


def _codes(held: object) -> object:
    """By name; what is a number, or says nothing, is left out."""
    if not isinstance(held, Mapping):
        return held
    words = sorted((str(name), value) for name, value in held.items() if isinstance(value, str) and value)
    return [{"name": name, "code": value} for name, value in words]


class JobCode(Answer):
    """What a job says of itself in a word: `extractor` is who read, `degraded` what was missing."""

    name: str
    code: str


class Job(Answer):
    id: UUID
    name: str
    state: JobState
    attempts: int
    error: Absent = Field(description="Reason code; never content.")
    outcome: Counts = Field(description="What it achieved, in counts.")
    codes: Annotated[list[JobCode], BeforeValidator(_codes)] = Field(
        validation_alias="outcome", description="How it went, in words: which model read, what was missing."
    )
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class JournalEntry(Answer):
    """One thing that happened; the last four are empty but for entries an agent wrote itself."""

    id: UUID
    at: datetime
    operation: str
    actor: str
    agent_id: AgentName
    subject: str
    subject_id: UUID | None
    request_id: str
    data: Json
    action: str
    tool: str
    detail: str
    reason: str


class Tier(Answer):
    """What answered recalls: 0 for what to begin with, 1 for summaries, 2 for a search."""

    tier: int
    recalls: int
    answered: int = Field(description="Those with at least one hit.")
    percent: int = Field(description="The hit rate.")


class Stats(Answer):
    """Counts over what the caller may read."""

    items: int
    by_status: Counts
    by_verdict: Counts
    by_category: Counts
    episodes: int
    rejections: int
    open_contradictions: int
    jobs_queued: int = Field(description="Waiting or running in the tenant.")
    tiers: list[Tier] = Field(description="How recalls of the last 30 days were answered.")


class Limit(Answer):
    name: str
    per_minute: int


class Viewer(Answer):
    """The caller: `tenant` is the slug, `agent_id` the agent's own name."""

    tenant: str
    agent_id: str
    domain: str | None
    user_id: str | None = Field(description="The one user this key or request speaks for.")
    scopes: list[ApiKey.Scope]
    limits: list[Limit]
