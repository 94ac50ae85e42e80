"""What REST answers: the services' records in snake case."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Generic, TypeVar, cast
from uuid import UUID

from ninja import Schema
from pydantic import JsonValue

from apps.api.flows.entities import other_names
from apps.core.paging import Slice
from apps.jobs.models import JobState
from apps.memory.results import OpenLinkKind, PendingStep, WriteOutcome
from apps.tenants.models import ApiKey
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

Row = TypeVar("Row")


class PageAnswer(Schema, Generic[Row]):
    """`next` is the cursor to pass as `after`; null on the last page."""

    items: list[Row]
    next: str | None


def page_of(cut: Slice[Any]) -> dict[str, object]:
    return {"items": list(cut.rows), "next": cut.end_cursor if cut.has_next else None}


class SourceAnswer(Schema):
    resource_id: UUID
    external_id: str | None
    speaker: str | None
    said_at: datetime
    quote: str


class SlotAnswer(Schema):
    subject: str
    attribute: str
    value: str
    qualifier: str


class OpenLinkAnswer(Schema):
    kind: OpenLinkKind
    other_id: UUID


class MemoryAnswer(Schema):
    id: UUID
    text: str
    lead_in: str
    slot: SlotAnswer
    mood: Mood
    is_negated: bool
    said_by: str
    reported_by: str
    language: str
    open_links: list[OpenLinkAnswer]
    kind: Kind
    category: str
    service: str
    entity_names: list[str]
    strength: Strength
    sentiment: Sentiment
    priority: Priority
    confidence: float
    base_confidence: float
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
    agent_id: str | None
    sources: list[SourceAnswer]

    @staticmethod
    def resolve_agent_id(record: Any, context: Any) -> str | None:
        return _slug(record, context)


class LinkAnswer(Schema):
    id: UUID
    text: str
    reason: str
    at: datetime
    open: bool
    agent_id: str | None
    said_at: datetime
    confidence: float | None

    @staticmethod
    def resolve_agent_id(record: Any, context: Any) -> str | None:
        return _slug(record, context)


class VersionAnswer(Schema):
    id: UUID
    at: datetime
    operation: str
    reason: str
    before: dict[str, JsonValue]
    after: dict[str, JsonValue]


class ExplanationAnswer(Schema):
    memory: MemoryAnswer
    versions: list[VersionAnswer]
    merged: list[LinkAnswer]
    merged_into: LinkAnswer | None
    supersedes: list[LinkAnswer]
    superseded_by: list[LinkAnswer]
    contradicts: list[LinkAnswer]
    shared_from: LinkAnswer | None
    shared_as: list[LinkAnswer]

    @staticmethod
    def resolve_memory(record: Any) -> object:
        return record.item


class RejectionAnswer(Schema):
    id: UUID
    text: str
    stage: str
    verdict: Verdict
    reason: str
    detail: str
    scores: dict[str, float]
    resource_id: UUID | None
    user_id: str | None
    created_at: datetime


class RejectionCountAnswer(Schema):
    """`week` is its Monday, in UTC."""

    week: date
    stage: str
    reason: str
    count: int


class RejectionCountsAnswer(Schema):
    items: list[RejectionCountAnswer]


class WriteAnswer(Schema):
    outcome: WriteOutcome
    memory: MemoryAnswer | None
    reason: str
    supersedes: MemoryAnswer | None
    pending: list[PendingStep]

    @staticmethod
    def resolve_memory(record: Any) -> object:
        return record.item


class ForgottenItemAnswer(Schema):
    id: UUID
    text: str


class ForgottenAnswer(Schema):
    batch_id: UUID | None
    dry_run: bool
    items: list[ForgottenItemAnswer]
    episodes: int


class ScoresAnswer(Schema):
    vector: float | None
    keyword: float | None
    graph: float | None
    time: float | None
    decay: float | None
    priority: float | None
    sentiment: float | None
    domain: float | None


class HitAnswer(Schema):
    rank: int
    unit: Unit
    id: UUID
    text: str
    lead_in: str
    score: float
    probability: float
    relevance: Relevance
    scores: ScoresAnswer
    item_id: UUID | None
    episode_id: UUID | None
    category: str
    service: str
    confidence: float | None
    age_days: float
    event_time: datetime | None
    tags: list[TrustTag]
    sources: list[SourceAnswer]
    current_fact_ids: list[UUID]
    agent_id: str | None
    said_at: datetime | None

    @staticmethod
    def resolve_agent_id(record: Any) -> str | None:
        return str(record.said_by) if record.said_by else None


class StageAnswer(Schema):
    name: str
    milliseconds: float


class ArmAnswer(Schema):
    name: str
    candidates: int


class TimeSpanAnswer(Schema):
    start: datetime
    end: datetime
    phrase: str


class RecallExplanationAnswer(Schema):
    statement: bool
    complexity: str
    gate: float
    floor: float
    candidates: int
    time_range: TimeSpanAnswer | None
    stages: list[StageAnswer]
    arms: list[ArmAnswer]
    below_floor: list[HitAnswer]


class RecallAnswer(Schema):
    id: UUID
    hits: list[HitAnswer]
    rewritten_query: str
    intent: Intent
    profile: Profile
    tier: int
    degraded: list[str]
    cost_usd: float | None
    took_ms: float
    available: int
    explanation: RecallExplanationAnswer | None


class ContextAnswer(Schema):
    recall_id: UUID
    text: str
    tokens: int
    included: int
    available: int
    hits: list[HitAnswer]

    @staticmethod
    def resolve_hits(record: Any) -> object:
        return record.included_hits


class SharedDomainAnswer(Schema):
    """A domain is a category; agents are the sharing agents' own names."""

    domain: str
    memories: int
    agents: list[str]
    last_write_at: datetime


