"""The vocabulary of the core: enumerations and frozen records that stages take and return.

Ids are opaque UUIDs here; times are aware datetimes; scores and confidences are floats in 0..1 unless said otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID


class Kind(StrEnum):
    """What sort of knowledge an item is."""

    FACT = "fact"
    """Something that is so."""
    EVENT = "event"
    """Something that happened."""
    PLAN = "plan"
    """Something that is meant to happen."""
    PREFERENCE = "preference"
    """What somebody likes, or wants in a certain way."""
    PROCEDURE = "procedure"
    """How something is done, step by step."""
    OPINION = "opinion"
    """What somebody thinks of something."""
    RULE = "rule"
    """What is always, or never, to be done."""
    REFLECTION = "reflection"
    """What somebody concludes about themselves or their work."""
    INSIGHT = "insight"
    """What several archived memories have in common."""
    LESSON = "lesson"
    """What was learnt from something that went well or wrong."""


class Strength(StrEnum):
    """How directly the source said it; by default with a confidence of 0.9, 0.7 or 0.5."""

    EXPLICIT = "explicit"
    """It was said in so many words."""
    IMPLIED = "implied"
    """It follows from what was said."""
    INFERRED = "inferred"
    """It was guessed from what was said."""


class Mood(StrEnum):
    """What a clause does; a COMMAND may state a rule."""

    ASSERTED = "asserted"
    """It says that something is so."""
    QUESTION = "question"
    """It asks."""
    COMMAND = "command"
    """It tells somebody what to do."""
    HYPOTHETICAL = "hypothetical"
    """It says what would be."""
    WISH = "wish"
    """It says what somebody would like."""


class Tense(StrEnum):
    """When a clause says that something is so; NONE where its grammar does not tell."""

    PAST = "past"
    PRESENT = "present"
    FUTURE = "future"
    NONE = "none"


class Sentiment(StrEnum):
    FRUSTRATED = "frustrated"
    """Annoyed, sad or let down."""
    EXCITED = "excited"
    """Pleased, or looking forward."""
    UNCERTAIN = "uncertain"
    """Unsure, or worried."""
    NEUTRAL = "neutral"
    """None of these."""


class Priority(StrEnum):
    """How much a fact is likely to matter later (shown as 🔴 🟡 🟢)."""

    HIGH = "high"
    """Shown as 🔴."""
    MEDIUM = "medium"
    """Shown as 🟡."""
    LOW = "low"
    """Shown as 🟢."""


class Verdict(StrEnum):
    """What the gate said."""

    ALLOW = "allow"
    """It may be recalled."""
    HOLD = "hold"
    """It waits for review, and is not recalled until then."""
    DISCARD = "discard"
    """It became no memory; a rejection tells why."""


class Status(StrEnum):
    ACTIVE = "active"
    """It holds, and is recalled."""
    STALE = "stale"
    """It was not recalled for long, or is said to be outdated, and counts half."""
    ARCHIVED = "archived"
    """It is over or faded, and out of recall; it can come back."""
    SUPERSEDED = "superseded"
    """A newer one took its place."""
    DELETED = "deleted"
    """It was forgotten, and can be restored."""


class Visibility(StrEnum):
    PRIVATE = "private"
    """Its agent's alone."""
    SHARED = "shared"
    """For all agents of the tenant."""


class Unit(StrEnum):
    """What a search document stands for."""

    ITEM = "item"
    """A memory."""
    EPISODE = "episode"
    """A captured message."""
    SUMMARY = "summary"
    """What is known of an entity, in the sections of a context block."""
    NOTE = "note"
    """Reserved: nothing is one yet."""
    CHUNK = "chunk"
    """Reserved: nothing is one yet."""


class Role(StrEnum):
    """Who produced a message."""

    USER = "user"
    """Whom the agent talks to."""
    ASSISTANT = "assistant"
    """The agent."""
    TOOL = "tool"
    """A tool that the agent called."""
    SYSTEM = "system"
    """The instructions the agent runs under."""


class Profile(StrEnum):
    LEAN = "lean"
    """Few hits, no question rewritten by a model, no graph."""
    BALANCED = "balanced"
    """Some hits, rewritten where that is worth it, the graph's near surroundings."""
    DEEP = "deep"
    """Most hits, rewritten, the graph's wider surroundings."""
    AUTO = "auto"
    """One of the three, as the question needs."""


