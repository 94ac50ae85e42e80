"""The words, inputs and records of the service. Made from openapi.json by scripts/generate_clients.py: do not edit."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, Required, TypedDict

from memory_client.decoding import Record

BreakerState = Literal["untried", "closed", "open"]
Change = Literal["add", "replace", "remove"]
"""What a proposal does to the curated memory."""
ContextStyle = Literal["facts", "sections", "operational"]
"""FACTS: one line a memory. SECTIONS: facts, profiles, timeline, evidence. OPERATIONAL: by service."""
Ending = Literal["moved", "refined", "cancelled", "superseded", "forgotten", "lapsed"]
"""Why a trigger ended by itself."""
EntityType = Literal["person", "project", "organization", "place", "concept", "tool"]
ErasureKind = Literal["user", "session", "entity", "memories", "retention"]
"""Everything about whom or what: RETENTION is what a category no longer keeps."""
ErasureState = Literal["waiting", "running", "rejected", "done"]
"""WAITING for a second person; RUNNING from then on; REJECTED by one; DONE with a receipt."""
EventKind = Literal["stored", "held", "superseded", "trigger_due", "budget", "proposal"]
"""What is told to those who listen: STORED, HELD (for review) and SUPERSEDED of memories, a time that is due, a budget
whose soft or hard amount is reached, and a proposal that begins to wait for people.
"""
ImportStatus = Literal["accepted", "duplicate", "forgotten", "invalid", "conflict", "refused", "skipped"]
"""SKIPPED: a line that is to be read only, whose memory is learnt again from its messages, or that is about what is
not here. FORGOTTEN: a memory or trigger that was forgotten, what is about one, or a copy of a message of which
something was; nothing is stored.
"""
IngestStatus = Literal["accepted", "duplicate", "forgotten", "invalid", "conflict", "refused"]
Intent = Literal["why", "when", "who", "what", "general"]
ItemOrder = Literal["newest", "oldest", "most_confident", "most_used", "weightiest"]
"""How a list of items is sorted; ties by id. WEIGHTIEST: rules, then preferences, then by what they weigh now."""
JobState = Literal["queued", "running", "done", "failed"]
Kind = Literal["fact", "event", "plan", "preference", "procedure", "opinion", "rule", "reflection", "insight", "lesson"]
"""What sort of knowledge an item is."""
LessonStatus = Literal["active", "superseded", "dismissed", "ended"]
"""ACTIVE until another takes its place, somebody dismisses it, or what it rests on is forgotten (ENDED)."""
LineKind = Literal["message", "memory", "trigger", "feedback", "lesson", "record"]
"""What a line of an export is: all but a RECORD can be imported, which is to be read."""
Mood = Literal["asserted", "question", "command", "hypothetical", "wish"]
"""What a clause does: only an ASSERTED one states a fact, a COMMAND may state a rule."""
NodeKind = Literal["entity", "item", "episode"]
Omission = Literal["budget", "limit", "already_given"]
"""Why a memory that was considered is not handed out."""
OpenLinkKind = Literal["contradicts", "probably_superseded"]
"""What may be wrong with an item until somebody says: another contradicts it, or has probably replaced it."""
Opinion = Literal["helpful", "wrong", "outdated"]
"""What a person or an agent says of a memory."""
Pattern = Literal["rule", "preference", "correction", "request"]
"""What makes it a lesson: a rule, a preference, that something else was wrong, or that it is asked repeatedly."""
PendingStep = Literal["dedup"]
"""What a job still has to do."""
Period = Literal["day", "month"]
Precision = Literal["minute", "day"]
"""MINUTE: a time of day was named; DAY: none was, and the whole day counts."""
Pressure = Literal["ok", "soft", "hard"]
"""How near spending is to what it may come to: below the soft amount, at it, at the hard one."""
Priority = Literal["high", "medium", "low"]
"""How much a fact is likely to matter later (shown as 🔴 🟡 🟢)."""
Profile = Literal["lean", "balanced", "deep", "auto"]
ProjectionState = Literal["absent", "building", "complete", "lagging"]
"""ABSENT: never begun. LAGGING: complete but for changes that have waited too long."""
ProposalOrder = Literal["oldest", "decided"]
"""How a list of proposals is sorted; ties by id. DECIDED: the last decision first, and only what has one."""
ProposalState = Literal["waiting", "queued", "approved", "rejected", "merged"]
"""WAITING for the next batch; QUEUED for people; decided: APPROVED, REJECTED, or MERGED with a line."""
Purpose = Literal["knowledge", "operational"]
QueueSource = Literal["proposal", "held", "contradiction", "replacement", "erasure"]
"""Where something in the queue comes from."""
RelationKind = Literal["entity", "fact", "causal", "temporal", "derived_from", "supersedes", "contradicts", "mentions"]
"""How two nodes relate. The first three are stored, the others follow from other rows. ENTITY is a lasting tie of two
entities (sister of, part of), FACT a statement about an entity that may change (works at, lives in), CAUSAL runs
from cause to effect, TEMPORAL from an episode to the next of its session, DERIVED_FROM from an item to an episode,
SUPERSEDES and CONTRADICTS between items, MENTIONS from unit to entity.
"""
Relevance = Literal["high", "low"]
"""How sure it is that a hit answers: between the floor and certainty it is LOW."""
Retention = Literal["ebbinghaus", "operational", "none"]
"""The curve a category's confidence follows."""
ReviewDecision = Literal["approve", "edit", "reject", "undo"]
"""What somebody decides: as it stands, in other words, not, or that the last decision is taken back."""
Role = Literal["user", "assistant", "tool", "system"]
"""Who produced a message."""
Scope = Literal["read", "write", "share", "review", "admin", "billing", "erase"]
Sentiment = Literal["frustrated", "excited", "uncertain", "neutral"]
Status = Literal["active", "stale", "archived", "superseded", "deleted"]
Strength = Literal["explicit", "implied", "inferred"]
"""How directly the source said it; DESIGN's confidences are 0.9, 0.7 and 0.5."""
TriggerStatus = Literal["waiting", "due", "snoozed", "done", "dismissed", "ended"]
"""WAITING for its time, DUE, SNOOZED until later; DONE and DISMISSED by somebody; ENDED by what was said since."""
TrustTag = Literal["uncertain", "stale", "conflict", "unconfirmed", "inferred", "superseded", "probably_superseded"]
Unit = Literal["item", "episode", "summary", "note", "chunk"]
"""What a search document stands for."""
UsageKey = Literal["agent", "operation", "model", "session", "day"]
"""What usage is grouped by; a day is one of UTC."""
Verdict = Literal["allow", "hold", "discard"]
"""What the gate said. DISCARD never becomes an item; it becomes a rejection row."""
Visibility = Literal["private", "shared"]
WriteOutcome = Literal["stored", "held", "merged", "superseded", "rejected"]


