"""The words, inputs and records of the service. Made from openapi.json by scripts/generate_clients.py: do not edit."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, Required, TypedDict

from memory_client.decoding import Record

BreakerState = Literal["untried", "closed", "open"]
"""- `untried`: Nobody has asked the server yet.

- `closed`: The server answers.

- `open`: The server failed, and is left alone for a while.
"""
Change = Literal["add", "replace", "remove"]
"""What a proposal does to the curated memory.

- `add`: A new line.

- `replace`: Other words for a line.

- `remove`: A line goes.
"""
ContextStyle = Literal["facts", "sections", "operational"]
"""How a context block is written.

- `facts`: One line a memory.

- `sections`: Facts, profiles, timeline and evidence, each under its heading.

- `operational`: Grouped by service.
"""
Ending = Literal["moved", "refined", "cancelled", "superseded", "forgotten", "lapsed"]
"""Why a trigger ended by itself.

- `moved`: It was said to be at another time.

- `refined`: The same time was told more exactly.

- `cancelled`: It was said not to be.

- `superseded`: What it rests on was replaced.

- `forgotten`: What it rests on was forgotten.

- `lapsed`: It was due for long, and nobody took it.
"""
EntityType = Literal["person", "project", "organization", "place", "concept", "tool"]
"""- `person`: Somebody, by a name or a role.

- `project`: Something that people work on.

- `organization`: A company, a team, an authority.

- `place`: Somewhere.

- `concept`: A subject or an idea.

- `tool`: A program, a service or a device.
"""
ErasureKind = Literal["user", "session", "entity", "memories", "retention"]
"""Everything about whom or what.

- `user`: All that is of a user.

- `session`: A conversation, and what was learnt in it.

- `entity`: All that names an entity.

- `memories`: Memories, by their ids.

- `retention`: What a category no longer keeps.
"""
ErasureState = Literal["waiting", "running", "rejected", "done"]
"""How far an erasure has come.

- `waiting`: A second person has to agree.

- `running`: It is being erased.

- `rejected`: A second person said no.

- `done`: All is gone, and there is a receipt.
"""
EventKind = Literal["stored", "held", "superseded", "trigger_due", "budget", "proposal"]
"""What is told to those who listen.

- `stored`: A memory was stored.

- `held`: A memory waits for review.

- `superseded`: A memory took another's place.

- `trigger_due`: A time that was named or set has come.

- `budget`: The soft or hard amount of a budget is reached.

- `proposal`: A proposal begins to wait for people.
"""
ImportStatus = Literal["accepted", "duplicate", "forgotten", "invalid", "conflict", "refused", "skipped"]
"""What became of a line that was imported.

- `accepted`: It was stored.

- `duplicate`: It was known already.

- `forgotten`: It was forgotten here, is about what was, or copies a message of which something was; nothing is
stored.

- `invalid`: It is no valid line.

- `conflict`: It differs from what is stored under its id.

- `refused`: It is to be sent again, later.

- `skipped`: It is to be read only, is learnt again from its messages, or is about what is not here.
"""
IngestStatus = Literal["accepted", "duplicate", "forgotten", "invalid", "conflict", "refused"]
"""- `accepted`: It was stored.

- `duplicate`: It was known already.

- `forgotten`: It copies a message of which something was forgotten; nothing is stored.

- `invalid`: It is no valid line.

- `conflict`: It differs from what is stored under its id.

- `refused`: The rate limit was reached: send it again, later.
"""
Intent = Literal["why", "when", "who", "what", "general"]
"""- `why`: A reason or a cause.

- `when`: A time.

- `who`: A person.

- `what`: A thing, a place or a number.

- `general`: None of these in particular.
"""
ItemOrder = Literal["newest", "oldest", "most_confident", "most_used", "weightiest"]
"""How a list of items is sorted; ties by id.

- `newest`: The latest first.

- `oldest`: The earliest first.

- `most_confident`: The surest first, as they are now.

- `most_used`: Those that answered most often first.

- `weightiest`: Rules first, then preferences, then by what they weigh now.
"""
JobState = Literal["queued", "running", "done", "failed"]
"""- `queued`: It waits for a worker, or for its next attempt.

- `running`: A worker has it.

- `done`: It is finished.

- `failed`: It was given up.
"""
Kind = Literal["fact", "event", "plan", "preference", "procedure", "opinion", "rule", "reflection", "insight", "lesson"]
"""What sort of knowledge an item is.

- `fact`: Something that is so.

- `event`: Something that happened.

- `plan`: Something that is meant to happen.

- `preference`: What somebody likes, or wants in a certain way.

- `procedure`: How something is done, step by step.

- `opinion`: What somebody thinks of something.

- `rule`: What is always, or never, to be done.

- `reflection`: What somebody concludes about themselves or their work.

- `insight`: What several archived memories have in common.

- `lesson`: What was learnt from something that went well or wrong.
"""
LessonStatus = Literal["active", "superseded", "dismissed", "ended"]
"""How a lesson stands.

- `active`: It holds.

- `superseded`: Another took its place.

- `dismissed`: Somebody dismissed it.

- `ended`: What it rests on was forgotten.
"""
LineKind = Literal["message", "memory", "trigger", "feedback", "lesson", "record"]
"""What a line of an export is.

- `message`: A captured message.

- `memory`: A memory.

- `trigger`: A time that was named or set.

- `feedback`: What was said of a memory.

- `lesson`: A lesson.

- `record`: Anything else: to be read, not to be imported.
"""
Mood = Literal["asserted", "question", "command", "hypothetical", "wish"]
"""What a clause does; a COMMAND may state a rule.

- `asserted`: It says that something is so.

- `question`: It asks.

- `command`: It tells somebody what to do.

- `hypothetical`: It says what would be.

- `wish`: It says what somebody would like.
"""
NodeKind = Literal["entity", "item", "episode"]
"""- `entity`: Somebody or something that is spoken of.

- `item`: A memory.

- `episode`: A captured message.
"""
Omission = Literal["budget", "limit", "already_given"]
"""Why a memory that was considered is not handed out.

- `budget`: It did not fit into the tokens.

- `limit`: There were enough before it.

- `already_given`: The session has it already.
"""
OpenLinkKind = Literal["contradicts", "probably_superseded"]
"""What may be wrong with an item until somebody says.

- `contradicts`: Another contradicts it.

- `probably_superseded`: Another has probably replaced it.
"""
Opinion = Literal["helpful", "wrong", "outdated"]
"""What a person or an agent says of a memory.

- `helpful`: It was of use: it gains priority for a while.

- `wrong`: It is not so: it is held for review.

- `outdated`: It was so: it counts as stale, or ends being true, as the policy says.
"""
Pattern = Literal["rule", "preference", "correction", "request"]
"""What teaches a lesson.

- `rule`: What is always, or never, to be done.

- `preference`: How somebody wants something.

- `correction`: Something else was wrong.

- `request`: It is asked for again and again.
"""
PendingStep = Literal["dedup"]
"""What a job still has to do.

- `dedup`: Comparing it with what is known, which the embedder was too slow for.
"""
Period = Literal["day", "month"]
"""- `day`: A day by the tenant's clock.

- `month`: A month by the tenant's clock.
"""
Precision = Literal["minute", "day"]
"""How exactly a time was told.

- `minute`: A time of day was named.

- `day`: None was: the whole day counts.
"""
Pressure = Literal["ok", "soft", "hard"]
"""How near spending is to what it may come to.

- `ok`: Below the soft amount, or there is none.

- `soft`: At the soft amount: answers are made more cheaply.

- `hard`: At the hard amount: no model is called until the period ends.
"""
Priority = Literal["high", "medium", "low"]
"""How much a fact is likely to matter later (shown as 🔴 🟡 🟢).

- `high`: Shown as 🔴.

- `medium`: Shown as 🟡.

- `low`: Shown as 🟢.
"""
Profile = Literal["lean", "balanced", "deep", "auto"]
"""- `lean`: Few hits, no question rewritten by a model, no graph.

- `balanced`: Some hits, rewritten where that is worth it, the graph's near surroundings.

- `deep`: Most hits, rewritten, the graph's wider surroundings.

- `auto`: One of the three, as the question needs.
"""
ProjectionState = Literal["absent", "building", "complete", "lagging"]
"""How far the copy of a graph has come.

- `absent`: It was never begun.

- `building`: It is being filled.

- `complete`: It has every change.

- `lagging`: It is complete but for changes that have waited too long.
"""
ProposalOrder = Literal["oldest", "decided"]
"""How a list of proposals is sorted; ties by id.

- `oldest`: What waits longest first.

- `decided`: The last decision first, and only what has one.
"""
ProposalState = Literal["waiting", "queued", "approved", "rejected", "merged"]
"""How far a proposal has come.

- `waiting`: The next batch looks at it.

- `queued`: People have to decide.

- `approved`: It is a line of the curated memory.

- `rejected`: It is not.

- `merged`: A line says it already, or together with it.
"""
Purpose = Literal["knowledge", "operational"]
"""- `knowledge`: What people and projects are about.

