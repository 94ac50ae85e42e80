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
    subject_id: UUID | None = Field(default=None, description="Of what this id names, such as a memory.")
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

    name: str = Field(description="What the code is of, such as extractor or degraded.")
    code: str = Field(description="What the job says of that, in a word.")


class Job(Answer):
    id: UUID
    name: str = Field(description="What it does, by its code, such as memory.observe.")
    state: JobState
    attempts: int = Field(description="How often it was begun; retrying counts anew.")
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
    operation: str = Field(description="What was done, by its code, such as turn.captured.")
    actor: str = Field(description="Who did it: agent, member: and the number of a login, or a part of the platform.")
    agent_id: AgentName
    subject: str = Field(description="What kind of thing it was done to; empty: none.")
    subject_id: UUID | None = Field(description="The id of that thing; null: none.")
    request_id: str = Field(description="The X-Request-ID of the request it was done in; empty: none.")
    data: Json = Field(description="Ids, counts and codes, by name.")
    action: str = Field(description="The verb that an agent logged, such as deployed.")
    tool: str = Field(description="What was used or acted on.")
    detail: str = Field(description="What was done, in the agent's words.")
    reason: str = Field(description="Why, in the agent's words.")


class Tier(Answer):
    """What answered recalls: 0 for what to begin with, 1 for summaries, 2 for a search."""

    tier: int
    recalls: int = Field(description="How many recalls it answered, with hits or without.")
    answered: int = Field(description="Those with at least one hit.")
    percent: int = Field(description="The hit rate.")


class Stats(Answer):
    """Counts over what the caller may read."""

    items: int = Field(description="Memories, whatever their status; merged ones count as one.")
    by_status: Counts = Field(description="Memories by status, the most first.")
    by_verdict: Counts = Field(description="Memories by verdict, the most first.")
    by_category: Counts = Field(description="Memories by category, the most first.")
    episodes: int = Field(description="Captured messages.")
    rejections: int = Field(description="What was turned down, as long as that is kept.")
    open_contradictions: int = Field(description="Contradictions of current memories that nobody has settled.")
    jobs_queued: int = Field(description="Waiting or running in the tenant.")
    tiers: list[Tier] = Field(description="How recalls were answered in the last days: the policy's `report_days`.")


class Limit(Answer):
    name: str = Field(description="What is limited: requests, writes, captures or ingest_lines.")
    per_minute: int = Field(description="How many a minute.")


class Viewer(Answer):
    """The caller: `tenant` is the slug, `agent_id` the agent's own name."""

    tenant: str = Field(description="The tenant's slug.")
    agent_id: str
    domain: str | None = Field(description="The agent's home category, by its slug; null: none.")
    user_id: str | None = Field(description="The one user this key or request speaks for.")
    scopes: list[ApiKey.Scope] = Field(description="What the caller may do.")
    limits: list[Limit] = Field(description="How often the caller may do what.")