class MemoryFilter(TypedDict, total=False):
    """An empty list is a filter that nothing passes; an absent one is none."""

    after: str
    """Event time: ISO 8601, or a word such as last_week."""
    agent_id: str
    """Of this agent, by its own name."""
    all_users: bool
    """Every user's, side by side."""
    before: str
    """Event time up to then, as `after`."""
    categories: Sequence[str]
    """Filed under one of these slugs."""
    domain: str
    """Shared in this domain, by its slug."""
    entity: str
    """That name this entity."""
    kinds: Sequence[Kind]
    """Of one of these kinds."""
    min_confidence: float
    """At least as sure, 0 to 1; a message, which is not weighed, passes."""
    services: Sequence[str]
    """Of one of these services."""
    session_id: str
    """Learnt in this session, by the caller's own id."""
    statuses: Sequence[Status]
    """In one of these states; default: active."""
    user_id: str
    """For whom: this user's and what belongs to no user; absent: only the latter."""
    verdicts: Sequence[Verdict]
    """With one of these verdicts."""
    visibility: Visibility


class MessageInput(TypedDict, total=False):
    role: Required[Role]
    content: Required[str]
    """What was said."""


class CategoryChange(TypedDict, total=False):
    """Other numbers of a category; what is absent stays as it is."""

    slug: Required[str]
    """Which category."""
    decay_lambda: float
    """λ of the recall score's exp(−λ·days)."""
    ttl_days: int
    """Days since last confirmed after which a memory is tagged stale, and archived if unused."""


class PolicyChange(TypedDict, total=False):
    """Numbers of the policy, by their names there; what is absent stays as it is."""

    categories: Sequence[CategoryChange]
    """Numbers of categories."""
    forget_stale_after_days: int
    """Days a memory is stale before it is forgotten; restore undoes it."""
    gate_allow_above: float
    """Usefulness above which a fact is allowed."""
    gate_discard_below: float
    """Usefulness below which it is discarded; between the two it is held."""
    off_domain_multiplier: float
    """What the score is multiplied by outside of the agent's domain."""
    operational_inactive_below: float
    """Effective confidence below which an operational memory is archived."""
    priority_clamp: float
    """By how much learned priority may move a score."""
    prune_below: float
    """Effective confidence below which a memory past its TTL is archived."""
    relevance_floor: float
    """Probability below which nothing is answered."""
    sentiment_multiplier: float
    """What the score is multiplied by when the sentiments match."""
    stale_after_days: int
    """Days without a recall or a confirmation after which a memory is stale."""
    stale_multiplier: float
    """What a stale memory's score is multiplied by."""


class RestoredLineInput(TypedDict, total=False):
    """A line as the repository's history tells it."""

    id: Required[str]
    section: Required[str]
    """The section it stands in."""
    kind: Required[Kind]
    text: Required[str]
    """The words, in one line."""
    said_on: Required[date]
    """The day it was said on."""
    added: Required[int]
    """The number of the change that added it."""
    added_at: Required[datetime]
    """When that was."""
    added_by: Required[str]
    """Who added it."""
    decision: int
    """The number of the change that was decided; absent: none."""
    items: Sequence[str]
    """The memories it rests on."""
    removal: str
    """How it went, as a code; empty: it stands."""
    removed: int
    """The number of the change that removed it."""
    removed_at: datetime
    """When that was."""
    removed_by: str
    """Who removed it."""
    replaces: str


class LogLineInput(TypedDict, total=False):
    """A line of the operations log: ids, counts and codes."""

    id: Required[str]
    at: Required[datetime]
    """When it happened."""
    operation: Required[str]
    """What was done, as a code."""
    actor: Required[str]
    """Who did it, as a code."""
    data: Any
    """Numbers, ids and codes by name, or lists of them."""
    subject: str
    """What kind of thing it was done to."""
    subject_id: str


class SeenInput(TypedDict, total=False):
    """A memory in the version somebody looked at."""

    id: Required[str]
    version: Required[int]
    """The version that was looked at."""


class IngestLine(TypedDict, total=False):
    """One message. `external_id` and `session_id` are the caller's own."""

    external_id: Required[str]
    """The caller's own id of the message: the same content again is a duplicate."""
    session_id: Required[str]
    """The caller's own id of the session; it is made when new."""
    content: Required[str]
    """What was said."""
    content_at: datetime
    """When it was said; default: now."""
    role: Role
    speaker: str
    """The name of who said it, or a role."""
    turn_number: int
    """The turn it belongs to."""
    user_id: str
    """Of whom it is; absent: of no user."""
    visibility: Visibility


@dataclass(frozen=True, slots=True)
class Budget(Record):
    """What may be spent in a day or month by the tenant's clock, and what was since it began."""

    id: str
    agent_id: str | None
    """The agent's own name; null: all agents together."""
    period: Period
    soft_usd: float | None
    hard_usd: float | None
    spent_usd: float
    """Of the calls whose price is known."""
    unpriced_rows: int
    """Rows of usage in the period whose price is unknown."""
    remaining_usd: float
    """Up to the hard amount, or the soft one where there is no hard."""
    forecast_usd: float
    """What it comes to at the period's end, if it goes on like the mean of the last 7 days."""
    since: datetime
    until: datetime
    """When the period ends, and spending starts again from nothing."""
    state: Pressure
    """The amount that is reached."""