- `operational`: What an agent works by: rules, systems, procedures.
"""
QueueKind = Literal["proposal", "held", "contradiction", "replacement", "erasure"]
"""What kind of thing waits in the review queue.

- `proposal`: A proposal to change the curated memory.

- `held`: A memory that the gate, or somebody, holds.

- `contradiction`: Two memories of which one must be wrong.

- `replacement`: A memory that another has probably replaced.

- `erasure`: An erasure that a second person has to agree to.
"""
RelationKind = Literal["entity", "fact", "causal", "temporal", "derived_from", "supersedes", "contradicts", "mentions"]
"""How two nodes relate. The first three are stored, the others follow from other rows.

- `entity`: A lasting tie of two entities, such as sister of or part of.

- `fact`: A statement about an entity that may change, such as works at.

- `causal`: From a cause to its effect.

- `temporal`: From an episode to the next of its session.

- `derived_from`: From an item to the episode it rests on.

- `supersedes`: From an item to the one that gave way to it.

- `contradicts`: Between two items of which one must be wrong.

- `mentions`: From an item or episode to an entity it names.
"""
Relevance = Literal["high", "low"]
"""How sure it is that a hit answers: between the floor and certainty it is LOW.

- `high`: It surely answers.

- `low`: It may answer.
"""
Retention = Literal["ebbinghaus", "operational", "none"]
"""The curve a category's confidence follows.

- `ebbinghaus`: It fades from the first day on, quickly at first, as what people remember does.

- `operational`: It keeps for a time of grace, then falls by the same amount every week.

- `none`: It does not fade.
"""
ReviewDecision = Literal["approve", "edit", "reject", "undo"]
"""What somebody decides.

- `approve`: As it stands.

- `edit`: In other words, or another section.

- `reject`: Not.

- `undo`: The last decision is taken back.
"""
Role = Literal["user", "assistant", "tool", "system"]
"""Who produced a message.

- `user`: Whom the agent talks to.

- `assistant`: The agent.

- `tool`: A tool that the agent called.

- `system`: The instructions the agent runs under.
"""
Scope = Literal["read", "write", "share", "review", "admin", "billing", "erase"]
"""- `read`: Asking for what the agent holds.

- `write`: Changing it.

- `share`: What the tenant's agents share: reading it, with `read`, and adding to it, with `write`.

- `review`: Deciding what waits for people.

- `admin`: Keys, categories, schedules, limits; what `review` and `billing` allow.

- `billing`: Usage, costs and budgets.

- `erase`: Erasing for good, and exporting.
"""
Sentiment = Literal["frustrated", "excited", "uncertain", "neutral"]
"""- `frustrated`: Annoyed, sad or let down.

- `excited`: Pleased, or looking forward.

- `uncertain`: Unsure, or worried.

- `neutral`: None of these.
"""
SessionChangeKind = Literal["replaced", "forgotten", "held", "archived", "outdated"]
"""What became of a memory after a session was given it.

- `replaced`: A newer memory took its place, or probably did.

- `forgotten`: It was forgotten.

- `held`: It waits for review, as when somebody says that it is wrong.

- `archived`: It is over or faded.

- `outdated`: Somebody says that it is no longer so.
"""
Status = Literal["active", "stale", "archived", "superseded", "deleted"]
"""- `active`: It holds, and is recalled.

- `stale`: It was not recalled for long, or is said to be outdated, and counts half.

- `archived`: It is over or faded, and out of recall; it can come back.

- `superseded`: A newer one took its place.

- `deleted`: It was forgotten, and can be restored.
"""
Strength = Literal["explicit", "implied", "inferred"]
"""How directly the source said it; by default with a confidence of 0.9, 0.7 or 0.5.

- `explicit`: It was said in so many words.

- `implied`: It follows from what was said.

- `inferred`: It was guessed from what was said.
"""
TriggerStatus = Literal["waiting", "due", "snoozed", "done", "dismissed", "ended"]
"""How a trigger stands.

- `waiting`: Its time has not come.

- `due`: Its time has come.

- `snoozed`: It was put off.

- `done`: Somebody did it.

- `dismissed`: Somebody does not want it.

- `ended`: It ended by itself; `ending` tells why.
"""
TrustTag = Literal["uncertain", "stale", "conflict", "unconfirmed", "inferred", "superseded", "probably_superseded"]
"""- `uncertain`: Its confidence is low.

- `stale`: Its category's days to live are over since it was last confirmed.

- `conflict`: Another memory contradicts it.

- `unconfirmed`: One source says it, and not in so many words.

- `inferred`: It was guessed from what was said.

- `superseded`: A newer memory took its place.

- `probably_superseded`: A newer memory has probably taken its place.
"""
Unit = Literal["item", "episode", "summary", "note", "chunk"]
"""What a search document stands for.

- `item`: A memory.

- `episode`: A captured message.

- `summary`: What is known of an entity, in the sections of a context block.

- `note`: Reserved: nothing is one yet.

- `chunk`: Reserved: nothing is one yet.
"""
UsageKey = Literal["agent", "operation", "model", "session", "day"]
"""What usage is grouped by; a day is one of UTC.

- `agent`: By whose key it was spent.

- `operation`: By what it was spent on, such as a recall.

- `model`: By the model that was called.

- `session`: By the conversation it was spent in.

- `day`: By the day, of UTC.
"""
Verdict = Literal["allow", "hold", "discard"]
"""What the gate said.

- `allow`: It may be recalled.

- `hold`: It waits for review, and is not recalled until then.

- `discard`: It became no memory; a rejection tells why.
"""
Visibility = Literal["private", "shared"]
"""- `private`: Its agent's alone.

- `shared`: For all agents of the tenant.
"""
WriteOutcome = Literal["stored", "held", "merged", "superseded", "rejected"]
"""- `stored`: It is a memory.

- `held`: It is a memory that waits for review.

- `merged`: A memory that says the same was reinforced.

- `superseded`: It is a memory, and another gave way to it.

- `rejected`: It became no memory.
"""


class MemoryFilter(TypedDict, total=False):
    """An empty list is a filter that nothing passes; an absent one is none."""

    after: str
    """Event time: ISO 8601, or a word such as last_week."""
    agent_id: str
    """Of this agent, by its own name."""
    all_users: bool
    """Every user's, side by side."""
    before: str
    """Event time up to then, in the same way."""
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
    """Private ones alone, or shared ones."""


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
    """Its id."""
    agent_id: str | None
    """The agent's own name; null: all agents together."""
    period: Period
    """Whether it is for a day or for a month."""
    soft_usd: float | None
    """US dollars from which on nothing is rewritten and contexts are shorter; null: none."""
    hard_usd: float | None
    """US dollars from which on no model is called that costs something; null: none."""
    spent_usd: float
    """Of the calls whose price is known."""
    unpriced_rows: int
    """Rows of usage in the period whose price is unknown."""
    remaining_usd: float
    """Up to the hard amount, or the soft one where there is no hard."""
    forecast_usd: float
    """What it comes to at the period's end, if it goes on like the mean of the last 7 days."""
    since: datetime
    """When the period began."""
    until: datetime
    """When the period ends, and spending starts again from nothing."""
    state: Pressure
    """The amount that is reached."""


@dataclass(frozen=True, slots=True)
class DeletedBudget(Record):
    """The budget that was lifted."""

    id: str
    """Its id."""


@dataclass(frozen=True, slots=True)
class Capture(Record):
    session_id: str
    """The session, by the caller's own id of it."""
    turn_number: int
    """The number of the turn in its session, from 1."""
    resource_ids: tuple[str, ...]
    """The messages it is kept as, by their ids."""
    job_ids: tuple[str, ...]
    """The jobs that were started for it, by their ids."""
    duplicate: bool
    """It was there already: nothing changed."""


@dataclass(frozen=True, slots=True)
class CategoryDefault(Record):
    """The deployment's own category of that name, which a new tenant would start with."""

    label: str
    """What people call it."""
    keywords: tuple[str, ...]
    """Words that file a statement under it, by stem."""
    ttl_days: int | None
    """Days since confirmed after which a memory is tagged stale, and archived if unused; null: never."""
    decay_lambda: float
    """λ of the score's exp(−λ·days)."""
    retention: Retention
    """Curve the confidence follows."""
    purpose: Purpose
    """Knowledge, or operational memories."""
    is_protected: bool
    """Its memories never fade, expire or are archived, whatever its numbers say."""


@dataclass(frozen=True, slots=True)
class Category(Record):
    """What memories are filed under: the slug stands in a memory, a filter and as a domain."""

    slug: str
    """What memories and other verbs name it by; it never changes."""
    label: str
    """What people call it."""
    keywords: tuple[str, ...]
    """Words that file a statement under it, by stem."""
    examples: tuple[str, ...]
    """What is said in it: the tenant's own sentences, else the deployment's."""
    has_default_examples: bool
    """Its examples are the deployment's."""
    ttl_days: int | None
    """Days since confirmed after which a memory is tagged stale, and archived if unused; null: never."""
    decay_lambda: float
    """λ of the score's exp(−λ·days)."""
    half_life_days: float | None
    """Days in which the score halves; null: it does not."""
    retention: Retention
    """Curve the confidence follows."""
    purpose: Purpose
    """Knowledge, or operational memories."""
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
    """The step of maintenance, by its code."""
    now: int
    """How many memories it would change, with the numbers as they are."""
    then: int
    """How many memories it would change, with the numbers that are tried."""


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
    """What each step of maintenance that archives would take."""
    archived_sample: tuple[str, ...]
    """Some of the memories that would be archived, the oldest first."""
    spared_sample: tuple[str, ...]
    """Some of the memories that would be spared, the oldest first."""


