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
    EVENT = "event"
    PLAN = "plan"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    OPINION = "opinion"
    RULE = "rule"
    REFLECTION = "reflection"
    INSIGHT = "insight"
    LESSON = "lesson"


class Strength(StrEnum):
    """How directly the source said it; by default with a confidence of 0.9, 0.7 or 0.5."""

    EXPLICIT = "explicit"
    IMPLIED = "implied"
    INFERRED = "inferred"


class Mood(StrEnum):
    """What a clause does: only an ASSERTED one states a fact, a COMMAND may state a rule."""

    ASSERTED = "asserted"
    QUESTION = "question"
    COMMAND = "command"
    HYPOTHETICAL = "hypothetical"
    WISH = "wish"


class Tense(StrEnum):
    """When a clause says that something is so; NONE where its grammar does not tell."""

    PAST = "past"
    PRESENT = "present"
    FUTURE = "future"
    NONE = "none"


class Sentiment(StrEnum):
    FRUSTRATED = "frustrated"
    EXCITED = "excited"
    UNCERTAIN = "uncertain"
    NEUTRAL = "neutral"


class Priority(StrEnum):
    """How much a fact is likely to matter later (shown as 🔴 🟡 🟢)."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Verdict(StrEnum):
    """What the gate said. DISCARD never becomes an item; it becomes a rejection row."""

    ALLOW = "allow"
    HOLD = "hold"
    DISCARD = "discard"


class Status(StrEnum):
    ACTIVE = "active"
    STALE = "stale"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    DELETED = "deleted"


class Visibility(StrEnum):
    PRIVATE = "private"
    SHARED = "shared"


class Unit(StrEnum):
    """What a search document stands for."""

    ITEM = "item"
    EPISODE = "episode"
    SUMMARY = "summary"
    NOTE = "note"
    CHUNK = "chunk"


class Role(StrEnum):
    """Who produced a message."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Profile(StrEnum):
    LEAN = "lean"
    BALANCED = "balanced"
    DEEP = "deep"
    AUTO = "auto"


class ContextStyle(StrEnum):
    """FACTS: one line a memory. SECTIONS: facts, profiles, timeline, evidence. OPERATIONAL: by service."""

    FACTS = "facts"
    SECTIONS = "sections"
    OPERATIONAL = "operational"


class Intent(StrEnum):
    WHY = "why"
    WHEN = "when"
    WHO = "who"
    WHAT = "what"
    GENERAL = "general"


class TrustTag(StrEnum):
    UNCERTAIN = "uncertain"
    STALE = "stale"
    CONFLICT = "conflict"
    UNCONFIRMED = "unconfirmed"
    INFERRED = "inferred"
    SUPERSEDED = "superseded"
    PROBABLY_SUPERSEDED = "probably_superseded"


class Relevance(StrEnum):
    """How sure it is that a hit answers: between the floor and certainty it is LOW."""

    HIGH = "high"
    LOW = "low"


class Retention(StrEnum):
    """The curve a category's confidence follows."""

    EBBINGHAUS = "ebbinghaus"
    OPERATIONAL = "operational"
    NONE = "none"


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
    """How near spending is to what it may come to: below the soft amount, at it, at the hard one."""

    OK = "ok"
    SOFT = "soft"
    HARD = "hard"


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
    """What is told to those who listen: STORED, HELD (for review) and SUPERSEDED of memories, a time that is due, a
    budget whose soft or hard amount is reached, and a proposal that begins to wait for people.
    """

    STORED = "stored"
    HELD = "held"
    SUPERSEDED = "superseded"
    TRIGGER_DUE = "trigger_due"
    BUDGET = "budget"
    PROPOSAL = "proposal"


class Change(StrEnum):
    """What a proposal does to the curated memory."""

    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"


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