@dataclass(frozen=True, slots=True)
class DeletedBudget(Record):
    """The budget that was lifted."""

    id: str


@dataclass(frozen=True, slots=True)
class Capture(Record):
    session_id: str
    turn_number: int
    resource_ids: tuple[str, ...]
    job_ids: tuple[str, ...]
    duplicate: bool


@dataclass(frozen=True, slots=True)
class CategoryDefault(Record):
    """The deployment's own category of that name, which a new tenant would start with."""

    label: str
    keywords: tuple[str, ...]
    ttl_days: int | None
    decay_lambda: float
    retention: Retention
    purpose: Purpose
    is_protected: bool


@dataclass(frozen=True, slots=True)
class Category(Record):
    """What memories are filed under: the slug stands in a memory, a filter and as a domain."""

    slug: str
    label: str
    keywords: tuple[str, ...]
    examples: tuple[str, ...]
    """What is said in it: the tenant's own sentences, else the deployment's."""
    has_default_examples: bool
    ttl_days: int | None
    """Days since confirmed after which a memory is tagged stale, and archived if unused; null: never."""
    decay_lambda: float
    """λ of the score's exp(−λ·days)."""
    half_life_days: float | None
    """Days in which the score halves; null: it does not."""
    retention: Retention
    """Curve the confidence follows."""
    purpose: Purpose
    is_protected: bool
    """Its memories never fade, expire or are archived, whatever its numbers say."""
    taxonomy_version: int
    """The number of its last edit among those of all categories."""
    default: CategoryDefault | None
    """What a new tenant would start with."""


@dataclass(frozen=True, slots=True)
class PreviewedStep(Record):
    """What a step of maintenance would archive of the category if it ran now: as it is, and as it would be."""

    step: str
    now: int
    then: int


@dataclass(frozen=True, slots=True)
class CategoryPreview(Record):
    """What a change would do to the memories of a category; steps can name the same memory."""

    category: Category
    """As it would be."""
    changed: tuple[str, ...]
    """What would change of it."""
    items: int
    """Active and stale memories in it."""
    archived: int
    """Memories that the next runs would archive, and would not as it is."""
    spared: int
    """Memories that they would archive as it is, and would not then."""
    steps: tuple[PreviewedStep, ...]
    archived_sample: tuple[str, ...]
    spared_sample: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scores(Record):
    """What each arm and each modifier contributed; null where an arm was silent."""

    vector: float | None
    keyword: float | None
    graph: float | None
    time: float | None
    decay: float | None
    stale: float | None
    priority: float | None
    sentiment: float | None
    domain: float | None


@dataclass(frozen=True, slots=True)
class Source(Record):
    """A captured message something rests on; `external_id` is the caller's own, `quote` the words."""

    resource_id: str
    external_id: str | None
    role: Role | None
    """As what it was said; null where the message may not be read."""
    speaker: str | None
    said_at: datetime
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Hit(Record):
    """A memory worth knowing, or a message that was captured; one that answers for both names both."""

    rank: int
    unit: Unit
    id: str
    text: str
    lead_in: str
    """What the text leans on: the question it answers, or the clause before."""
    score: float
    probability: float
    """That it answers: what the relevance floor tests."""
    relevance: Relevance
    """LOW: better than nothing, but not sure."""
    scores: Scores
    item_id: str | None
    episode_id: str | None
    category: str
    service: str | None
    confidence: float | None
    age_days: float
    event_time: datetime | None
    tags: tuple[TrustTag, ...]
    sources: tuple[Source, ...]
    role: Role
    """On whose word it stands: a fact that several state, on the one that weighs most."""
    current_fact_ids: tuple[str, ...]
    """What has replaced parts of an episode."""
    agent_id: str | None
    """Whose memory it is: the agent's own name."""
    said_at: datetime | None
    already_given: bool
    """The session named was given it, and it has not changed since."""
    given_at: datetime | None
    """When the session was first given it, of the last 200 hits."""


@dataclass(frozen=True, slots=True)
class SessionChange(Record):
    """What the session was given before, and the current memory that took its place since."""

    id: str
    text: str
    given_at: datetime
    tag: TrustTag
    """SUPERSEDED: surely; PROBABLY_SUPERSEDED: probably."""
    replaced_by: str
    replacement: str
    """What the current memory says."""


@dataclass(frozen=True, slots=True)
class TimeSpan(Record):
    start: datetime
    end: datetime
    phrase: str


@dataclass(frozen=True, slots=True)
class Stage(Record):
    name: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Arm(Record):
    name: str
    candidates: int


@dataclass(frozen=True, slots=True)
class LeftOut(Record):
    """A memory that was considered and not handed out, with the beginning of its text."""

    unit: Unit
    id: str
    text: str
    role: Role
    """On whose word it stands."""
    reason: Omission
    """BUDGET: no tokens left for it; LIMIT: enough memories without it; ALREADY_GIVEN: to the session."""