class ContextStyle(StrEnum):
    """How a context block is written."""

    FACTS = "facts"
    """One line a memory."""
    SECTIONS = "sections"
    """Facts, profiles, timeline and evidence, each under its heading."""
    OPERATIONAL = "operational"
    """Grouped by service."""


class Intent(StrEnum):
    WHY = "why"
    """A reason or a cause."""
    WHEN = "when"
    """A time."""
    WHO = "who"
    """A person."""
    WHAT = "what"
    """A thing, a place or a number."""
    GENERAL = "general"
    """None of these in particular."""


class TrustTag(StrEnum):
    UNCERTAIN = "uncertain"
    """Its confidence is low."""
    STALE = "stale"
    """Its category's days to live are over since it was last confirmed."""
    CONFLICT = "conflict"
    """Another memory contradicts it."""
    UNCONFIRMED = "unconfirmed"
    """One source says it, and not in so many words."""
    INFERRED = "inferred"
    """It was guessed from what was said."""
    SUPERSEDED = "superseded"
    """A newer memory took its place."""
    PROBABLY_SUPERSEDED = "probably_superseded"
    """A newer memory has probably taken its place."""


class SessionChangeKind(StrEnum):
    """What became of a memory after a session was given it."""

    REPLACED = "replaced"
    """A newer memory took its place, or probably did."""
    FORGOTTEN = "forgotten"
    """It was forgotten."""
    HELD = "held"
    """It waits for review, as when somebody says that it is wrong."""
    ARCHIVED = "archived"
    """It is over or faded."""
    OUTDATED = "outdated"
    """Somebody says that it is no longer so."""


class Relevance(StrEnum):
    """How sure it is that a hit answers: between the floor and certainty it is LOW."""

    HIGH = "high"
    """It surely answers."""
    LOW = "low"
    """It may answer."""


class Retention(StrEnum):
    """The curve a category's confidence follows."""

    EBBINGHAUS = "ebbinghaus"
    """It fades from the first day on, quickly at first, as what people remember does."""
    OPERATIONAL = "operational"
    """It keeps for a time of grace, then falls by the same amount every week."""
    NONE = "none"
    """It does not fade."""


class FiledBy(StrEnum):
    """Who says where a statement belongs: whoever stated it, keywords, the categories' examples, a model."""

    GIVEN = "given"
    KEYWORDS = "keywords"
    EXAMPLES = "examples"
    MODEL = "model"


class SummariesFirst(StrEnum):
    """When the summaries are asked before a search: never, once a budget presses, or always."""

    OFF = "off"
    PRESSURE = "pressure"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose rows are meant, beside those of no user: one user's, everyone's, or (neither) no user's."""

    user_id: str | None = None
    everyone: bool = False

    def admits(self, user_id: str | None) -> bool:
        return self.everyone or user_id is None or user_id == self.user_id


EVERYONE: Final = Whose(everyone=True)
NOBODY: Final = Whose()


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may read a row, and with which rows it may be compared.

    Dedup and conflict only ever compare rows of the same user and visibility; private ones of the same agent.
    """

    agent_id: UUID
    user_id: str | None
    visibility: Visibility = Visibility.PRIVATE


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, as a caller sends it along for a rewrite."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Utterance:
    """One captured message as an extractor sees it."""

    resource_id: UUID
    role: Role
    speaker: str | None
    text: str
    said_at: datetime


class Standing(StrEnum):
    """How a claim's value stands in its state. UNKNOWN: it may be one of several; SOLE: the one value that the state
    has at a time; CHANGED: the same, and the claim says that it is new; ENDED: it no longer holds, whichever it was.
    """

    UNKNOWN = ""
    SOLE = "sole"
    CHANGED = "changed"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Slot:
    """Which state a claim speaks of, and what it says it is: all as the claim words them, empty where it does not.

    `qualifier` holds what tells one such state from another, a word each: first what names one of its kind, a ticket,
    an environment, a month, then in brackets what only describes it: a side, a colour. `standing` is no part of what
    makes two slots equal.
    """

    subject: str = ""
    attribute: str = ""
    value: str = ""
    qualifier: str = ""
    standing: Standing = field(default=Standing.UNKNOWN, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The qualifying words that name one of its kind."""
        return tuple(word for word in self.qualifier.split() if not word.startswith("("))

    @property
    def spelled(self) -> str:
        """The state as a record states it: "order 4711: status shipped"."""
        return f"{self.subject}: {self.attribute} {self.value}"