class SharedDomainsAnswer(Schema):
    items: list[SharedDomainAnswer]


class EntityAnswer(Schema):
    id: UUID
    name: str
    type: EntityType
    aliases: list[str]
    mention_count: int
    first_seen_at: datetime
    last_seen_at: datetime

    @staticmethod
    def resolve_aliases(record: Any) -> list[str]:
        return other_names(record)


class StatementAnswer(Schema):
    """What was said of an entity, and when it was true."""

    kind: RelationKind
    predicate: str
    subject: str
    object: str
    object_id: UUID | None
    negated: bool
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    memory_id: UUID | None
    resource_id: UUID | None
    quote: str

    @staticmethod
    def resolve_memory_id(record: Any) -> UUID | None:
        return cast("UUID | None", record.item_id)


class RelatedEntityAnswer(Schema):
    """`predicate` is empty when the two are mentioned together."""

    id: UUID
    name: str
    type: EntityType
    predicate: str
    outgoing: bool
    weight: float


class SpeakerAnswer(Schema):
    name: str | None
    count: int


class EntityProfileAnswer(EntityAnswer):
    summary: str
    facts: list[MemoryAnswer]
    timeline: list[StatementAnswer]
    related: list[RelatedEntityAnswer]
    said_by: list[SpeakerAnswer]

    @staticmethod
    def resolve_said_by(record: Any) -> object:
        return record.who_said


class PathNodeAnswer(Schema):
    """An entity by its name, a memory or a message by its text."""

    kind: NodeKind
    id: UUID
    text: str


class PathSourceAnswer(Schema):
    resource_id: UUID
    external_id: str | None
    speaker: str | None
    said_at: datetime


class PathStepAnswer(Schema):
    """`forward`: the relation runs from start to end; `fact` is what it rests on."""

    kind: RelationKind
    predicate: str
    start: PathNodeAnswer
    end: PathNodeAnswer
    forward: bool
    fact: str
    sources: list[PathSourceAnswer]


class PathAnswer(Schema):
    """`connected` false: not within max_depth hops."""

    connected: bool
    steps: list[PathStepAnswer]


class FeedbackAnswer(Schema):
    recall_id: UUID
    used: int
    ignored: int