@dataclass(frozen=True, slots=True)
class Scores(Record):
    """What each arm and each modifier contributed; null where an arm was silent."""

    vector: float | None
    """What likeness of meaning contributed."""
    keyword: float | None
    """What words in common contributed."""
    graph: float | None
    """What ties to the entities of the question contributed."""
    time: float | None
    """What lying in the time asked for contributed."""
    decay: float | None
    """Factor for its age, 0 to 1."""
    stale: float | None
    """Factor for being stale; 1: it is not."""
    priority: float | None
    """Factor for what use and feedback taught; 1: nothing."""
    sentiment: float | None
    """Factor for the tone of the question; 1: it has another."""
    domain: float | None
    """Factor for lying outside the agent's domain; 1: it does not."""


@dataclass(frozen=True, slots=True)
class Source(Record):
    """A captured message something rests on; `external_id` is the caller's own, `quote` the words."""

    resource_id: str
    """The message, by its id."""
    external_id: str | None
    """The caller's own id of it; null: it has none."""
    role: Role | None
    """As what it was said; null where the message may not be read."""
    speaker: str | None
    """The name of who said it, or a role; null: none was given."""
    said_at: datetime
    """When it was said; where several messages say it, the last time."""
    quote: str | None = None
    """The words of it that say so; null: none are told."""


@dataclass(frozen=True, slots=True)
class Hit(Record):
    """A memory worth knowing, or a message that was captured; one that answers for both names both."""

    rank: int
    """Its place among the hits, from 1."""
    unit: Unit
    """ITEM: a memory; EPISODE: a captured message."""
    id: str
    """The memory's or the message's id, as `unit` says."""
    text: str
    """What it says."""
    lead_in: str
    """What the text leans on: the question it answers, or the clause before."""
    score: float
    """What it was ranked by; more is better."""
    probability: float
    """That it answers: what the relevance floor tests."""
    relevance: Relevance
    """LOW: better than nothing, but not sure."""
    scores: Scores
    """What made the score."""
    item_id: str | None
    """The memory that answers; null: a message alone does."""
    episode_id: str | None
    """The message that answers; null: a memory alone does."""
    category: str
    """The category it is filed under, by its slug; empty: under none."""
    service: str | None
    """The service or system it speaks of; null: none."""
    confidence: float | None
    """What the memory is worth now, 0 to 1; null of a message."""
    age_days: float
    """Days since it was said."""
    event_time: datetime | None
    """When what it tells of happens; null: unknown."""
    tags: tuple[TrustTag, ...]
    """What to be careful about; empty: nothing."""
    sources: tuple[Source, ...]
    """The messages it rests on."""
    role: Role
    """On whose word it stands: a fact that several state, on the one that weighs most."""
    current_fact_ids: tuple[str, ...]
    """What has replaced parts of an episode."""
    agent_id: str | None
    """Whose memory it is: the agent's own name."""
    said_at: datetime | None
    """When it was said; where several messages say it, the last time."""
    already_given: bool
    """The session named was given it, and it has not changed since."""
    given_at: datetime | None
    """When the session was first given it, of the last 200 hits."""


@dataclass(frozen=True, slots=True)
class SessionChange(Record):
    """What the session was given before, and what became of it since."""

    id: str
    """The memory that was given, by its id."""
    text: str | None
    """What it says; null: it was forgotten."""
    given_at: datetime
    """When the session was first given it."""
    became: SessionChangeKind
    """What became of it."""
    tag: TrustTag | None
    """SUPERSEDED: surely; PROBABLY_SUPERSEDED: probably; null: nothing took its place."""
    replaced_by: str | None
    """The current memory that took its place, by its id; null: none did."""
    replacement: str | None
    """What the current memory says; null: none took its place."""


@dataclass(frozen=True, slots=True)
class TimeSpan(Record):
    start: datetime
    """When it begins."""
    end: datetime
    """When it ends."""
    phrase: str
    """The words that name it."""


@dataclass(frozen=True, slots=True)
class Stage(Record):
    name: str
    """The part of the work, by its code."""
    milliseconds: float
    """How long it took, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Arm(Record):
    name: str
    """keyword, vector, graph, time or summaries."""
    candidates: int
    """How many it found."""


@dataclass(frozen=True, slots=True)
class LeftOut(Record):
    """A memory that was considered and not handed out, with the beginning of its text."""

    unit: Unit
    """ITEM: a memory; EPISODE: a captured message."""
    id: str
    """The memory's or the message's id, as `unit` says."""
    text: str
    """How it begins."""
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
    """The query was taken for a statement, not a question."""
    complexity: str
    """simple or complex: what the query was taken for."""
    gate: float
    """How far the keyword arm was believed, 0 to 1."""
    floor: float
    """The probability from which on something is relevant, 0 to 1."""
    least: float
    """How likely a hit had to be: half as the floor asks, a twentieth of the best."""
    candidates: int
    """How many were considered."""
    time_range: TimeSpan | None
    """The time that the query names; null: none."""
    stages: tuple[Stage, ...]
    """How long each part of the work took."""
    arms: tuple[Arm, ...]
    """How many each arm found."""
    below_floor: tuple[Hit, ...]
    """The best of what missed, best first."""
    left_out: tuple[LeftOut, ...]
    """What was relevant and not handed out."""


@dataclass(frozen=True, slots=True)
class ContextBlock(Record):
    """A block of text, `tokens` long, holding `included` of the `available` relevant memories: `hits`, best first.
    With a session, what it was already given does not count as available.
    """

    recall_id: str
    """The recall, by its id."""
    text: str
    """The block, for the prompt."""
    tokens: int
    """How long the text is, in tokens of o200k_base."""
    included: int
    """How many hits are in it."""
    available: int
    """How many were relevant, in the block or not, but for what the session has."""
    hits: tuple[Hit, ...]
    """What is in the block, best first."""
    changed: tuple[SessionChange, ...]
    """What became of memories this session was given, each told once."""
    degraded: tuple[str, ...]
    """What did not answer as configured: vector, graph, rewrite; budget_soft, budget_hard: a budget is spent up to
    there. Empty when whole.
    """
    explanation: RecallExplanation | None
    """Why the answer is what it is; null unless `explain` asked for it."""


@dataclass(frozen=True, slots=True)
class CuratedLine(Record):
    """A line of MEMORY.md."""

    id: str
    """Its id."""
    section: str
    """The category it is filed under."""
    kind: Kind
    """Which kind it is of."""
    text: str
    """What it says."""
    said_on: date
    """The day it was said on."""
    item_ids: tuple[str, ...]
    """The memories it rests on, by their ids."""
    decision: int | None
    """The number of its record."""
    added_by: str
    """Who added it, such as agent:scribe, member:7 or rules."""
    added_at: datetime
    """When it was added."""


@dataclass(frozen=True, slots=True)
class CuratedMemory(Record):
    """What every agent of the tenant is told first."""

    text: str
    """MEMORY.md."""
    tokens: int
    """How long the text is, in tokens of o200k_base."""
    entries: int
    """How many lines it has."""
    limit: int
    """Lines there are to be at most."""
    over: int
    """How many too many: the signal to prune."""
    changes: int
    """The number of the last change."""
    changed_at: datetime | None
    """When it changed last; null: it never did."""
    lines: tuple[CuratedLine, ...]
    """Its lines, in the order they came."""


@dataclass(frozen=True, slots=True)
class CuratedRepository(Record):
    """How the repository stands to the lines. `commit` is null before there is one."""

    commit: str | None
    """The hash of the last commit; null before there is one."""
    commits: int
    """How many commits there are."""
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
    """The commit's hash."""
    at: datetime
    """The commit's time."""
    by: str
    """Who made the change, such as agent:scribe, member:7 or system."""
    message: str
    """The commit's message."""
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
    """Its id."""
    name: str
    """Its name."""
    type: EntityType
    """What it is: a person, a place, a project."""
    mention_count: int
    """How many messages mention it; a memory counts as the message it comes from."""
    aliases: tuple[str, ...]
    """The other names it goes by."""
    first_seen_at: datetime
    """The earliest event time of what mentions it."""
    last_seen_at: datetime
    """The latest event time of what mentions it."""


@dataclass(frozen=True, slots=True)
class Slot(Record):
    """Which state a memory speaks of, in its own words; empty where it does not say."""

    subject: str
    """Whom or what the state belongs to."""
    attribute: str
    """Which state it is."""
    value: str
    """What the state is said to be."""
    qualifier: str
    """What tells one such state from another: a ticket, an environment."""