@dataclass(frozen=True, slots=True)
class RecallExplanation(Record):
    """Why the answer is what it is: the plan, the gate of the keyword arm, what just missed and what was left out. At
    the start of a session nothing is searched for: no arms and no floor; `candidates` were considered.
    """

    statement: bool
    complexity: str
    gate: float
    floor: float
    least: float
    """How likely a hit had to be: half as the floor asks, a twentieth of the best."""
    candidates: int
    time_range: TimeSpan | None
    stages: tuple[Stage, ...]
    arms: tuple[Arm, ...]
    below_floor: tuple[Hit, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class ContextBlock(Record):
    """A block of text, `tokens` long, holding `included` of the `available` relevant memories: `hits`, best first.
    With a session, what it was already given does not count as available.
    """

    recall_id: str
    text: str
    tokens: int
    included: int
    available: int
    hits: tuple[Hit, ...]
    """What is in the block, best first."""
    changed: tuple[SessionChange, ...]
    """What replaced memories of this session, each told once."""
    degraded: tuple[str, ...]
    """What did not answer as configured: vector, graph, rewrite; budget_soft, budget_hard: a budget is spent up to
    there. Empty when whole.
    """
    explanation: RecallExplanation | None


@dataclass(frozen=True, slots=True)
class CuratedLine(Record):
    """A line of MEMORY.md."""

    id: str
    section: str
    kind: Kind
    text: str
    said_on: date
    item_ids: tuple[str, ...]
    decision: int | None
    """The number of its record."""
    added_by: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class CuratedMemory(Record):
    """What every agent of the tenant is told first."""

    text: str
    """MEMORY.md."""
    tokens: int
    entries: int
    limit: int
    """Lines there are to be at most."""
    over: int
    """How many too many: the signal to prune."""
    changes: int
    """The number of the last change."""
    changed_at: datetime | None
    lines: tuple[CuratedLine, ...]


@dataclass(frozen=True, slots=True)
class CuratedRepository(Record):
    """How the repository stands to the lines. `commit` is null before there is one."""

    commit: str | None
    commits: int
    drifted: bool
    """It is not what the lines make; what is only late is no drift."""
    behind: int
    """Commits that are still to come."""
    signed: int
    """Commits whose signature is this deployment's."""
    public_key: str
    """Ed25519, in base64: what the signatures of a clone are checked with."""


@dataclass(frozen=True, slots=True)
class CuratedCommit(Record):
    """A commit of the repository."""

    id: str
    at: datetime
    by: str
    message: str
    signed: bool
    """Its signature is this deployment's."""
    files: tuple[str, ...]
    """What it changed; a day's log is a commit, too."""
    diff: str
    """What it changed in MEMORY.md: lines with + and -."""


@dataclass(frozen=True, slots=True)
class Entity(Record):
    """Somebody or something that is spoken of."""

    id: str
    name: str
    type: EntityType
    mention_count: int
    aliases: tuple[str, ...]
    """The other names it goes by."""
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True)
class Slot(Record):
    """Which state a memory speaks of, in its own words; empty where it does not say."""

    subject: str
    attribute: str
    value: str
    qualifier: str
    """What tells one such state from another: a ticket, an environment."""


@dataclass(frozen=True, slots=True)
class OpenLink(Record):
    """What may be wrong with a memory until somebody says, and the memory (or refused claim) that raises it."""

    kind: OpenLinkKind
    other_id: str


@dataclass(frozen=True, slots=True)
class Memory(Record):
    """What was learnt. `text` is the speaker's own clause; what was understood of it lies in the other fields."""

    id: str
    version: int
    """Grows with every change: name the one you looked at in `seen`."""
    text: str
    lead_in: str
    """What the text leans on: the question it answers, or the clause before; empty when it stands alone."""
    slot: Slot
    mood: Mood
    is_negated: bool
    said_by: str
    """Who says so, where a name is known."""
    reported_by: str
    """On whose word, where it is reported."""
    language: str
    open_links: tuple[OpenLink, ...]
    kind: Kind
    category: str
    service: str | None
    entity_names: tuple[str, ...]
    strength: Strength
    sentiment: Sentiment
    priority: Priority
    confidence: float
    """What it is worth now."""
    base_confidence: float
    """What it was when last reinforced."""
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
    """The agent's own name."""
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Statement(Record):
    """What was said of an entity, and when it was true."""

    kind: RelationKind
    predicate: str
    subject: str
    object: str
    object_id: str | None
    negated: bool
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    memory_id: str | None
    """The memory that says so."""
    resource_id: str | None
    quote: str


@dataclass(frozen=True, slots=True)
class RelatedEntity(Record):
    id: str
    name: str
    type: EntityType
    predicate: str
    """Empty: the two are mentioned together."""
    outgoing: bool
    weight: float


@dataclass(frozen=True, slots=True)
class Speaker(Record):
    """Who spoke of it, in how many messages."""

    name: str | None
    count: int


@dataclass(frozen=True, slots=True)
class EntityProfile(Record):
    """What is known of an entity at a moment."""

    id: str
    name: str
    type: EntityType
    mention_count: int
    aliases: tuple[str, ...]
    """The other names it goes by."""
    first_seen_at: datetime
    last_seen_at: datetime
    summary: str
    facts: tuple[Memory, ...]
    """What is true of it at the time asked for."""
    timeline: tuple[Statement, ...]
    """What was said of it, by time; what is no longer true included."""
    related: tuple[RelatedEntity, ...]
    said_by: tuple[Speaker, ...]


@dataclass(frozen=True, slots=True)
class NamedEntity(Record):
    """Somebody or something that a memory names."""

    id: str
    name: str
    type: EntityType
    mention_count: int


@dataclass(frozen=True, slots=True)
class Tie(Record):
    """What connects two entities of a neighbourhood: a statement, or (`predicate` empty) being spoken of together."""

    start: str
    end: str
    kind: RelationKind
    predicate: str
    count: int
    """How many memories and messages say so."""
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    memory_id: str | None
    """The last memory that says so."""


@dataclass(frozen=True, slots=True)
class Neighbourhood(Record):
    """An entity with those around it at a moment, the closest first, and every tie between any two of them."""

    center: NamedEntity
    first_seen_at: datetime
    neighbours: tuple[NamedEntity, ...]
    ties: tuple[Tie, ...]
    truncated: bool
    """There are more than were asked for."""


@dataclass(frozen=True, slots=True)
class Count(Record):
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Erasure(Record):
    """An erasure, and how far it has come."""

    id: str
    kind: ErasureKind
    state: ErasureState
    about: Any
    """Whom or what, as it was asked for; an entity by its name, too. Empty once it is over."""
    digest: str
    """What stands for it in the receipt."""
    reason: str | None
    requested_by: str
    """agent, or member: and the number of a login."""
    requested_agent_id: str | None
    """The agent's own name."""
    requested_at: datetime
    decided_by: str | None
    """Who approved or rejected it."""
    decided_agent_id: str | None
    """The agent's own name."""
    decided_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    targets: int
    """Memories, messages, sessions and entities that it means."""
    steps: tuple[str, ...]
    """What is done."""
    removed: tuple[Count, ...]
    """So far: rows by table, keys of `valkey`, nodes of `neo4j`, commits of `git` that were made anew."""
    residue: tuple[str, ...]
    """Where the last scan found something again."""
    receipt: Any
    """Signed, once it is done."""