class CaptureAnswer(Schema):
    session_id: str
    turn_number: int
    resource_ids: list[UUID]
    job_ids: list[UUID]
    duplicate: bool

    @staticmethod
    def resolve_session_id(record: Any) -> str:
        return str(record.session_external_id)


class SessionAnswer(Schema):
    id: UUID
    session_id: str
    agent_id: str | None
    user_id: str | None
    turns: int
    started_at: datetime
    last_active_at: datetime
    ended_at: datetime | None

    @staticmethod
    def resolve_session_id(record: Any) -> str:
        return str(record.external_id)

    @staticmethod
    def resolve_agent_id(record: Any, context: Any) -> str | None:
        return _slug(record, context)

    @staticmethod
    def resolve_turns(record: Any) -> int:
        return int(record.next_turn) - 1


class CheckpointAnswer(Schema):
    id: UUID
    turn_number: int
    user_id: str | None
    user_input: str | None
    tool_calls: JsonValue
    llm_output: str | None
    internal_state: JsonValue
    occurred_at: datetime


class ReplayAnswer(Schema):
    items: list[CheckpointAnswer]


class JobAnswer(Schema):
    id: UUID
    name: str
    state: JobState
    attempts: int
    error: str
    outcome: dict[str, JsonValue]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class JobsAnswer(Schema):
    items: list[JobAnswer]


class EntryAnswer(Schema):
    id: UUID
    at: datetime
    operation: str
    actor: str
    agent_id: str | None
    subject: str
    subject_id: UUID | None
    request_id: str
    data: dict[str, JsonValue]
    action: str
    tool: str
    detail: str
    reason: str

    @staticmethod
    def resolve_agent_id(record: Any, context: Any) -> str | None:
        return _slug(record, context)


class StatsAnswer(Schema):
    items: int
    by_status: dict[str, int]
    by_verdict: dict[str, int]
    by_category: dict[str, int]
    episodes: int
    rejections: int
    open_contradictions: int
    jobs_queued: int


class LimitAnswer(Schema):
    name: str
    per_minute: int


class ViewerAnswer(Schema):
    tenant: str
    agent_id: str
    domain: str | None
    user_id: str | None
    scopes: list[str]
    limits: list[LimitAnswer]


class KeyAnswer(Schema):
    id: UUID
    prefix: str
    agent_id: str
    user_id: str | None
    name: str
    scopes: list[ApiKey.Scope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    @staticmethod
    def resolve_agent_id(record: Any) -> str:
        return str(record.agent.slug)


class GraphStatusAnswer(Schema):
    """How the graph's copy on another server stands; `state`: absent, building, complete or lagging."""

    server: str | None
    breaker: str | None
    state: str
    completed_at: datetime | None
    waiting_jobs: int
    oldest_waiting_seconds: float


class StartedJobAnswer(Schema):
    """The job that does it: GraphQL's `jobs` tells its state and outcome."""

    job_id: UUID


class BackfillAnswer(Schema):
    jobs: int


class KeysAnswer(Schema):
    items: list[KeyAnswer]


class NewKeyAnswer(Schema):
    """The token is shown this once."""

    token: str
    key: KeyAnswer


class LineAnswer(Schema):
    line: int
    status: str
    resource_id: UUID | None
    error: str | None
    field: str | None


class IngestAnswer(Schema):
    """`refused` lines met the rate limit: send them again after `retry_after` seconds."""

    accepted: int
    duplicate: int
    invalid: int
    conflict: int
    refused: int
    retry_after: float | None
    results: list[LineAnswer]


class ProblemDetail(Schema):
    code: str
    message: str
    field: str | None = None
    hint: str | None = None
    retryAfter: float | None = None  # noqa: N815  one spelling with GraphQL's extensions


class ProblemAnswer(Schema):
    error: ProblemDetail


def _slug(record: Any, context: Mapping[str, Any]) -> str | None:
    agent_id = record.agent_id
    return None if agent_id is None else context["request"].auth.agent_slugs({agent_id}).get(agent_id)