@dataclass(frozen=True, slots=True)
class OpenLink(Record):
    """What may be wrong with a memory until somebody says, and the memory (or refused claim) that raises it."""

    kind: OpenLinkKind
    """What may be wrong."""
    other_id: str
    """The id of the memory, or refused claim, that raises it."""


@dataclass(frozen=True, slots=True)
class Memory(Record):
    """What was learnt. `text` is the speaker's own clause; what was understood of it lies in the other fields."""

    id: str
    """Its id."""
    version: int
    """Grows with every change: name the one you looked at in `seen`."""
    text: str
    """What it says."""
    lead_in: str
    """What the text leans on: the question it answers, or the clause before; empty when it stands alone."""
    slot: Slot
    """The state that it speaks of."""
    mood: Mood
    """What its words do: only ASSERTED ones state a fact."""
    is_negated: bool
    """It says that something is not so."""
    said_by: str
    """Who says so, where a name is known."""
    reported_by: str
    """On whose word, where it is reported."""
    language: str
    """The language of its words, by its code, such as en."""
    open_links: tuple[OpenLink, ...]
    """What may be wrong with it until somebody says."""
    kind: Kind
    """Which kind it is of."""
    category: str
    """The category it is filed under, by its slug."""
    service: str | None
    """The service or system it speaks of; null: none."""
    entity_names: tuple[str, ...]
    """The names that it speaks of."""
    strength: Strength
    """How directly it was said."""
    sentiment: Sentiment
    """The tone it was said in."""
    priority: Priority
    """How much it is likely to matter later."""
    confidence: float
    """What it is worth now, 0 to 1."""
    base_confidence: float
    """What it was worth when last reinforced, 0 to 1."""
    retrieval_priority: float
    """By what share use and feedback raise its score, or lower it, before the clamp."""
    verdict: Verdict
    """What the gate said of it."""
    status: Status
    """How it stands now."""
    status_reason: str
    """Why it stands so, by its code; empty: for no special reason."""
    protected: bool
    """Somebody vouched for it: its confidence does not fade."""
    event_time: datetime
    """When what it tells of happens; without a time named in it, when it was said."""
    valid_from: datetime
    """Since when it is true."""
    valid_until: datetime | None
    """Until when it is true; null: no end is known."""
    recorded_at: datetime
    """Since when it is believed: since it was first said."""
    retracted_at: datetime | None
    """Since when it is no longer believed; null: it still is."""
    last_confirmed_at: datetime | None
    """When it was last said again or vouched for; null: never."""
    expires_at: datetime | None
    """When its category's days to live are over, since last confirmed; null: never."""
    access_count: int
    """How often it answered a question, which keeps it from fading."""
    recall_count: int
    """How often a recall returned it to a question."""
    merged_count: int
    """How many others that say the same were merged into it."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    external_id: str | None
    """The caller's own id of it; null: it has none."""
    visibility: Visibility
    """PRIVATE: its agent's alone; SHARED: for all agents of the tenant."""
    agent_id: str | None
    """The agent, by its own name; null: none."""
    sources: tuple[Source, ...]
    """The messages it rests on."""


@dataclass(frozen=True, slots=True)
class Statement(Record):
    """What was said of an entity, and when it was true."""

    kind: RelationKind
    """Which kind it is of."""
    predicate: str
    """What relates the two, such as works_at; empty: they are mentioned together."""
    subject: str
    """Whom or what it is said of, by name."""
    object: str
    """Its other end, by name or in words."""
    object_id: str | None
    """The entity at the other end; null: it is only words."""
    negated: bool
    """It is said not to be so."""
    confidence: float
    """How sure it is, 0 to 1."""
    valid_from: datetime
    """Since when it is true."""
    valid_until: datetime | None
    """Until when it is true; null: no end is known."""
    memory_id: str | None
    """The memory that says so."""
    resource_id: str | None
    """The message that says so; null: none does, or it is gone."""
    quote: str
    """The words that say so."""


@dataclass(frozen=True, slots=True)
class RelatedEntity(Record):
    id: str
    """Its id."""
    name: str
    """Its name."""
    type: EntityType
    """What it is: a person, a place, a project."""
    predicate: str
    """What relates the two, such as works_at; empty: they are mentioned together."""
    outgoing: bool
    """The relation runs from the entity asked for to this one."""
    weight: float
    """How close the two are, 0 to 1: it grows with how often they are told of together."""


@dataclass(frozen=True, slots=True)
class Speaker(Record):
    """Who spoke of it, in how many messages."""

    name: str | None
    """Who spoke of it; null: no name is known."""
    count: int
    """In how many of the newest messages that mention it."""


@dataclass(frozen=True, slots=True)
class EntityProfile(Record):
    """What is known of an entity at a moment."""

    id: str
    """Its id."""
    name: str
    """Its name."""
    type: EntityType
    """What it is: a person, a place, a project."""
    mention_count: int
    """How many messages mention it; a memory counts as the message it comes from."""
    aliases: tuple[str, ...]
    """The other names it goes by."""
    first_seen_at: datetime
    """The earliest event time of what mentions it."""
    last_seen_at: datetime
    """The latest event time of what mentions it."""
    summary: str
    """Who or what it is, in a few sentences."""
    facts: tuple[Memory, ...]
    """What is true of it at the time asked for."""
    timeline: tuple[Statement, ...]
    """What was said of it, by time; what is no longer true included."""
    related: tuple[RelatedEntity, ...]
    """Whom and what it is related to: by statements first, the closest first."""
    said_by: tuple[Speaker, ...]
    """Who spoke of it."""


@dataclass(frozen=True, slots=True)
class NamedEntity(Record):
    """Somebody or something that a memory names."""

    id: str
    """Its id."""
    name: str
    """Its name."""
    type: EntityType
    """What it is: a person, a place, a project."""
    mention_count: int
    """How many messages mention it; a memory counts as the message it comes from."""


@dataclass(frozen=True, slots=True)
class Tie(Record):
    """What connects two entities of a neighbourhood: a statement, or (`predicate` empty) being spoken of together."""

    start: str
    """The entity it begins at, by its id."""
    end: str
    """The entity it ends at, by its id."""
    kind: RelationKind
    """Which kind it is of."""
    predicate: str
    """What relates the two, such as works_at; empty: they are mentioned together."""
    count: int
    """How many memories and messages say so."""
    confidence: float
    """How sure the surest that says so is, 0 to 1."""
    valid_from: datetime
    """Since when it is true."""
    valid_until: datetime | None
    """Until when it is true; null: no end is known."""
    memory_id: str | None
    """The last memory that says so."""


@dataclass(frozen=True, slots=True)
class Neighbourhood(Record):
    """An entity with those around it at a moment, the closest first, and every tie between any two of them."""

    center: NamedEntity
    """The entity that was asked for."""
    first_seen_at: datetime
    """The earliest event time of what mentions that entity."""
    neighbours: tuple[NamedEntity, ...]
    """The entities around it, the closest first."""
    ties: tuple[Tie, ...]
    """What connects any two of them: statements first, the most often said before others."""
    truncated: bool
    """There are more than were asked for."""


@dataclass(frozen=True, slots=True)
class Count(Record):
    name: str
    """What is counted."""
    count: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class Erasure(Record):
    """An erasure, and how far it has come."""

    id: str
    """Its id."""
    kind: ErasureKind
    """Which kind it is of."""
    state: ErasureState
    """How far it has come."""
    about: Any
    """Whom or what, as it was asked for; an entity by its name, too. Empty once it is over."""
    digest: str
    """What stands for it in the receipt."""
    reason: str | None
    """Why, in the caller's words; null: unsaid, or erased with the rest."""
    requested_by: str
    """agent, or member: and the number of a login."""
    requested_agent_id: str | None
    """As which agent it was asked for, by its own name; null: as none."""
    requested_at: datetime
    """When it was asked for."""
    decided_by: str | None
    """Who approved or rejected it."""
    decided_agent_id: str | None
    """As which agent that was, by its own name; null: as none."""
    decided_at: datetime | None
    """When it was decided; null: not yet."""
    started_at: datetime | None
    """When it began; null: not yet."""
    finished_at: datetime | None
    """When it ended; null: not yet."""
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
    """Its id."""
    kind: str
    """memory or message."""
    text: str
    """How it begins, in at most 300 characters."""


@dataclass(frozen=True, slots=True)
class ErasureEntity(Record):
    """Somebody or something the name stands for."""

    id: str
    """Its id."""
    name: str
    """Its name."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    mentions: int
    """How often it is mentioned."""


@dataclass(frozen=True, slots=True)
class ErasurePreview(Record):
    """What would go."""

    kind: ErasureKind
    """Which kind it is of."""
    memories: int
    """How many memories would go."""
    messages: int
    """How many messages would go."""
    sessions: int
    """How many sessions would go."""
    rows: tuple[Count, ...]
    """Rows by table."""
    samples: tuple[ErasureSample, ...]
    """The newest memories and messages among them."""
    entities: tuple[ErasureEntity, ...]
    """All whom or what the name stands for, where one was given."""
    memory_ids: tuple[str, ...]
    """Those that were named, or that the topic found: a request names them."""
    message_ids: tuple[str, ...]
    """The same of messages."""
    truncated: bool
    """More may be about the topic than was found: preview it again once this is erased."""
    fingerprint: str
    """What a request for just this needs."""
    expires_at: datetime
    """Until when the fingerprint is accepted."""


@dataclass(frozen=True, slots=True)
class VerifiedReceipt(Record):
    """Whether a receipt is ours and says what it said when it was signed."""

    valid: bool
    """It is this tenant's, and says what was signed."""
    problem: str | None
    """Why it is not valid; null: it is."""
    erasure_id: str | None
    """The erasure it tells of; null unless it is valid."""
    key_id: str | None
    """The key that it names; null: none."""