@dataclass(frozen=True, slots=True)
class ErasureSample(Record):
    """A text that would go: the beginning of a memory or of a message."""

    id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ErasureEntity(Record):
    """Somebody or something the name stands for."""

    id: str
    name: str
    user_id: str | None
    mentions: int


@dataclass(frozen=True, slots=True)
class ErasurePreview(Record):
    """What would go."""

    kind: ErasureKind
    memories: int
    messages: int
    sessions: int
    rows: tuple[Count, ...]
    """Rows by table."""
    samples: tuple[ErasureSample, ...]
    """The newest memories and messages among them."""
    entities: tuple[ErasureEntity, ...]
    memory_ids: tuple[str, ...]
    """Those that were named, or that the topic found: a request names them."""
    message_ids: tuple[str, ...]
    truncated: bool
    """More may be about the topic than was found: preview it again once this is erased."""
    fingerprint: str
    """What a request for just this needs."""
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class VerifiedReceipt(Record):
    """Whether a receipt is ours and says what it said when it was signed."""

    valid: bool
    problem: str | None
    erasure_id: str | None
    key_id: str | None


@dataclass(frozen=True, slots=True)
class MemoryEvent(Record):
    """Something that happened. Ids ascend; gaps are what others were told."""

    id: str
    kind: EventKind
    at: datetime
    subject: str
    """memory, trigger, budget or proposal: what subject_id is the id of."""
    subject_id: str
    related_id: str | None
    """The memory that superseded it."""
    agent_id: str | None
    """The agent's own name."""
    user_id: str | None
    code: str | None
    """Of a budget: soft or hard, the amount that is reached."""


@dataclass(frozen=True, slots=True)
class MemoryEvents(Record):
    items: tuple[MemoryEvent, ...]
    next: str
    """What to pass as `after`; never null, for there may be more at any time."""
    missed: bool
    """Whether events behind `after` are no longer kept: read again what you hold of memories."""


@dataclass(frozen=True, slots=True)
class ExportedLine(Record):
    """A line of an export."""

    kind: LineKind
    content: Any
    """The line as JSON: what an import takes."""
    markdown: str
    """The same for people, in one line."""


@dataclass(frozen=True, slots=True)
class ForgottenMemory(Record):
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Forgotten(Record):
    """What a batch took away or, restored, gave back; on a dry run what it would take (`batch_id` null)."""

    batch_id: str | None
    dry_run: bool
    items: tuple[ForgottenMemory, ...]
    episodes: int
    truncated: bool
    """More may answer the query than `limit` let it take: ask again."""


@dataclass(frozen=True, slots=True)
class GraphStatus(Record):
    """How the graph's copy on another server stands. ABSENT: never begun; LAGGING: changes have waited too long."""

    server: str | None
    breaker: BreakerState | None
    state: ProjectionState
    completed_at: datetime | None
    waiting_jobs: int
    oldest_waiting_seconds: float


@dataclass(frozen=True, slots=True)
class Backfill(Record):
    """How many jobs read everything again."""

    jobs: int


@dataclass(frozen=True, slots=True)
class StartedJob(Record):
    """The job that does it: `jobs` tells its state and outcome."""

    job_id: str


@dataclass(frozen=True, slots=True)
class HealthReport(Record):
    """How the memory is, as numbers and for people."""

    at: datetime
    counts: tuple[Count, ...]
    """By status, by category, of the last 30 days, and now."""
    markdown: str


@dataclass(frozen=True, slots=True)
class ImportedLine(Record):
    """What became of a line, counted from 1. REFUSED: the rate limit was reached, or what it is about is not learnt
    yet; send it again later.
    """

    line: int
    status: ImportStatus
    id: str | None
    """Of what the line became."""
    error: str | None
    field: str | None


@dataclass(frozen=True, slots=True)
class Imported(Record):
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
    results: tuple[ImportedLine, ...]


@dataclass(frozen=True, slots=True)
class JobCode(Record):
    """What a job says of itself in a word: `extractor` is who read, `degraded` what was missing."""

    name: str
    code: str


@dataclass(frozen=True, slots=True)
class Job(Record):
    id: str
    name: str
    state: JobState
    attempts: int
    error: str | None
    """Reason code; never content."""
    outcome: tuple[Count, ...]
    """What it achieved, in counts."""
    codes: tuple[JobCode, ...]
    """How it went, in words: which model read, what was missing."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class JournalEntry(Record):
    """One thing that happened; the last four are empty but for entries an agent wrote itself."""

    id: str
    at: datetime
    operation: str
    actor: str
    agent_id: str | None
    """The agent's own name."""
    subject: str
    subject_id: str | None
    request_id: str
    data: Any
    action: str
    tool: str
    detail: str
    reason: str


@dataclass(frozen=True, slots=True)
class ApiKey(Record):
    id: str
    prefix: str
    agent_id: str
    """The agent's own name."""
    user_id: str | None
    """The one user it is bound to."""
    name: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewApiKey(Record):
    """The token is shown this once."""

    token: str
    key: ApiKey


@dataclass(frozen=True, slots=True)
class Evidence(Record):
    """A message that says it, and its words."""

    resource_id: str
    said_at: datetime
    quote: str


@dataclass(frozen=True, slots=True)
class Lesson(Record):
    """What a user wants done otherwise from now on, or asks for again and again."""

    id: str
    pattern: Pattern
    text: str
    scope: str
    """The service or the category it is about."""
    instead_of: str | None
    """What was wrong, of a correction."""
    replaces: tuple[str, ...]
    """What the lessons said whose place it took, the oldest first."""
    heard: int
    """How many messages say it."""
    last_heard_at: datetime
    evidence: tuple[Evidence, ...]
    item_id: str | None
    """The memory it stands on; null for a request."""
    status: LessonStatus
    replaced_by_id: str | None
    agent_id: str | None
    """The agent's own name."""
    user_id: str | None
    visibility: Visibility
    created_at: datetime


