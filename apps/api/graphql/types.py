"""The shapes of answers. Resolvers return the services' own records, which are read attribute by attribute."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

import strawberry

from apps.api.flows.entities import other_names
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import JSON
from apps.core.paging import page
from apps.graph.results import EntityProfile, EntityView
from apps.jobs.models import JobState
from apps.memory.results import OpenLinkKind, PendingStep, WriteOutcome
from apps.tenants.models import ApiKey as ApiKeyRow
from memory_platform.knowledge.graph import EntityType, NodeKind, RelationKind
from memory_platform.model import (
    Intent,
    Kind,
    Mood,
    Priority,
    Profile,
    Relevance,
    Sentiment,
    Status,
    Strength,
    TrustTag,
    Unit,
    Verdict,
    Visibility,
)


def shaped(record: object) -> Any:
    """A service's record as the GraphQL type whose fields it has."""
    return record


def row_id(record: object) -> UUID:
    return shaped(record).id


def agent_slug(record: object, info: Info) -> str | None:
    """The agent's own name, for records that know its id."""
    agent_id = shaped(record).agent_id
    return None if agent_id is None else info.context.reader(info).agent_slugs({agent_id}).get(agent_id)


@strawberry.type
class Count:
    name: str
    count: int


def counts(numbers: Mapping[str, Any]) -> list[Count]:
    """Largest first; what is no number is left out."""
    whole = [(name, value) for name, value in numbers.items() if isinstance(value, int)]
    return [Count(name=str(name), count=value) for name, value in sorted(whole, key=lambda each: (-each[1], each[0]))]


@strawberry.type
class Source:
    """A captured message something rests on; externalId is the caller's own."""

    resource_id: strawberry.ID
    external_id: str | None
    speaker: str | None
    said_at: datetime

    @strawberry.field
    def quote(self) -> str | None:
        return getattr(self, "quote", None)


@strawberry.type
class Version:
    id: strawberry.ID
    at: datetime
    operation: str
    reason: str
    before: JSON
    after: JSON


@strawberry.type(description="Which state a memory speaks of, in its own words; empty where it does not say.")
class Slot:
    subject: str
    attribute: str
    value: str
    qualifier: str = strawberry.field(description="What tells one such state from another: a ticket, an environment.")


@strawberry.type(description="What may be wrong with a memory, until somebody says.")
class OpenLink:
    kind: OpenLinkKind

    @strawberry.field(description="The memory that raises the question; null when it was turned down.")
    def memory(self, info: Info) -> "Memory | None":
        return shaped(info.context.reader(info).memory(shaped(self).other_id))