@dataclass(frozen=True, slots=True)
class MemoryEvent(Record):
    """Something that happened. Ids ascend; gaps are what others were told."""

    id: str
    """Where it stands among the tenant's events: what to pass as `after`."""
    kind: EventKind
    """Which kind it is of."""
    at: datetime
    """When it happened."""
    subject: str
    """memory, trigger, budget or proposal: what subject_id is the id of."""
    subject_id: str
    """The id of what it happened to."""
    related_id: str | None
    """The memory that superseded it."""
    agent_id: str | None
    """The agent, by its own name; null: none."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    code: str | None
    """Of a budget: soft or hard, the amount that is reached."""


@dataclass(frozen=True, slots=True)
class MemoryEvents(Record):
    items: tuple[MemoryEvent, ...]
    """What happened, in order."""
    next: str
    """What to pass as `after`; never null, for there may be more at any time."""
    missed: bool
    """Whether events behind `after` are no longer kept: read again what you hold of memories."""


@dataclass(frozen=True, slots=True)
class ExportedLine(Record):
    """A line of an export."""

    kind: LineKind
    """What the line is; a RECORD is to be read, not to be imported."""
    content: Any
    """The line as JSON: what an import takes."""
    markdown: str
    """The same for people, in one line."""


@dataclass(frozen=True, slots=True)
class ForgottenMemory(Record):
    id: str
    """Its id."""
    text: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class Forgotten(Record):
    """What a batch took away or, restored, gave back; on a dry run what it would take (`batch_id` null)."""

    batch_id: str | None
    """What restoring it takes; null on a dry run."""
    dry_run: bool
    """Nothing was taken: it tells what would be."""
    items: tuple[ForgottenMemory, ...]
    """The memories that it took, gave back or, on a dry run, would take."""
    episodes: int
    """How many messages go or come back with them."""
    truncated: bool
    """More may answer the query than `limit` let it take: ask again."""


@dataclass(frozen=True, slots=True)
class GraphStatus(Record):
    """How the graph's copy on another server stands. ABSENT: never begun; LAGGING: changes have waited too long."""

    server: str | None
    """What keeps the copy, such as neo4j; null: no server is configured."""
    breaker: BreakerState | None
    """OPEN: the server is left alone after failures; null: no server is configured."""
    state: ProjectionState
    """How the copy stands."""
    completed_at: datetime | None
    """When the copy became complete; null: it is not."""
    waiting_jobs: int
    """Changes, and steps of a rebuild, that are not copied yet."""
    oldest_waiting_seconds: float
    """Seconds that the oldest of them has waited; 0: none does."""


@dataclass(frozen=True, slots=True)
class Backfill(Record):
    """How many jobs read everything again."""

    jobs: int
    """How many jobs were started."""


@dataclass(frozen=True, slots=True)
class StartedJob(Record):
    """The job that does it: `jobs` tells its state and outcome."""

    job_id: str
    """The job, by its id."""


@dataclass(frozen=True, slots=True)
class HealthReport(Record):
    """How the memory is, as numbers and for people."""

    at: datetime
    """When it was counted."""
    days: int
    """How many days back `recent` counts look: the policy's `report_days`."""
    counts: tuple[Count, ...]
    """By status, by category, of the last `days` (`recent`), and now."""
    markdown: str
    """The same for people, in Markdown."""


@dataclass(frozen=True, slots=True)
class ImportedLine(Record):
    """What became of a line, counted from 1. REFUSED: the rate limit was reached, or what it is about is not learnt
    yet; send it again later.
    """

    line: int
    """Its number among the lines, from 1."""
    status: ImportStatus
    """What became of it."""
    id: str | None
    """Of what the line became."""
    error: str | None
    """What is wrong with it, in words; null: nothing."""
    field: str | None
    """The field that is wrong; null: none in particular."""


@dataclass(frozen=True, slots=True)
class Imported(Record):
    """`refused` lines met the rate limit, or came before what they are about was learnt: send them again after
    `retryAfter` seconds.
    """

    accepted: int
    """How many lines were stored."""
    duplicate: int
    """How many lines were known already."""
    forgotten: int
    """How many lines are of what was forgotten, and were left out."""
    invalid: int
    """How many lines are no valid input."""
    conflict: int
    """How many lines differ from what is stored under their id."""
    refused: int
    """How many lines are to be sent again."""
    skipped: int
    """How many lines are to be read only, or about what is not here."""
    retry_after: float | None
    """Seconds to wait before the refused lines are sent again; null: none has to wait."""
    results: tuple[ImportedLine, ...]
    """What became of each line, by its number."""


@dataclass(frozen=True, slots=True)
class JobCode(Record):
    """What a job says of itself in a word: `extractor` is who read, `degraded` what was missing."""

    name: str
    """What the code is of, such as extractor or degraded."""
    code: str
    """What the job says of that, in a word."""


@dataclass(frozen=True, slots=True)
class Job(Record):
    id: str
    """Its id."""
    name: str
    """What it does, by its code, such as memory.observe."""
    state: JobState
    """How far it has come."""
    attempts: int
    """How often it was begun; retrying counts anew."""
    error: str | None
    """Reason code; never content."""
    outcome: tuple[Count, ...]
    """What it achieved, in counts."""
    codes: tuple[JobCode, ...]
    """How it went, in words: which model read, what was missing."""
    created_at: datetime
    """When it was made."""
    started_at: datetime | None
    """When it began; null: not yet."""
    finished_at: datetime | None
    """When it ended; null: not yet."""


@dataclass(frozen=True, slots=True)
class JournalEntry(Record):
    """One thing that happened; the last four are empty but for entries an agent wrote itself."""

    id: str
    """Its id."""
    at: datetime
    """When it happened."""
    operation: str
    """What was done, by its code, such as turn.captured."""
    actor: str
    """Who did it: agent, member: and the number of a login, or a part of the platform."""
    agent_id: str | None
    """The agent, by its own name; null: none."""
    subject: str
    """What kind of thing it was done to; empty: none."""
    subject_id: str | None
    """The id of that thing; null: none."""
    request_id: str
    """The X-Request-ID of the request it was done in; empty: none."""
    data: Any
    """Ids, counts and codes, by name."""
    action: str
    """The verb that an agent logged, such as deployed."""
    tool: str
    """What was used or acted on."""
    detail: str
    """What was done, in the agent's words."""
    reason: str
    """Why, in the agent's words."""


@dataclass(frozen=True, slots=True)
class ApiKey(Record):
    id: str
    """Its id."""
    prefix: str
    """What its token begins with, after mp_."""
    agent_id: str
    """The agent, by its own name; null: none."""
    user_id: str | None
    """The one user it is bound to."""
    name: str
    """What people know the key by."""
    scopes: tuple[Scope, ...]
    """What the key may do."""
    created_at: datetime
    """When it was made."""
    expires_at: datetime | None
    """When it stops working; null: never."""
    revoked_at: datetime | None
    """When it was revoked; null: it was not."""
    last_used_at: datetime | None
    """When it was used last, to the minute; null: never."""


@dataclass(frozen=True, slots=True)
class NewApiKey(Record):
    """The token is shown this once."""

    token: str
    """The secret: what a caller sends as `Authorization: Bearer`."""
    key: ApiKey
    """The key, as lists tell it."""


@dataclass(frozen=True, slots=True)
class Evidence(Record):
    """A message that says it, and its words."""

    resource_id: str
    """The message, by its id."""
    said_at: datetime
    """When it was said; where several messages say it, the last time."""
    quote: str
    """The words of the message that say it."""


@dataclass(frozen=True, slots=True)
class Lesson(Record):
    """What a user wants done otherwise from now on, or asks for again and again."""

    id: str
    """Its id."""
    pattern: Pattern
    """What makes it a lesson."""
    text: str
    """What it says."""
    scope: str
    """The service or the category it is about."""
    instead_of: str | None
    """What was wrong, of a correction."""
    replaces: tuple[str, ...]
    """What the lessons said whose place it took, the oldest first."""
    heard: int
    """How many messages say it."""
    last_heard_at: datetime
    """When a message said it last."""
    evidence: tuple[Evidence, ...]
    """The messages that say it."""
    item_id: str | None
    """The memory it stands on; null for a request."""
    status: LessonStatus
    """How it stands now."""
    replaced_by_id: str | None
    """The lesson that took its place; null: none did."""
    agent_id: str | None
    """The agent, by its own name; null: none."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    visibility: Visibility
    """PRIVATE: its agent's alone; SHARED: for all agents of the tenant."""
    created_at: datetime
    """When it was made."""