@dataclass(frozen=True, slots=True)
class LessonsFile(Record):
    """The lessons file, in Markdown; empty when there are none."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class StartedMaintenance(Record):
    """The job that does it: `jobs` tells its state, and in its outcome the counts of the steps that are done."""

    job_id: str
    steps: tuple[str, ...]
    """What it does, in this order."""


@dataclass(frozen=True, slots=True)
class WriteResult(Record):
    """What became of an explicit fact, and why. SUPERSEDED: it was stored and `supersedes` gave way."""

    outcome: WriteOutcome
    memory: Memory | None
    reason: str
    supersedes: Memory | None
    pending: tuple[PendingStep, ...]
    """What a job still has to do."""


@dataclass(frozen=True, slots=True)
class Version(Record):
    """One change: changed fields before and after, by their column names."""

    id: str
    at: datetime
    operation: str
    reason: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Link(Record):
    """The other end of a merge, a supersession, a contradiction or an act of sharing."""

    id: str
    text: str
    reason: str
    at: datetime
    open: bool
    agent_id: str | None
    """The agent's own name."""
    said_at: datetime
    confidence: float | None
    """What it is worth now; null for what became no memory."""


@dataclass(frozen=True, slots=True)
class Explanation(Record):
    memory: Memory
    versions: tuple[Version, ...]
    opinion: Opinion | None
    """What the caller says of it (`giveFeedback`)."""
    merged: tuple[Link, ...]
    merged_into: Link | None
    supersedes: tuple[Link, ...]
    superseded_by: tuple[Link, ...]
    contradicts: tuple[Link, ...]
    """The most trusted first."""
    shared_from: Link | None
    """The private memory it was shared from; its agent sees it."""
    shared_as: tuple[Link, ...]
    sources: tuple[Source, ...]
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryFeedback(Record):
    """What the caller says of a memory, since when, and what the memory is now. It stands until it is withdrawn."""

    memory: Memory
    kind: Opinion
    at: datetime


@dataclass(frozen=True, slots=True)
class ObservedFact(Record):
    """Something that the text says. Whether it became a memory, the gate decided."""

    text: str
    quote: str
    kind: Kind
    category: str
    priority: Priority
    strength: Strength
    entities: tuple[str, ...]
    event_time: datetime | None


@dataclass(frozen=True, slots=True)
class ObservedSegment(Record):
    """A part of the text: the message it is kept as, and what it says in short."""

    resource_id: str
    text: str
    role: Role
    pending: bool
    """Not learnt from yet: send the text again, or ask endSession."""
    narrative: str
    facts: tuple[ObservedFact, ...]


@dataclass(frozen=True, slots=True)
class ObservedText(Record):
    session_id: str
    pending: int
    """Segments that are not learnt from yet."""
    segments: tuple[ObservedSegment, ...]


@dataclass(frozen=True, slots=True)
class PathNode(Record):
    """An entity by its name, a memory or a message by its text."""

    kind: NodeKind
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class PathStep(Record):
    kind: RelationKind
    predicate: str
    start: PathNode
    end: PathNode
    forward: bool
    """The relation runs from start to end."""
    fact: str
    """What it rests on."""
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Path(Record):
    """`connected` false: not within max_depth hops."""

    connected: bool
    steps: tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class RetoldRecall(Record):
    """A recall that would have been answered otherwise."""

    recall_id: str
    at: datetime
    lost: tuple[str, ...]
    """Units below the floor."""
    is_emptied: bool
    """There would have been no answer."""
    is_reordered: bool
    first: str | None
    """The unit with the best score."""
    new_first: str | None


@dataclass(frozen=True, slots=True)
class RetoldRecalls(Record):
    """What would have become of the recalls, by their hits; of what was no hit nothing is kept."""

    recalls: int
    examined: int
    """The latest of them, 2,000 at most."""
    hits: int
    unscored: int
    """Hits whose probability was not kept: no floor takes them."""
    lost: int
    emptied: int
    reordered: int
    first_changed: int
    changed: tuple[RetoldRecall, ...]


@dataclass(frozen=True, slots=True)
class Turned(Record):
    """Facts that would have met another verdict."""

    was: Verdict
    would_be: Verdict
    facts: int


@dataclass(frozen=True, slots=True)
class Regated(Record):
    """What the gate would have made of what was read, before any comparison with what is known."""

    messages: int
    examined: int
    """The latest of them, 2,000 at most."""
    facts: int
    turned: tuple[Turned, ...]
    sample: tuple[str, ...]
    """Messages (resources) in which a fact would turn."""


@dataclass(frozen=True, slots=True)
class ReagedStep(Record):
    """How many memories a step of maintenance would change if it ran now, with the numbers as they are and as tried."""

    step: str
    now: int
    then: int