NO_SLOT: Final = Slot()


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing an utterance says that may be worth keeping.

    `text` is the speaker's own clause with only what is certain put in; `quote` is the span of the source it rests on.
    Everything else that was understood is a field: `lead_in` what it leans on, `said_by` who says it,
    `reported_by` on whose word. `usefulness` is how surely it is worth keeping, `planned` how surely it tells of what
    happens once (0..1; None where nobody judged), `suggestion` what the extractor would have the gate do, `unsupported`
    a name, number or date in it that its source does not say.
    """

    text: str
    quote: str
    kind: Kind = Kind.FACT
    category: str = "other"
    strength: Strength = Strength.EXPLICIT
    sentiment: Sentiment = Sentiment.NEUTRAL
    priority: Priority = Priority.MEDIUM
    entities: tuple[str, ...] = ()
    service: str | None = None
    event_time: datetime | None = None
    confidence: float | None = None
    suggestion: Verdict | None = None
    usefulness: float | None = None
    planned: float | None = None
    lead_in: str = ""
    slot: Slot = NO_SLOT
    mood: Mood = Mood.ASSERTED
    is_negated: bool = False
    said_by: str = ""
    reported_by: str = ""
    language: str = "en"
    unsupported: str = ""
    filed_by: FiledBy = FiledBy.KEYWORDS

    @property
    def in_context(self) -> str:
        """The text behind its lead-in: what is embedded, indexed and compared."""
        return in_context(self.text, self.lead_in)


def in_context(text: str, lead_in: str) -> str:
    """A clause behind what it leans on, if it does: the question it answers, or whom its "she" means."""
    return f"{lead_in} / {text}" if lead_in else text


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sentence the extractor looked at and left out, with the reason code."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Observation:
    """What one utterance yielded."""

    resource_id: UUID
    facts: tuple[Fact, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    narrative: str = ""


class Pressure(StrEnum):
    """How near spending is to what it may come to."""

    OK = "ok"
    """Below the soft amount, or there is none."""
    SOFT = "soft"
    """At the soft amount: answers are made more cheaply."""
    HARD = "hard"
    """At the hard amount: no model is called until the period ends."""


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What a call to a model cost; a local adapter reports zeros, an unknown price stays None.

    Every attempt is a call; `failed_calls` are those of them that brought no usable answer. Where an answer never came
    or did not say its tokens, `are_tokens_known` is false, and no list of prices helps.
    """

    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    embedding_calls: int = 0
    llm_calls: int = 0
    failed_calls: int = 0
    are_tokens_known: bool = True
    cost_usd: float | None = 0.0
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Extracted:
    """An extractor's answer for a batch: one observation per utterance, in order."""

    observations: tuple[Observation, ...]
    extractor: str
    usage: ModelUsage
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class SummaryFact:
    """A memory as a summary sees it. `is_new`: the present summary does not rest on it; `is_doubted`: it was probably
    replaced.
    """

    text: str
    said_on: date
    slot: Slot = NO_SLOT
    language: str = "en"
    is_new: bool = False
    is_doubted: bool = False


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A line of a summary, and the places (from 0) of the facts it rests on."""

    text: str
    facts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SummarySection:
    """Lines about one subject; without a heading what is about none."""

    heading: str
    lines: tuple[SummaryLine, ...]


@dataclass(frozen=True, slots=True)
class InferredCause:
    """A message that brought a later one about, by their places (from 0) among those a model was shown."""

    cause: int
    effect: int


@dataclass(frozen=True, slots=True)
class Appraisal:
    """What a clause is worth: probabilities 0..1. `dropped_as` names why it would be left out if it is.

    `planned` is how surely it tells of something that happens once: a plan or an event; None where nobody judged that.
    """

    worth: float
    kind: Kind = Kind.FACT
    strength: Strength = Strength.EXPLICIT
    dropped_as: str = "not_informative"
    injection: float = 0.0
    planned: float | None = None


@dataclass(frozen=True, slots=True)
class ClaimRelation:
    """How a newer claim relates to an older one; six probabilities that sum up to 1.

    SAME says it again; REFINES adds a detail; UPDATE replaces what held before; CORRECTION what never held; CONFLICT
    cannot be true beside it and nothing says which is; DISTINCT has nothing to do with it.
    """

    same: float = 0.0
    refines: float = 0.0
    update: float = 0.0
    correction: float = 0.0
    conflict: float = 0.0
    distinct: float = 1.0

    @property
    def replaces(self) -> float:
        return self.update + self.correction


@dataclass(frozen=True, slots=True)
class RelationThresholds:
    """From which probability a relation is acted on, calibrated for one model (heads/MODELS.md).

    `merge` is for `same`, `close` for `replaces`: both keep a precision of .95 on authors the model has not seen.
    `doubt`, of `replaces` + `conflict`, opens a question instead of closing an item; `conflict` opens a dispute.
    """

    merge: float
    close: float
    doubt: float
    conflict: float


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines calibrated for one embedding model.

    Above `duplicate` two texts may well say the same; from `related` on they may speak of the same matter and are worth
    comparing. `centre` and `spread` are mean and standard deviation of the cosine between a question and any text.
    """

    duplicate: float
    related: float
    spread: float
    centre: float = 0.0

    def scale_to(self, other: "Thresholds") -> tuple[float, float]:
        """`slope` and `shift` that turn a cosine of this model into one of another that says as much: as many standard
        deviations from the mean.
        """
        slope = other.spread / self.spread
        return slope, other.centre - slope * self.centre