@dataclass(frozen=True, slots=True)
class LessonsFile(Record):
    """The lessons file, in Markdown; empty when there are none."""

    text: str
    """The file; empty: there are no lessons."""
    tokens: int
    """How long the text is, in tokens of o200k_base."""


@dataclass(frozen=True, slots=True)
class StartedMaintenance(Record):
    """The job that does it: `jobs` tells its state, and in its outcome the counts of the steps that are done."""

    job_id: str
    """The job, by its id."""
    steps: tuple[str, ...]
    """What it does, in this order."""


@dataclass(frozen=True, slots=True)
class WriteResult(Record):
    """What became of an explicit fact, and why. SUPERSEDED: it was stored and `supersedes` gave way."""

    outcome: WriteOutcome
    """What became of it."""
    memory: Memory | None
    """The memory that holds it; null: it was rejected."""
    reason: str
    """Why, in words."""
    supersedes: Memory | None
    """The memory that gave way; null: none did."""
    pending: tuple[PendingStep, ...]
    """What a job still has to do."""


@dataclass(frozen=True, slots=True)
class Version(Record):
    """One change: changed fields before and after, by their column names."""

    id: str
    """Its id."""
    at: datetime
    """When it changed."""
    operation: str
    """What was done, by its code, such as corrected."""
    reason: str
    """Why, by its code or in the caller's words; empty: unsaid."""
    before: Any
    """The changed fields as they were."""
    after: Any
    """The changed fields as they became."""


@dataclass(frozen=True, slots=True)
class Link(Record):
    """The other end of a merge, a supersession, a contradiction or an act of sharing."""

    id: str
    """The id of the memory, or refused claim, at the other end."""
    text: str
    """What it says."""
    reason: str
    """Why the two are linked, by its code."""
    at: datetime
    """When the two were linked."""
    open: bool
    """The link holds: it was neither settled nor undone."""
    agent_id: str | None
    """The agent, by its own name; null: none."""
    said_at: datetime
    """When it was said; where several messages say it, the last time."""
    confidence: float | None
    """What it is worth now, 0 to 1; null for what became no memory."""


@dataclass(frozen=True, slots=True)
class Explanation(Record):
    memory: Memory
    """The memory as it is now."""
    versions: tuple[Version, ...]
    """What changed of it, the earliest first."""
    opinion: Opinion | None
    """What the caller says of it (`giveFeedback`)."""
    merged: tuple[Link, ...]
    """What was merged into it; one that is not `open` no longer is."""
    merged_into: Link | None
    """What it was merged into; null: nothing, or that was undone."""
    supersedes: tuple[Link, ...]
    """What gave way to it."""
    superseded_by: tuple[Link, ...]
    """What took its place."""
    contradicts: tuple[Link, ...]
    """The most trusted first."""
    shared_from: Link | None
    """The private memory it was shared from; its agent sees it."""
    shared_as: tuple[Link, ...]
    """The shared memories that were made of it."""
    sources: tuple[Source, ...]
    """The messages it rests on."""
    entities: tuple[str, ...]
    """The names that it speaks of."""


@dataclass(frozen=True, slots=True)
class MemoryFeedback(Record):
    """What the caller says of a memory, since when, and what the memory is now. It stands until it is withdrawn."""

    memory: Memory
    """The memory as it is now."""
    kind: Opinion
    """What the caller says of it."""
    at: datetime
    """Since when the caller says so."""


@dataclass(frozen=True, slots=True)
class ObservedFact(Record):
    """Something that the text says. Whether it became a memory, the gate decided."""

    text: str
    """What it says."""
    quote: str
    """The words of the message that say it."""
    kind: Kind
    """Which kind it is of."""
    category: str
    """The category it is filed under, by its slug."""
    priority: Priority
    """How much it is likely to matter later."""
    strength: Strength
    """How directly it was said."""
    entities: tuple[str, ...]
    """The names that it speaks of."""
    event_time: datetime | None
    """When what it tells of happens; null: no time is named."""


@dataclass(frozen=True, slots=True)
class ObservedSegment(Record):
    """A part of the text: the message it is kept as, and what it says in short."""

    resource_id: str
    """The message, by its id."""
    text: str
    """What it says."""
    role: Role
    """Whose words they are."""
    pending: bool
    """Not learnt from yet: send the text again, or ask endSession."""
    narrative: str
    """All that was read out of it, as one text."""
    facts: tuple[ObservedFact, ...]
    """What was read out of it."""


@dataclass(frozen=True, slots=True)
class ObservedText(Record):
    session_id: str
    """The session, by the caller's own id of it."""
    pending: int
    """Segments that are not learnt from yet."""
    segments: tuple[ObservedSegment, ...]
    """The parts of the text, in order."""


@dataclass(frozen=True, slots=True)
class PathNode(Record):
    """An entity by its name, a memory or a message by its text."""

    kind: NodeKind
    """Which kind it is of."""
    id: str
    """The entity's, the memory's or the message's id."""
    text: str
    """The entity's name, or what the memory or message says."""


@dataclass(frozen=True, slots=True)
class PathStep(Record):
    kind: RelationKind
    """Which kind it is of."""
    predicate: str
    """What relates the two, such as works_at; empty where the kind says it all."""
    start: PathNode
    """Where the step begins."""
    end: PathNode
    """Where the step ends."""
    forward: bool
    """The relation runs from start to end."""
    fact: str
    """What it rests on."""
    sources: tuple[Source, ...]
    """The messages it rests on."""


@dataclass(frozen=True, slots=True)
class Path(Record):
    """`connected` false: not within max_depth hops."""

    connected: bool
    """There is a way within max_depth hops."""
    steps: tuple[PathStep, ...]
    """The steps of the way, in order."""


@dataclass(frozen=True, slots=True)
class RetoldRecall(Record):
    """A recall that would have been answered otherwise."""

    recall_id: str
    """The recall, by its id."""
    at: datetime
    """When it was asked."""
    lost: tuple[str, ...]
    """Units below the floor."""
    is_emptied: bool
    """There would have been no answer."""
    is_reordered: bool
    """Its hits would stand in another order."""
    first: str | None
    """The unit with the best score."""
    new_first: str | None
    """The unit that would have the best score; null: there would be none."""


@dataclass(frozen=True, slots=True)
class RetoldRecalls(Record):
    """What would have become of the recalls, by their hits; of what was no hit nothing is kept."""

    recalls: int
    """Recalls with a question in the time that is looked at."""
    examined: int
    """The latest of them, 2,000 at most."""
    hits: int
    """What those examined were answered with, all together."""
    unscored: int
    """Hits whose probability was not kept: no floor takes them."""
    lost: int
    """Hits that would be below the floor."""
    emptied: int
    """Recalls that would have no answer."""
    reordered: int
    """Recalls whose hits would stand in another order."""
    first_changed: int
    """Recalls that another hit would be the first of."""
    changed: tuple[RetoldRecall, ...]
    """The latest that would be answered otherwise, as many as were asked for."""


@dataclass(frozen=True, slots=True)
class Turned(Record):
    """Facts that would have met another verdict."""

    was: Verdict
    """What the gate says with the numbers as they are."""
    would_be: Verdict
    """What it would say with those that are tried."""
    facts: int
    """How many facts."""


@dataclass(frozen=True, slots=True)
class Regated(Record):
    """What the gate would have made of what was read, before any comparison with what is known."""

    messages: int
    """Messages that were read in the time that is looked at."""
    examined: int
    """The latest of them, 2,000 at most."""
    facts: int
    """What was read out of those examined."""
    turned: tuple[Turned, ...]
    """How many facts would meet another verdict, by both verdicts."""
    sample: tuple[str, ...]
    """Messages (resources) in which a fact would turn."""


@dataclass(frozen=True, slots=True)
class ReagedStep(Record):
    """How many memories a step of maintenance would change if it ran now, with the numbers as they are and as tried."""

    step: str
    """The step of maintenance, by its code."""
    now: int
    """How many memories it would change, with the numbers as they are."""
    then: int
    """How many memories it would change, with the numbers that are tried."""


@dataclass(frozen=True, slots=True)
class Simulation(Record):
    """What was simulated, and in `unknown` what the numbers would change besides that nothing kept can tell."""

    since: datetime
    """Since when is looked at."""
    recalls: RetoldRecalls
    """What would have become of recalls."""
    captures: Regated
    """What the gate would have made of messages."""
    memories: tuple[ReagedStep, ...]
    """What steps of maintenance would do now."""
    unknown: tuple[str, ...]
    """What cannot be told, in words."""


@dataclass(frozen=True, slots=True)
class Ground(Record):
    """A memory a proposal rests on."""

    item_id: str
    """The memory, by its id."""
    text: str
    """What it says."""
    said_at: datetime
    """When it was said; where several messages say it, the last time."""