@dataclass(frozen=True, slots=True)
class Simulation(Record):
    """What was simulated, and in `unknown` what the numbers would change besides that nothing kept can tell."""

    since: datetime
    recalls: RetoldRecalls
    captures: Regated
    memories: tuple[ReagedStep, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ground(Record):
    """A memory a proposal rests on."""

    item_id: str
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Proposal(Record):
    """A change of the curated memory that was proposed."""

    id: str
    task: str
    """What is asked, in words."""
    section: str
    """The category it is filed under."""
    change: Change
    text: str
    """Empty of a removal, and once all it rests on is forgotten."""
    present: str
    """The line it replaces, removes or was merged with."""
    made: str
    """The line it made, in the words that were approved."""
    kind: Kind
    confidence: float
    said_on: date
    state: ProposalState
    reason: str
    """Reason code of its state."""
    comment: str
    proposed_by: str
    decided_by: str
    decided_at: datetime | None
    can_be_undone: bool
    """It was decided, and neither its line nor all it rests on is gone since."""
    version: int
    item_ids: tuple[str, ...]
    evidence: tuple[Ground, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Recall(Record):
    id: str
    hits: tuple[Hit, ...]
    rewritten_query: str
    intent: Intent
    profile: Profile
    tier: int
    degraded: tuple[str, ...]
    """What did not answer as configured: vector, graph, rewrite; budget_soft, budget_hard: a budget is spent up to
    there. Empty when whole.
    """
    cost_usd: float | None
    took_ms: float
    available: int
    already_given: int
    """Hits left out because the session has them: none unless repeat is false."""
    changed: tuple[SessionChange, ...]
    """What replaced memories of this session, each told once."""
    explanation: RecallExplanation | None


@dataclass(frozen=True, slots=True)
class Feedback(Record):
    """How many of a recall's hits the output used and ignored."""

    recall_id: str
    used: int
    ignored: int


@dataclass(frozen=True, slots=True)
class Rejection(Record):
    """Something said that became no memory, and why."""

    id: str
    text: str
    stage: str
    verdict: Verdict
    reason: str
    detail: str
    scores: Any
    resource_id: str | None
    user_id: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class RejectionCount(Record):
    """How many rejections of a reason a week saw; `week` is its Monday, in UTC."""

    week: date
    stage: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class QueueEntry(Record):
    """Something that waits for somebody."""

    id: str
    """The proposal's, the memory's, the erasure's, or that of the link between two."""
    source: QueueSource
    at: datetime
    task: str
    """What is asked, in words."""
    texts: tuple[str, ...]
    """What it is asked about: what was there before comes first."""
    memory_ids: tuple[str, ...]
    memories: tuple[Memory, ...]
    """These memories, with their sources, and the versions that were looked at."""
    verbs: tuple[str, ...]
    """The verbs that answer it."""
    user_id: str | None
    proposal: Proposal | None
    samples: tuple[str, ...]
    """Of an erasure: a few of the texts that it would take, the newest first."""


@dataclass(frozen=True, slots=True)
class Schedule(Record):
    """When a job runs by itself, and what became of its last run."""

    name: str
    cron: str
    """Minute, hour, day of the month, month, day of the week."""
    time_zone: str
    """The tenant's, in which that is meant."""
    enabled: bool
    next_run_at: datetime
    """Up to an hour after what cron says: the tenants' runs are spread over it."""
    last_run_at: datetime | None
    finished_at: datetime | None
    """When the last run was over; null while it runs."""
    job_id: str | None
    """The job of the last run."""
    counts: tuple[Count, ...]
    """What the last run that was over achieved."""
    error: str | None
    """Reason code; never content."""


@dataclass(frozen=True, slots=True)
class Session(Record):
    id: str
    session_id: str
    """The caller's own id."""
    agent_id: str | None
    """The agent's own name."""
    user_id: str | None
    turns: int
    started_at: datetime
    last_active_at: datetime
    ended_at: datetime | None
    parent_session_id: str | None
    """The session this one is a branch of."""
    parent_turn: int | None
    """The last turn they share."""


@dataclass(frozen=True, slots=True)
class GivenHit(Record):
    """Something a recall was answered with."""

    rank: int
    unit: Unit
    unit_id: str
    item_id: str | None
    score: float
    tags: tuple[str, ...]
    used: bool | None
    """Whether the output used it; null: nobody reported one."""
    text: str
    """A memory's words; empty of a message, and where they are gone."""


@dataclass(frozen=True, slots=True)
class AskedRecall(Record):
    """A recall that was made in a session."""

    id: str
    at: datetime
    query: str
    rewritten: str
    profile: str
    intent: str
    tier: int
    degraded: tuple[str, ...]
    milliseconds: float
    is_reported: bool
    """Whether an output was reported: which hits it used is known then."""
    hits: tuple[GivenHit, ...]


@dataclass(frozen=True, slots=True)
class LearntMemory(Record):
    """A memory that rests on a message, and what has become of it."""

    item_id: str
    text: str
    quote: str
    kind: Kind
    category: str
    status: Status
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class TracedMessage(Record):
    """A message, what was read out of it, and what became of that."""

    resource_id: str
    role: Role
    speaker: str | None
    text: str
    said_at: datetime
    pending: bool
    """Not learnt from yet."""
    narrative: str
    facts: tuple[ObservedFact, ...]
    learnt: tuple[LearntMemory, ...]
    turned_down: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True)
class TracedTurn(Record):
    """A turn as it went; a message that came by itself has no number."""

    id: str
    number: int | None
    at: datetime
    tool_calls: Any
    internal_state: Any
    recalls: tuple[AskedRecall, ...]
    """Those made since the turn before."""
    messages: tuple[TracedMessage, ...]


@dataclass(frozen=True, slots=True)
class SessionTrace(Record):
    """A page of a session's turns, the earliest first."""

    session: Session
    turns: tuple[TracedTurn, ...]
    later: tuple[AskedRecall, ...]
    """Recalls made since the last of its turns."""
    next: str | None
    """The cursor to pass as `after`; null on the last page."""


@dataclass(frozen=True, slots=True)
class StartSection(Record):
    """A part of what to begin with. Report what the model made of it under `recall_id`."""

    name: str
    text: str
    tokens: int
    recall_id: str | None


@dataclass(frozen=True, slots=True)
class SessionEnd(Record):
    """A session that ended. A late turn opens it again."""

    session: Session
    pending: int
    """Messages that are not learnt from yet."""
    resource_ids: tuple[str, ...]
    """Which they are, the first 100 of them."""
    job_ids: tuple[str, ...]
    """The jobs they wait in: `jobs` tells when they became memory."""


@dataclass(frozen=True, slots=True)
class SessionStart(Record):
    """What to begin with, for the prompt: `text` holds the sections one after the other."""

    session: Session
    text: str
    tokens: int
    sections: tuple[StartSection, ...]
    previous: SessionEnd | None
    """The user's session before this one, which ended now."""
    overdue: tuple[str, ...]
    """The schedules that should have run by now and were started."""
    degraded: tuple[str, ...]
    """budget_soft, budget_hard: a budget is spent up to there, and less is told. Empty when whole."""


@dataclass(frozen=True, slots=True)
class Checkpoint(Record):
    """A turn as it was reported."""

    id: str
    turn_number: int
    user_id: str | None
    user_input: str | None
    tool_calls: Any
    llm_output: str | None
    internal_state: Any
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Heartbeat(Record):
    session_id: str
    pending: int
    """Messages that are not learnt from yet."""
    overdue: tuple[str, ...]
    """The schedules that should have run by now and were started."""


@dataclass(frozen=True, slots=True)
class Recovered(Record):
    """What an agent needs to go on where it stopped: its last state, and what happened since."""

    session: Session
    state: Any
    """The `internal_state` saved last; null: none was."""
    state_turn: int | None
    """The turn it was saved with."""
    turns: tuple[Checkpoint, ...]
    """The turns since, in order: what the state does not know yet. The newest 1,000."""


@dataclass(frozen=True, slots=True)
class SharedDomain(Record):
    """A domain is a category; agents are the sharing agents' own names."""

    domain: str
    memories: int
    agents: tuple[str, ...]
    last_write_at: datetime


@dataclass(frozen=True, slots=True)
class Tier(Record):
    """What answered recalls: 0 for what to begin with, 1 for summaries, 2 for a search."""

    tier: int
    recalls: int
    answered: int
    """Those with at least one hit."""
    percent: int
    """The hit rate."""


@dataclass(frozen=True, slots=True)
class Stats(Record):
    """Counts over what the caller may read."""

    items: int
    by_status: tuple[Count, ...]
    by_verdict: tuple[Count, ...]
    by_category: tuple[Count, ...]
    episodes: int
    rejections: int
    open_contradictions: int
    jobs_queued: int
    """Waiting or running in the tenant."""
    tiers: tuple[Tier, ...]
    """How recalls of the last 30 days were answered."""


@dataclass(frozen=True, slots=True)
class SummaryListed(Record):
    """A category in which something is held. No `updated_at`: no summary is written yet."""

    category: str
    user_id: str | None
    visibility: Visibility
    items: int
    """Current memories."""
    version: int
    updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class SummarySource(Record):
    """A memory that a summary rests on."""

    memory_id: str
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Summary(Record):
    category: str
    user_id: str | None
    visibility: Visibility
    text: str
    """Markdown; empty when nothing is held any more."""
    version: int
    """0: arranged for this answer, because none is written yet, or it rests on what was forgotten since."""
    writer: str
    """Which model and prompt wrote it, or rules."""
    updated_at: datetime
    is_current: bool
    """It rests on what is held now; otherwise a job is to write it anew."""
    sources: tuple[SummarySource, ...]
    """The memories it rests on, the last said first."""


@dataclass(frozen=True, slots=True)
class SummaryVersion(Record):
    """A summary as it stood from `at` on."""

    number: int
    at: datetime
    writer: str
    degraded: str | None
    """Why rules wrote it and not the model; `unsupported`: its draft said more."""
    text: str
    diff: str
    """What changed since the version before: lines with + and -."""
    memory_ids: tuple[str, ...]
    """The memories it rests on."""


@dataclass(frozen=True, slots=True)
class Trigger(Record):
    """Of a whole day `at` is the midnight it begins with in `time_zone`."""

    id: str
    text: str
    """The clause that named the time, or what the caller wants to be reminded of."""
    at: datetime
    """When it falls due next."""
    day: date
    """The same in its time zone."""
    precision: Precision
    time_zone: str
    recurrence: str
    """RFC 5545 without DTSTART; empty for what comes once."""
    status: TriggerStatus
    ending: Ending | None
    """Why it ended by itself."""
    is_due: bool
    """Its time has come, whether a job has marked it yet or not."""
    due_at: datetime | None
    snoozed_until: datetime | None
    memory_ids: tuple[str, ...]
    """Memories to show when it is due."""
    resource_id: str | None
    """The message that named it; null for one that a caller set."""
    replaced_by_id: str | None
    """The trigger it was moved to."""
    agent_id: str | None
    """The agent's own name."""
    user_id: str | None
    visibility: Visibility
    created_at: datetime


@dataclass(frozen=True, slots=True)
class UsageGroup(Record):
    """What a group comes to. A key that was not asked for is null, and so is one that its rows do not have."""

    day: date | None
    """Of UTC."""
    agent_id: str | None
    """The agent's own name."""
    operation: str | None
    model: str | None
    """As it was asked for; empty for an operation that called none."""
    session_id: str | None
    """The caller's own id; null also when it is no longer there."""
    calls: int
    """Calls of models, every attempt."""
    failed_calls: int
    """Those among them that brought no usable answer."""
    embedding_calls: int
    llm_calls: int
    tokens_in: int
    tokens_out: int
    milliseconds: float
    """Spent waiting for models."""
    recalls: int
    """Recalls and contexts answered: rows of the operation `recall`."""
    turns: int
    """Turns observed: rows of the operation `observe`."""
    memories: int
    """Memories stored, observed or remembered."""
    rows: int
    """Rows of usage: one for each operation and model."""
    unpriced_rows: int
    """Those among them whose price is unknown."""
    cost_usd: float | None
    """US dollars; null when the price of one row is unknown."""
    known_cost_usd: float
    """US dollars that the rows with a price cost."""
    cost_per_recall: float | None
    """US dollars of the operation `recall` over `recalls`; null without one, or when a price is unknown."""
    cost_per_turn: float | None
    """costUsd over `turns`; null without one, or when a price is unknown."""
    cost_per_memory: float | None
    """costUsd over `memories`; null without one, or when a price is unknown."""


@dataclass(frozen=True, slots=True)
class Limit(Record):
    name: str
    per_minute: int


@dataclass(frozen=True, slots=True)
class Viewer(Record):
    """The caller: `tenant` is the slug, `agent_id` the agent's own name."""

    tenant: str
    agent_id: str
    domain: str | None
    user_id: str | None
    """The one user this key or request speaks for."""
    scopes: tuple[Scope, ...]
    limits: tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class IngestedLine(Record):
    """What became of a line, counted from 1. REFUSED: the rate limit was reached; send it again later. FORGOTTEN: it
    is a copy of a message of which something was forgotten, `resource_id`; nothing is stored.
    """

    line: int
    status: IngestStatus
    resource_id: str | None
    error: str | None
    field: str | None


@dataclass(frozen=True, slots=True)
class Ingest(Record):
    """`refused` lines met the rate limit: send them again after `retry_after` seconds."""

    accepted: int
    duplicate: int
    forgotten: int
    invalid: int
    conflict: int
    refused: int
    retry_after: float | None
    results: tuple[IngestedLine, ...]
