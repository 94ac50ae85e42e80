"""The vocabulary of the core: enumerations and frozen records that stages take and return.

Ids are opaque UUIDs here; times are aware datetimes; scores and confidences are floats in 0..1 unless said otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


class Kind(StrEnum):
    """What sort of knowledge an item is."""

    FACT = "fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    OPINION = "opinion"
    RULE = "rule"
    REFLECTION = "reflection"
    INSIGHT = "insight"
    LESSON = "lesson"


class Strength(StrEnum):
    """How directly the source said it; DESIGN's confidences are 0.9, 0.7 and 0.5."""

    EXPLICIT = "explicit"
    IMPLIED = "implied"
    INFERRED = "inferred"


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


class Retention(StrEnum):
    """The curve a category's confidence follows."""

    EBBINGHAUS = "ebbinghaus"
    OPERATIONAL = "operational"


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


@dataclass(frozen=True, slots=True)
class Fact:
    """One atomic thing an extractor claims was said.

    `text` stands alone (speaker resolved, dates absolute); `quote` is the span of the source it rests on.
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


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What a call to a model cost; a local adapter reports zeros, an unknown price stays None."""

    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    embedding_calls: int = 0
    llm_calls: int = 0
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
class InferredCause:
    """A message that brought a later one about, by their places (from 0) among those a model was shown."""

    cause: int
    effect: int


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosine thresholds calibrated for one embedding model (bench/calibrate_dedup.py).

    Above `duplicate` two texts say the same if their numbers, negations and entities agree; between `related` and
    `duplicate` they speak of the same matter and may contradict each other; below, they have nothing to do with
    each other. `spread` is the standard deviation of the cosine within one query, from which fusion takes its weight;
    `relevance_floor` is what fusion's evidence (D + .4 X) must reach to be an answer (bench/offline_recall.py).
    """

    duplicate: float
    related: float
    spread: float
    relevance_floor: float = 0.5


@dataclass(frozen=True, slots=True)
class Decision:
    """Base shape of a stage's answer: what, and why in a stable reason code plus words."""

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CategoryRule:
    """A category's numbers, as stages need them."""

    slug: str
    keywords: tuple[str, ...] = ()
    ttl_days: int | None = 90
    decay_lambda: float = 0.01
    retention: Retention = Retention.EBBINGHAUS
    operational: bool = False


@dataclass(frozen=True, slots=True)
class TimeRange:
    """The time a query names: start inclusive, end exclusive, and the words that named it."""

    start: datetime
    end: datetime
    phrase: str


@dataclass(frozen=True, slots=True)
class JournalLine:
    """What a service tells the journal: ids, counts and reason codes, never content."""

    operation: str
    subject: str | None = None
    subject_id: UUID | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
