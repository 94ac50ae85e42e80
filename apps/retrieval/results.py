"""What retrieval answers."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory_platform.consolidation.authority import CALLER, Voice
from memory_platform.model import (
    NO_SLOT,
    Intent,
    Profile,
    Relevance,
    Role,
    SessionChangeKind,
    Slot,
    TrustTag,
    Unit,
    Verdict,
)
from memory_platform.retrieval.context import EMPTY, Block, Omission


@dataclass(frozen=True, slots=True)
class HitSource:
    """A captured message a hit rests on; `external_id` is the caller's own, `role` as what it was said, if known."""

    resource_id: UUID
    external_id: str | None
    role: Role | None
    speaker: str | None
    said_at: datetime
    quote: str


@dataclass(frozen=True, slots=True)
class HitScores:
    """What each arm and each modifier contributed; None where an arm was silent."""

    vector: float | None = None
    keyword: float | None = None
    graph: float | None = None
    time: float | None = None
    decay: float | None = None
    stale: float | None = None
    priority: float | None = None
    sentiment: float | None = None
    domain: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory worth knowing; one that answers for an item and its episode names both.

    `said_by` is the agent (its own name) whose memory it is, `said_at` when a source last said it, `confirmed_at` when
    somebody last vouched for it, `lead_in` what the text leans on, `slot` the state an item speaks of. `probability`,
    that it answers what was asked, is what the relevance floor tests. `given_at`: when the session was first given it,
    `already_given`: as it still is. `voice`: on whose word it stands.
    """

    rank: int
    unit: Unit
    id: UUID
    text: str
    score: float
    probability: float
    relevance: Relevance
    scores: HitScores
    item_id: UUID | None
    episode_id: UUID | None
    category: str
    service: str
    confidence: float | None
    age_days: float
    event_time: datetime | None
    said_at: datetime
    tags: tuple[TrustTag, ...]
    sources: tuple[HitSource, ...]
    current_fact_ids: tuple[UUID, ...] = ()
    said_by: str | None = None
    is_shared: bool = False
    confirmed_at: datetime | None = None
    lead_in: str = ""
    slot: Slot = NO_SLOT
    verdict: Verdict | None = None
    already_given: bool = False
    given_at: datetime | None = None
    voice: Voice = CALLER

    @property
    def role(self) -> Role:
        return self.voice.role


@dataclass(frozen=True, slots=True)
class StageTime:
    name: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Arm:
    name: str
    candidates: int


@dataclass(frozen=True, slots=True)
class TimeSpan:
    start: datetime
    end: datetime
    phrase: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A hit that was considered and not handed out, with the beginning of its text."""

    unit: Unit
    id: UUID
    text: str
    role: Role
    reason: Omission


@dataclass(frozen=True, slots=True)
class RecallExplanation:
    """Why the answer is what it is: the plan, the gate of the keyword arm, what just missed and what was left out.

    `least` is how likely a hit had to be: near the floor, and beside the best. At the start of a session nothing is
    searched for: no arms, no floor; `candidates` were considered.
    """

    statement: bool
    complexity: str
    gate: float
    floor: float
    least: float
    candidates: int
    time_range: TimeSpan | None
    stages: tuple[StageTime, ...]
    arms: tuple[Arm, ...]
    below_floor: tuple[Hit, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class RecallResult:
    """`already_given` of what answers the session has and was not told again; `changed` is what it has and must not.
    `block` holds the hits where a context asked.
    """

    id: UUID
    hits: tuple[Hit, ...]
    rewritten_query: str
    intent: Intent
    profile: Profile
    tier: int
    degraded: tuple[str, ...]
    cost_usd: float | None
    took_ms: float
    available: int
    explanation: RecallExplanation | None
    already_given: int = 0
    changed: "tuple[SessionChange, ...]" = ()
    block: Block = EMPTY


@dataclass(frozen=True, slots=True)
class SessionChange:
    """What a session was given before (first at `given_at`) and what became of it since; `text` is None once forgotten.

    REPLACED: by `replaced_by`, which says `replacement`; `tag` SUPERSEDED: surely, PROBABLY_SUPERSEDED: probably.
    """

    id: UUID
    text: str | None
    given_at: datetime
    became: SessionChangeKind
    tag: TrustTag | None = None
    replaced_by: UUID | None = None
    replacement: str | None = None


@dataclass(frozen=True, slots=True)
class ContextResult:
    """A block of text, `tokens` long, holding `included` of the `available` relevant memories: `included_hits`."""

    recall_id: UUID
    text: str
    tokens: int
    included: int
    available: int
    included_hits: tuple[Hit, ...] = ()
    changed: tuple[SessionChange, ...] = ()
    degraded: tuple[str, ...] = ()
    explanation: RecallExplanation | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """How many of a recall's hits the output used and ignored."""

    recall_id: UUID
    used: int
    ignored: int