@dataclass(frozen=True, slots=True)
class Proposal(Record):
    """A change of the curated memory that was proposed."""

    id: str
    """Its id."""
    task: str
    """What is asked, in words."""
    section: str
    """The category it is filed under."""
    change: Change
    """What it would do to the lines."""
    text: str
    """Empty of a removal, and once all it rests on is forgotten."""
    present: str
    """The line it replaces, removes or was merged with."""
    made: str
    """The line it made, in the words that were approved."""
    kind: Kind
    """Which kind it is of."""
    confidence: float
    """How sure it is, 0 to 1."""
    said_on: date
    """The day it was said on."""
    state: ProposalState
    """How far it has come."""
    reason: str
    """Reason code of its state."""
    comment: str
    """What who decided said to it; empty: nothing."""
    proposed_by: str
    """Which model and prompt proposed it, or rules."""
    decided_by: str
    """Who decided it, such as agent:scribe, member:7 or rules; empty: nobody."""
    decided_at: datetime | None
    """When it was decided; null: not yet."""
    can_be_undone: bool
    """It was decided, and neither its line nor all it rests on is gone since."""
    version: int
    """Grows with every decision: name the one you looked at."""
    item_ids: tuple[str, ...]
    """The memories it rests on, by their ids."""
    evidence: tuple[Ground, ...]
    """What those memories say, as far as every agent may know it."""
    created_at: datetime
    """When it was made."""


@dataclass(frozen=True, slots=True)
class Recall(Record):
    id: str
    """Its id: what `reportOutput` takes."""
    hits: tuple[Hit, ...]
    """What answers, best first."""
    rewritten_query: str
    """The query as it was searched for."""
    intent: Intent
    """What the question was taken to ask for."""
    profile: Profile
    """The profile it was answered with."""
    tier: int
    """What answered: 0 what to begin with, 1 summaries, 2 a search."""
    degraded: tuple[str, ...]
    """What did not answer as configured: vector, graph, rewrite; budget_soft, budget_hard: a budget is spent up to
    there. Empty when whole.
    """
    cost_usd: float | None
    """US dollars that its calls of models cost; null: a price is unknown."""
    took_ms: float
    """How long it took, in milliseconds."""
    available: int
    """How many were relevant, handed out or not."""
    already_given: int
    """Hits left out because the session has them: none unless repeat is false."""
    changed: tuple[SessionChange, ...]
    """What became of memories this session was given, each told once."""
    explanation: RecallExplanation | None
    """Why the answer is what it is; null unless `explain` asked for it."""


@dataclass(frozen=True, slots=True)
class Feedback(Record):
    """How many of a recall's hits the output used and ignored."""

    recall_id: str
    """The recall, by its id."""
    used: int
    """How many of its hits the output used."""
    ignored: int
    """How many of its hits the output did not use."""


@dataclass(frozen=True, slots=True)
class Rejection(Record):
    """Something said that became no memory, and why."""

    id: str
    """Its id."""
    text: str
    """What it says."""
    stage: str
    """Where it was turned down: extraction, gate or conflict."""
    verdict: Verdict
    """What the gate said of it."""
    reason: str
    """Why, by its code."""
    detail: str
    """What counted for it, such as a word; empty: nothing more is known."""
    scores: Any
    """What it was given, by name, 0 to 1: usefulness, confidence."""
    resource_id: str | None
    """The message that says it; null: none does, or it is gone."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    at: datetime
    """When it was turned down."""


@dataclass(frozen=True, slots=True)
class RejectionCount(Record):
    """How many rejections of a reason a week saw; `week` is its Monday, in UTC."""

    week: date
    """The Monday the week begins with, in UTC."""
    stage: str
    """Where it was turned down: extraction, gate or conflict."""
    reason: str
    """Why, by its code."""
    count: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class QueueEntry(Record):
    """Something that waits for somebody."""

    id: str
    """The proposal's, the memory's, the erasure's, or that of the link between two."""
    kind: QueueKind
    """What kind of thing it is."""
    at: datetime
    """Since when it waits."""
    task: str
    """What is asked, in words."""
    texts: tuple[str, ...]
    """What it is asked about: what was there before comes first."""
    memory_ids: tuple[str, ...]
    """The memories it is about or rests on, by their ids."""
    memories: tuple[Memory, ...]
    """These memories, with their sources, and the versions that were looked at."""
    verbs: tuple[str, ...]
    """The verbs that answer it."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    proposal: Proposal | None
    """The proposal itself; null: it is something else."""
    samples: tuple[str, ...]
    """Of an erasure: a few of the texts that it would take, the newest first."""


@dataclass(frozen=True, slots=True)
class Schedule(Record):
    """When a job runs by itself, and what became of its last run."""

    name: str
    """Its name."""
    cron: str
    """Minute, hour, day of the month, month, day of the week."""
    time_zone: str
    """The tenant's, in which that is meant."""
    enabled: bool
    """Whether it runs by itself."""
    next_run_at: datetime
    """Up to an hour after what cron says: the tenants' runs are spread over it."""
    last_run_at: datetime | None
    """When its last run began; null: it never ran."""
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
    """The platform's own id of it: what `sessionTrace` takes."""
    session_id: str
    """The session, by the caller's own id of it."""
    agent_id: str | None
    """The agent, by its own name; null: none."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    turns: int
    """The number of its last turn; 0: none yet."""
    started_at: datetime
    """When it began."""
    last_active_at: datetime
    """When it was last heard of."""
    ended_at: datetime | None
    """When it ended; null: it goes on."""
    parent_session_id: str | None
    """The session this one is a branch of."""
    parent_turn: int | None
    """The last turn they share."""


@dataclass(frozen=True, slots=True)
class GivenHit(Record):
    """Something a recall was answered with."""

    rank: int
    """Its place among the hits, from 1."""
    unit: Unit
    """ITEM: a memory; EPISODE: a captured message."""
    unit_id: str
    """The memory's or the message's id, as `unit` says."""
    item_id: str | None
    """The memory that answered; null: a message alone did."""
    score: float
    """What it was ranked by; more is better."""
    tags: tuple[str, ...]
    """What to be careful about; empty: nothing."""
    used: bool | None
    """Whether the output used it; null: nobody reported one."""
    text: str
    """A memory's words; empty of a message, and where they are gone."""


@dataclass(frozen=True, slots=True)
class AskedRecall(Record):
    """A recall that was made in a session."""

    id: str
    """Its id."""
    at: datetime
    """When it was asked."""
    query: str
    """What was asked; empty where nothing was."""
    rewritten: str
    """The query as it was searched for."""
    profile: str
    """The profile it was answered with."""
    intent: str
    """What the question was taken to ask for."""
    tier: int
    """What answered: 0 what to begin with, 1 summaries, 2 a search."""
    degraded: tuple[str, ...]
    """What did not answer as configured, by its codes; empty when whole."""
    milliseconds: float
    """How long it took, in milliseconds."""
    is_reported: bool
    """Whether an output was reported: which hits it used is known then."""
    hits: tuple[GivenHit, ...]
    """What answers, best first."""


@dataclass(frozen=True, slots=True)
class LearntMemory(Record):
    """A memory that rests on a message, and what has become of it."""

    item_id: str
    """The memory, by its id."""
    text: str
    """What it says."""
    quote: str
    """The words of the message that say it."""
    kind: Kind
    """Which kind it is of."""
    category: str
    """The category it is filed under, by its slug."""
    status: Status
    """How it stands now."""
    verdict: Verdict
    """What the gate said of it."""


@dataclass(frozen=True, slots=True)
class TracedMessage(Record):
    """A message, what was read out of it, and what became of that."""

    resource_id: str
    """The message, by its id."""
    role: Role
    """Whose words they are."""
    speaker: str | None
    """The name of who said it, or a role; null: none was given."""
    text: str
    """What it says."""
    said_at: datetime
    """When it was said; where several messages say it, the last time."""
    pending: bool
    """Not learnt from yet."""
    narrative: str
    """All that was read out of it, as one text."""
    facts: tuple[ObservedFact, ...]
    """What was read out of it."""
    learnt: tuple[LearntMemory, ...]
    """The memories that rest on it."""
    turned_down: tuple[Rejection, ...]
    """What of it became no memory, and why."""


@dataclass(frozen=True, slots=True)
class TracedTurn(Record):
    """A turn as it went; a message that came by itself has no number."""

    id: str
    """Its id."""
    number: int | None
    """Its number in the session; null: a message that came by itself."""
    at: datetime
    """When it was said."""
    tool_calls: Any
    """The calls of tools as they were reported; null: none."""
    internal_state: Any
    """What the agent wants back when it recovers, as it was reported; null: none."""
    recalls: tuple[AskedRecall, ...]
    """Those made since the turn before."""
    messages: tuple[TracedMessage, ...]
    """What was said in it, in order."""


@dataclass(frozen=True, slots=True)
class SessionTrace(Record):
    """A page of a session's turns, the earliest first."""

    session: Session
    """The session as it is now."""
    turns: tuple[TracedTurn, ...]
    """The turns of this page, the earliest first."""
    later: tuple[AskedRecall, ...]
    """Recalls made since the last of its turns."""
    next: str | None
    """The cursor to pass as `after`; null on the last page."""