@dataclass(frozen=True, slots=True)
class CategoryRule:
    """A category's numbers, as stages need them; one that is `protected` has no TTL and no curve."""

    slug: str
    keywords: tuple[str, ...] = ()
    ttl_days: int | None = 90
    decay_lambda: float = 0.01
    retention: Retention = Retention.EBBINGHAUS
    operational: bool = False
    examples: tuple[str, ...] = ()
    protected: bool = False


@dataclass(frozen=True, slots=True)
class TimeRange:
    """The time a query names: start inclusive, end exclusive, and the words that named it."""

    start: datetime
    end: datetime
    phrase: str


class EventKind(StrEnum):
    """What is told to those who listen."""

    STORED = "stored"
    """A memory was stored."""
    HELD = "held"
    """A memory waits for review."""
    SUPERSEDED = "superseded"
    """A memory took another's place."""
    TRIGGER_DUE = "trigger_due"
    """A time that was named or set has come."""
    BUDGET = "budget"
    """The soft or hard amount of a budget is reached."""
    PROPOSAL = "proposal"
    """A proposal begins to wait for people."""


class Change(StrEnum):
    """What a proposal does to the curated memory."""

    ADD = "add"
    """A new line."""
    REPLACE = "replace"
    """Other words for a line."""
    REMOVE = "remove"
    """A line goes."""


@dataclass(frozen=True, slots=True)
class CuratedFact:
    """A memory that all agents of a tenant share, as curation sees it. `heard`: how many sources say it."""

    id: UUID
    text: str
    kind: Kind
    category: str
    confidence: float
    said_on: date
    slot: Slot = NO_SLOT
    mood: Mood = Mood.ASSERTED
    is_negated: bool = False
    is_said_by_user: bool = False
    language: str = "en"
    heard: int = 1


@dataclass(frozen=True, slots=True)
class CuratedLine:
    """A line of the curated memory, and the memories it rests on.

    `confidence` is that of the surest of them. `is_over`: none of them stands any more, but `successors` do.
    """

    id: UUID
    section: str
    text: str
    said_on: date
    item_ids: tuple[UUID, ...] = ()
    confidence: float = 1.0
    slot: Slot = NO_SLOT
    is_negated: bool = False
    is_over: bool = False
    successors: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposalDraft:
    """A change of the curated memory with what it rests on; `line_id` is what it replaces or removes.

    `acts`: it tells how to act, `is_said_by_user`: in a user's own words.
    """

    change: Change
    section: str
    text: str
    kind: Kind
    item_ids: tuple[UUID, ...]
    confidence: float
    said_on: date
    line_id: UUID | None = None
    acts: bool = False
    is_said_by_user: bool = False
    is_negated: bool = False


class Triage(StrEnum):
    """What becomes of a proposal: into the curated memory, away, to a line that says it already, or to people."""

    PROMOTE = "promote"
    REJECT = "reject"
    MERGE = "merge"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class TriageDecision:
    """`reason` is a code; `into` the line a proposal is merged into."""

    verdict: Triage
    reason: str
    into: UUID | None = None


@dataclass(frozen=True, slots=True)
class JournalLine:
    """What a service tells the journal: ids, counts and reason codes, never content."""

    operation: str
    subject: str | None = None
    subject_id: UUID | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