@strawberry.type
class Memory:
    id: strawberry.ID
    text: str
    lead_in: str = strawberry.field(
        description="What the text leans on: the question it answers, or the clause before; empty when it stands alone."
    )
    slot: Slot
    mood: Mood
    is_negated: bool
    said_by: str = strawberry.field(description="Who says so, where a name is known.")
    reported_by: str = strawberry.field(description="On whose word, where it is reported.")
    language: str
    open_links: list[OpenLink]
    kind: Kind
    category: str
    strength: Strength
    sentiment: Sentiment
    priority: Priority
    confidence: float = strawberry.field(description="What it is worth now.")
    base_confidence: float = strawberry.field(description="What it was when last reinforced.")
    retrieval_priority: float
    verdict: Verdict
    status: Status
    status_reason: str
    protected: bool
    event_time: datetime
    valid_from: datetime
    valid_until: datetime | None
    recorded_at: datetime
    retracted_at: datetime | None
    last_confirmed_at: datetime | None
    expires_at: datetime | None
    access_count: int
    recall_count: int
    merged_count: int
    user_id: str | None
    external_id: str | None
    visibility: Visibility
    entity_names: list[str]
    sources: list[Source]

    @strawberry.field
    def service(self) -> str | None:
        return shaped(self).service or None

    @strawberry.field(description="The agent's own name.")
    def agent_id(self, info: Info) -> str | None:
        return agent_slug(self, info)

    @strawberry.field(description="What it names.")
    def entities(self, info: Info) -> "list[Entity]":
        return shaped(info.context.reader(info).entities_named(shaped(self).entity_names))

    @strawberry.field
    def superseded_by(self, info: Info) -> "Memory | None":
        found = info.context.reader(info).linked_memories(row_id(self), "superseded_by")
        return shaped(found[0] if found else None)

    @strawberry.field
    def supersedes(self, info: Info) -> "list[Memory]":
        return shaped(info.context.reader(info).linked_memories(row_id(self), "supersedes"))

    @strawberry.field
    def versions(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[Version]:
        return shaped(connection(info.context.reader(info).versions(row_id(self), page(first, after)), after=after))


@strawberry.type
class Link:
    """The other end of a merge, a supersession, a contradiction or an act of sharing."""

    id: strawberry.ID
    text: str
    reason: str
    at: datetime
    open: bool
    said_at: datetime
    confidence: float | None = strawberry.field(description="What it is worth now; null for what became no memory.")

    @strawberry.field(description="Who says so: the agent's own name.")
    def agent_id(self, info: Info) -> str | None:
        return agent_slug(self, info)


@strawberry.type
class Explanation:
    versions: list[Version]
    merged: list[Link]
    merged_into: Link | None
    supersedes: list[Link]
    superseded_by: list[Link]
    contradicts: list[Link] = strawberry.field(description="The most trusted first.")
    shared_from: Link | None = strawberry.field(description="The private memory it was shared from; its agent sees it.")
    shared_as: list[Link]

    @strawberry.field
    def memory(self) -> Memory:
        return shaped(self).item

    @strawberry.field
    def sources(self) -> list[Source]:
        return shaped(self).item.sources

    @strawberry.field
    def entities(self) -> list[str]:
        return shaped(self).item.entity_names


@strawberry.type
class RejectionCount:
    """`week` is its Monday, in UTC."""

    week: date
    stage: str
    reason: str
    count: int


@strawberry.type
class Rejection:
    """Something said that became no memory, and why."""

    id: strawberry.ID
    text: str
    stage: str
    verdict: Verdict
    reason: str
    detail: str
    user_id: str | None

    @strawberry.field
    def at(self) -> datetime:
        return shaped(self).created_at

    @strawberry.field
    def scores(self) -> JSON:
        return shaped(dict(shaped(self).scores))

    @strawberry.field
    def sources(self, info: Info) -> list[Source]:
        return shaped(info.context.reader(info).sources_of(shaped(self).resource_id))


@strawberry.type
class WriteResult:
    outcome: WriteOutcome
    reason: str
    supersedes: Memory | None
    pending: list[PendingStep]

    @strawberry.field
    def memory(self) -> Memory | None:
        return shaped(self).item


@strawberry.type
class ForgottenMemory:
    id: strawberry.ID
    text: str


@strawberry.type
class Forgotten:
    batch_id: strawberry.ID | None
    dry_run: bool
    items: list[ForgottenMemory]
    episodes: int


@strawberry.type
class Scores:
    """Null where an arm was silent."""

    vector: float | None
    keyword: float | None
    graph: float | None
    time: float | None
    decay: float | None
    priority: float | None
    sentiment: float | None
    domain: float | None


@strawberry.type
class Hit:
    rank: int
    unit: Unit
    id: strawberry.ID
    text: str
    lead_in: str = strawberry.field(
        description="What the text leans on: the question it answers, or the clause before."
    )
    score: float
    probability: float = strawberry.field(description="That it answers: what the relevance floor tests.")
    relevance: Relevance = strawberry.field(description="LOW: better than nothing, but not sure.")
    scores: Scores
    category: str
    confidence: float | None
    age_days: float
    event_time: datetime | None
    tags: list[TrustTag]
    sources: list[Source]
    episode_id: strawberry.ID | None
    current_fact_ids: list[strawberry.ID] = strawberry.field(description="What has replaced parts of an episode.")
    said_at: datetime | None

    @strawberry.field(description="Whose memory it is: the agent's own name.")
    def agent_id(self) -> str | None:
        return shaped(self).said_by

    @strawberry.field
    def service(self) -> str | None:
        return shaped(self).service or None

    @strawberry.field
    def memory(self, info: Info) -> Memory | None:
        item_id = shaped(self).item_id
        return None if item_id is None else shaped(info.context.reader(info).memory(item_id))


@strawberry.type
class Stage:
    name: str
    milliseconds: float


@strawberry.type
class Arm:
    name: str
    candidates: int


@strawberry.type
class TimeSpan:
    start: datetime
    end: datetime
    phrase: str


@strawberry.type
class RecallExplanation:
    statement: bool
    complexity: str
    gate: float
    floor: float
    candidates: int
    time_range: TimeSpan | None
    stages: list[Stage]
    arms: list[Arm]
    below_floor: list[Hit]


@strawberry.type
class Recall:
    id: strawberry.ID
    hits: list[Hit]
    rewritten_query: str
    intent: Intent
    profile: Profile
    tier: int
    degraded: list[str] = strawberry.field(description="What did not answer as configured; empty when whole.")
    cost_usd: float | None
    took_ms: float
    available: int
    explanation: RecallExplanation | None


@strawberry.type
class ContextBlock:
    recall_id: strawberry.ID
    text: str
    tokens: int
    included: int
    available: int

    @strawberry.field(description="What is in the block, best first.")
    def hits(self) -> list[Hit]:
        return shaped(self).included_hits


@strawberry.type
class Statement:
    """What was said of an entity, and when it was true."""

    kind: RelationKind
    predicate: str
    subject: str
    object: str
    object_id: strawberry.ID | None
    negated: bool
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    resource_id: strawberry.ID | None
    quote: str

    @strawberry.field(description="The memory that says so.")
    def memory_id(self) -> strawberry.ID | None:
        item_id = shaped(self).item_id
        return None if item_id is None else strawberry.ID(str(item_id))


@strawberry.type
class RelatedEntity:
    id: strawberry.ID
    name: str
    type: EntityType
    predicate: str = strawberry.field(description="Empty: the two are mentioned together.")
    outgoing: bool
    weight: float


@strawberry.type
class Speaker:
    """Who spoke of it, in how many messages."""

    name: str | None
    count: int


@strawberry.type
class Entity:
    """Somebody or something that is spoken of; a profile, as far as its fields are asked for."""

    id: strawberry.ID
    name: str
    type: EntityType
    mention_count: int

    @strawberry.field(description="The other names it goes by.")
    def aliases(self, info: Info) -> list[str]:
        return other_names(_row(self, info))

    @strawberry.field
    def summary(self, info: Info) -> str:
        return _profile(self, info).summary

    @strawberry.field
    def first_seen_at(self, info: Info) -> datetime:
        return _row(self, info).first_seen_at

    @strawberry.field
    def last_seen_at(self, info: Info) -> datetime:
        return _row(self, info).last_seen_at

    @strawberry.field(description="What is true of it at the time asked for.")
    def facts(self, info: Info) -> list[Memory]:
        return shaped(_profile(self, info).facts)

    @strawberry.field(description="What was said of it, by time; what is no longer true included.")
    def timeline(self, info: Info) -> list[Statement]:
        return shaped(_profile(self, info).timeline)

    @strawberry.field
    def related(self, info: Info) -> list[RelatedEntity]:
        return shaped(_profile(self, info).related)

    @strawberry.field
    def said_by(self, info: Info) -> list[Speaker]:
        return shaped(_profile(self, info).who_said)


def _row(record: object, info: Info) -> EntityView | EntityProfile:
    """What a list already knows of an entity; else its profile."""
    return record if isinstance(record, EntityView) else _profile(record, info)


def _profile(record: object, info: Info) -> EntityProfile:
    return record if isinstance(record, EntityProfile) else info.context.profile(info, row_id(record))


@strawberry.type
class PathNode:
    """An entity by its name, a memory or a message by its text."""

    kind: NodeKind
    id: strawberry.ID
    text: str


@strawberry.type
class PathStep:
    kind: RelationKind
    predicate: str
    start: PathNode
    end: PathNode
    forward: bool = strawberry.field(description="The relation runs from start to end.")
    fact: str = strawberry.field(description="What it rests on.")
    sources: list[Source]


@strawberry.type
class SharedDomain:
    """A domain is a category; agents are the sharing agents' own names."""

    domain: str
    memories: int
    agents: list[str]
    last_write_at: datetime


@strawberry.type
class Feedback:
    recall_id: strawberry.ID
    used: int
    ignored: int


@strawberry.type
class Capture:
    turn_number: int
    resource_ids: list[strawberry.ID]
    job_ids: list[strawberry.ID]
    duplicate: bool

    @strawberry.field
    def session_id(self) -> str:
        return shaped(self).session_external_id


@strawberry.type
class Session:
    id: strawberry.ID
    user_id: str | None
    started_at: datetime
    last_active_at: datetime
    ended_at: datetime | None

    @strawberry.field(description="The caller's own id.")
    def session_id(self) -> str:
        return shaped(self).external_id

    @strawberry.field(description="The agent's own name.")
    def agent_id(self, info: Info) -> str | None:
        return agent_slug(self, info)

    @strawberry.field
    def turns(self) -> int:
        return shaped(self).next_turn - 1


@strawberry.type
class Checkpoint:
    id: strawberry.ID
    turn_number: int
    user_id: str | None
    user_input: str | None
    tool_calls: JSON | None
    llm_output: str | None
    internal_state: JSON | None
    occurred_at: datetime


@strawberry.type
class Job:
    id: strawberry.ID
    name: str
    state: JobState
    attempts: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @strawberry.field(description="Reason code; never content.")
    def error(self) -> str | None:
        return shaped(self).error or None

    @strawberry.field(description="What it achieved, in counts.")
    def outcome(self) -> list[Count]:
        return counts(shaped(self).outcome)


@strawberry.type
class JournalEntry:
    id: strawberry.ID
    at: datetime
    operation: str
    actor: str
    request_id: str
    data: JSON
    action: str
    tool: str
    detail: str
    reason: str
    subject: str
    subject_id: strawberry.ID | None

    @strawberry.field(description="The agent's own name.")
    def agent_id(self, info: Info) -> str | None:
        return agent_slug(self, info)


@strawberry.type
class Stats:
    items: int
    episodes: int
    rejections: int
    open_contradictions: int
    jobs_queued: int = strawberry.field(description="Waiting or running in the tenant.")

    @strawberry.field
    def by_status(self) -> list[Count]:
        return counts(shaped(self).by_status)

    @strawberry.field
    def by_verdict(self) -> list[Count]:
        return counts(shaped(self).by_verdict)

    @strawberry.field
    def by_category(self) -> list[Count]:
        return counts(shaped(self).by_category)


@strawberry.type
class Limit:
    name: str
    per_minute: int


@strawberry.type
class Viewer:
    tenant: str
    agent_id: str
    domain: str | None
    user_id: str | None = strawberry.field(description="The one user this key or request speaks for.")
    scopes: list[ApiKeyRow.Scope]
    limits: list[Limit]


@strawberry.type
class ApiKey:
    id: strawberry.ID
    prefix: str
    name: str
    user_id: str | None = strawberry.field(description="The one user it is bound to.")
    scopes: list[ApiKeyRow.Scope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    @strawberry.field(description="The agent's own name.")
    def agent_id(self) -> str:
        return shaped(self).agent.slug


@strawberry.type
class NewApiKey:
    """The token is shown this once."""

    token: str
    key: ApiKey