@dataclass(frozen=True, slots=True)
class StartSection(Record):
    """A part of what to begin with. Report what the model made of it under `recall_id`."""

    name: str
    """curated, lessons, due or memories."""
    text: str
    """What it says."""
    tokens: int
    """How long the text is, in tokens of o200k_base."""
    recall_id: str | None
    """The recall that output is reported for; null: there is none."""


@dataclass(frozen=True, slots=True)
class SessionEnd(Record):
    """A session that ended. A late turn opens it again."""

    session: Session
    """The session as it is now."""
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
    """The session as it is now."""
    text: str
    """All sections, one after the other."""
    tokens: int
    """How long the text is, in tokens of o200k_base."""
    sections: tuple[StartSection, ...]
    """The parts that say something, in order."""
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
    """Its id."""
    turn_number: int
    """The number of the turn in its session, from 1."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    user_input: str | None
    """What the user said; null: nothing."""
    tool_calls: Any
    """The calls of tools as they were reported; null: none."""
    llm_output: str | None
    """What was answered; null: nothing."""
    internal_state: Any
    """What the agent wants back when it recovers, as it was reported; null: none."""
    occurred_at: datetime
    """When it was said."""


@dataclass(frozen=True, slots=True)
class Heartbeat(Record):
    session_id: str
    """The session, by the caller's own id of it."""
    pending: int
    """Messages that are not learnt from yet."""
    overdue: tuple[str, ...]
    """The schedules that should have run by now and were started."""


@dataclass(frozen=True, slots=True)
class Recovered(Record):
    """What an agent needs to go on where it stopped: its last state, and what happened since."""

    session: Session
    """The session as it is now."""
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
    """The category's slug."""
    memories: int
    """How many current memories are shared in it."""
    agents: tuple[str, ...]
    """The names of the agents that share in it."""
    last_write_at: datetime
    """Since when the last of them is believed."""


@dataclass(frozen=True, slots=True)
class Tier(Record):
    """What answered recalls: 0 for what to begin with, 1 for summaries, 2 for a search."""

    tier: int
    """What answered: 0 what to begin with, 1 summaries, 2 a search."""
    recalls: int
    """How many recalls it answered, with hits or without."""
    answered: int
    """Those with at least one hit."""
    percent: int
    """The hit rate."""


@dataclass(frozen=True, slots=True)
class Stats(Record):
    """Counts over what the caller may read."""

    items: int
    """Memories, whatever their status; merged ones count as one."""
    by_status: tuple[Count, ...]
    """Memories by status, the most first."""
    by_verdict: tuple[Count, ...]
    """Memories by verdict, the most first."""
    by_category: tuple[Count, ...]
    """Memories by category, the most first."""
    episodes: int
    """Captured messages."""
    rejections: int
    """What was turned down, as long as that is kept."""
    open_contradictions: int
    """Contradictions of current memories that nobody has settled."""
    jobs_queued: int
    """Waiting or running in the tenant."""
    tiers: tuple[Tier, ...]
    """How recalls were answered in the last days: the policy's `report_days`."""


@dataclass(frozen=True, slots=True)
class SummaryListed(Record):
    """A category in which something is held. No `updated_at`: no summary is written yet."""

    category: str
    """The category it is filed under, by its slug."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    visibility: Visibility
    """PRIVATE: its agent's alone; SHARED: for all agents of the tenant."""
    items: int
    """Current memories."""
    version: int
    """The number of the last version; 0: none is written yet."""
    updated_at: datetime | None
    """When that was written; null: none is."""


@dataclass(frozen=True, slots=True)
class SummarySource(Record):
    """A memory that a summary rests on."""

    memory_id: str
    """The memory, by its id."""
    text: str
    """What it says."""
    said_at: datetime
    """When it was said; where several messages say it, the last time."""


@dataclass(frozen=True, slots=True)
class Summary(Record):
    category: str
    """The category it is filed under, by its slug."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    visibility: Visibility
    """PRIVATE: its agent's alone; SHARED: for all agents of the tenant."""
    text: str
    """Markdown; empty when nothing is held any more."""
    version: int
    """0: arranged for this answer, because none is written yet, or it rests on what was forgotten since."""
    writer: str
    """Which model and prompt wrote it, or rules."""
    updated_at: datetime
    """When it was written, or arranged for this answer."""
    is_current: bool
    """It rests on what is held now; otherwise a job is to write it anew."""
    sources: tuple[SummarySource, ...]
    """The memories it rests on, the last said first."""


@dataclass(frozen=True, slots=True)
class SummaryVersion(Record):
    """A summary as it stood from `at` on."""

    number: int
    """Its number, from 1."""
    at: datetime
    """When it was written."""
    writer: str
    """Which model and prompt wrote it, or rules."""
    degraded: str | None
    """Why rules wrote it and not the model; `unsupported`: its draft said more."""
    text: str
    """What it says."""
    diff: str
    """What changed since the version before: lines with + and -."""
    memory_ids: tuple[str, ...]
    """The memories it rests on."""


@dataclass(frozen=True, slots=True)
class Trigger(Record):
    """Of a whole day `at` is the midnight it begins with in `time_zone`."""

    id: str
    """Its id."""
    text: str
    """The clause that named the time, or what the caller wants to be reminded of."""
    at: datetime
    """When it falls due next."""
    day: date
    """The same in its time zone."""
    precision: Precision
    """Whether it is a moment or a whole day."""
    time_zone: str
    """By which clock it is meant, such as Europe/Berlin."""
    recurrence: str
    """RFC 5545 without DTSTART; empty for what comes once."""
    status: TriggerStatus
    """How it stands now."""
    ending: Ending | None
    """Why it ended by itself."""
    is_due: bool
    """Its time has come, whether a job has marked it yet or not."""
    due_at: datetime | None
    """Since when it is marked as due; null: it is not."""
    snoozed_until: datetime | None
    """Until when it was put off; null: it was not."""
    memory_ids: tuple[str, ...]
    """Memories to show when it is due."""
    resource_id: str | None
    """The message that named it; null for one that a caller set."""
    replaced_by_id: str | None
    """The trigger it was moved to."""
    agent_id: str | None
    """The agent, by its own name; null: none."""
    user_id: str | None
    """Of which user it is, by the caller's own id; null: of none."""
    visibility: Visibility
    """PRIVATE: its agent's alone; SHARED: for all agents of the tenant."""
    created_at: datetime
    """When it was made."""


@dataclass(frozen=True, slots=True)
class UsageGroup(Record):
    """What a group comes to. A key that was not asked for is null, and so is one that its rows do not have."""

    day: date | None
    """Of UTC."""
    agent_id: str | None
    """The agent, by its own name; null: none."""
    operation: str | None
    """What it was spent on, by its code, such as recall."""
    model: str | None
    """As it was asked for; empty for an operation that called none."""
    session_id: str | None
    """The caller's own id; null also when it is no longer there."""
    calls: int
    """Calls of models, every attempt."""
    failed_calls: int
    """Those among them that brought no usable answer."""
    embedding_calls: int
    """Calls of embedding models, every attempt."""
    llm_calls: int
    """Calls of language models, every attempt."""
    tokens_in: int
    """Tokens sent to models."""
    tokens_out: int
    """Tokens that models answered with."""
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
    """What is limited: requests, writes, captures or ingest_lines."""
    per_minute: int
    """How many a minute."""


@dataclass(frozen=True, slots=True)
class Viewer(Record):
    """The caller: `tenant` is the slug, `agent_id` the agent's own name."""

    tenant: str
    """The tenant's slug."""
    agent_id: str
    """The agent, by its own name; null: none."""
    domain: str | None
    """The agent's home category, by its slug; null: none."""
    user_id: str | None
    """The one user this key or request speaks for."""
    scopes: tuple[Scope, ...]
    """What the caller may do."""
    limits: tuple[Limit, ...]
    """How often the caller may do what."""


@dataclass(frozen=True, slots=True)
class IngestedLine(Record):
    """What became of a line, counted from 1. REFUSED: the rate limit was reached; send it again later. FORGOTTEN: it
    is a copy of a message of which something was forgotten, `resource_id`; nothing is stored.
    """

    line: int
    """Its number among the lines, from 1."""
    status: IngestStatus
    """What became of it."""
    resource_id: str | None
    """The message it is kept as, or that it is a copy of; null: none."""
    error: str | None
    """What is wrong with it, in words; null: nothing."""
    field: str | None
    """The field that is wrong; null: none in particular."""


@dataclass(frozen=True, slots=True)
class Ingest(Record):
    """`refused` lines met the rate limit: send them again after `retry_after` seconds."""

    accepted: int
    """How many lines were stored."""
    duplicate: int
    """How many lines were known already."""
    forgotten: int
    """How many lines are of what was forgotten, and were left out."""
    invalid: int
    """How many lines are no valid input."""
    conflict: int
    """How many lines differ from what is stored under their id."""
    refused: int
    """How many lines are to be sent again."""
    retry_after: float | None
    """Seconds to wait before the refused lines are sent again; null: none has to wait."""
    results: tuple[IngestedLine, ...]
    """What became of each line, by its number."""
