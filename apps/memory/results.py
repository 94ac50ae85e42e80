"""What memory answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from apps.memory.voices import voices
from apps.resources.models import Session
from memory_platform.consolidation.authority import Voice, word_of
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import (
    Kind,
    Mood,
    Observation,
    Priority,
    Role,
    Sentiment,
    SessionChangeKind,
    Slot,
    Status,
    Strength,
    Verdict,
    Visibility,
)


@dataclass(frozen=True, slots=True)
class SourceView:
    """A captured message an item rests on; `external_id` is the caller's own, `quote` the words.

    `role` is as what it was said, None where the scope may not read the message. `inherited`: a merge brought it.
    """

    resource_id: UUID
    external_id: str | None
    role: Role | None
    speaker: str | None
    said_at: datetime
    quote: str
    inherited: bool = False


@dataclass(frozen=True, slots=True)
class ItemName:
    """An item by what it is called wherever it is imported: the id it was remembered under (None: it was learnt), the
    hash of its claim, and the messages it was learnt from.
    """

    external_id: str | None
    claim_hash: str
    resource_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedItem:
    """An item that was found by its name, and what has become of it."""

    id: UUID
    status: Status


@dataclass(frozen=True, slots=True)
class Opined:
    """What was said of an item, when and by whom: an agent (`by_agent_id`), or a person (`actor`)."""

    kind: Opinion
    note: str
    at: datetime
    actor: str
    by_agent_id: UUID | None


@dataclass(frozen=True, slots=True)
class EndedClaims:
    """Claims, by their hashes, that are not learnt again from a message, and when the last was forgotten or corrected.

    The empty hash stands for whatever the message says.
    """

    claims: frozenset[str]
    at: datetime


@dataclass(frozen=True, slots=True)
class Ended:
    """A session that ended, those of its messages that were not observed yet, and the jobs that observe them."""

    session: Session
    resource_ids: tuple[UUID, ...]
    job_ids: tuple[UUID, ...]

    @property
    def pending(self) -> int:
        return len(self.resource_ids)


class OpenLinkKind(StrEnum):
    """What may be wrong with an item until somebody says."""

    CONTRADICTS = "contradicts"
    """Another contradicts it."""
    PROBABLY_SUPERSEDED = "probably_superseded"
    """Another has probably replaced it."""


@dataclass(frozen=True, slots=True)
class OpenLink:
    """An open question about an item, and the item (or rejected claim) that raises it."""

    kind: OpenLinkKind
    other_id: UUID


@dataclass(frozen=True, slots=True)
class GivenFeedback:
    """What was said of an item, when, and what the item is since."""

    item: "ItemView"
    kind: Opinion
    at: datetime


@dataclass(frozen=True, slots=True)
class Resting:
    """An item, and the words of a message it rests on."""

    item_id: UUID
    quote: str


@dataclass(frozen=True, slots=True)
class Learnt:
    """An item that rests on a message, with the words it rests on, and what has become of it."""

    item_id: UUID
    text: str
    quote: str
    kind: Kind
    category: str
    status: Status
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class ReadOut:
    """What was read out of a message (None: nothing was yet), and the items that rest on it."""

    observation: Observation | None = None
    learnt: tuple[Learnt, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemState:
    """What has become of an item: forgotten, superseded (by which, if that is known), or one with another."""

    is_forgotten: bool = False
    is_superseded: bool = False
    superseded_by: UUID | None = None
    merged_into: UUID | None = None

    @property
    def is_over(self) -> bool:
        """Whether what it says no longer holds: a merged wording holds with the item it became one with."""
        return self.is_forgotten or (self.is_superseded and self.merged_into is None)


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item as readers see it. `confidence` is effective now, `base_confidence` what it was at `reinforced_at`.

    `lead_in` is what the text leans on, `slot` the state it speaks of. `open_links` say what may be wrong with it.
    `version` grows with every change.
    """

    id: UUID
    text: str
    lead_in: str
    slot: Slot
    mood: Mood
    is_negated: bool
    said_by: str
    reported_by: str
    language: str
    version: int
    kind: Kind
    category: str
    service: str
    entity_names: tuple[str, ...]
    strength: Strength
    sentiment: Sentiment
    priority: Priority
    confidence: float
    base_confidence: float
    reinforced_at: datetime
    verdict: Verdict
    status: Status
    status_reason: str
    protected: bool
    event_time: datetime
    said_at: datetime
    valid_from: datetime
    valid_until: datetime | None
    recorded_at: datetime
    retracted_at: datetime | None
    last_confirmed_at: datetime | None
    expires_at: datetime | None
    merged_count: int
    agent_id: UUID
    user_id: str | None
    visibility: Visibility
    session_id: UUID | None
    external_id: str | None
    retrieval_priority: float
    access_count: int
    recall_count: int
    last_accessed_at: datetime | None
    sources: tuple[SourceView, ...]
    open_links: tuple[OpenLink, ...]

    @property
    def voices(self) -> frozenset[Voice]:
        """Who says it."""
        spoken = ((source.role, source.speaker, source.inherited) for source in self.sources)
        return voices(spoken, said_by=self.said_by)

    @property
    def voice(self) -> Voice:
        """On whose word it stands: of several one of the role that weighs most."""
        role = word_of(self.voices)
        return min((voice for voice in self.voices if voice.role is role), key=lambda voice: voice.name)

    @property
    def contradicted_by(self) -> tuple[UUID, ...]:
        return self._others(OpenLinkKind.CONTRADICTS)

    @property
    def doubted_by(self) -> tuple[UUID, ...]:
        return self._others(OpenLinkKind.PROBABLY_SUPERSEDED)

    def _others(self, kind: OpenLinkKind) -> tuple[UUID, ...]:
        return tuple(link.other_id for link in self.open_links if link.kind is kind)


class WriteOutcome(StrEnum):
    STORED = "stored"
    """It is a memory."""
    HELD = "held"
    """It is a memory that waits for review."""
    MERGED = "merged"
    """A memory that says the same was reinforced."""
    SUPERSEDED = "superseded"
    """It is a memory, and another gave way to it."""
    REJECTED = "rejected"
    """It became no memory."""


class PendingStep(StrEnum):
    """What a job still has to do."""

    DEDUP = "dedup"
    """Comparing it with what is known, which the embedder was too slow for."""


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What became of an explicit fact, and why in words. SUPERSEDED: it was stored and `supersedes` gave way.

    `is_repeated`: it was remembered before, under the same external id.
    """

    outcome: WriteOutcome
    item: ItemView | None
    reason: str
    supersedes: ItemView | None = None
    pending: tuple[PendingStep, ...] = ()
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class ForgottenItem:
    id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a batch took away or, restored, gave back; on a dry run what it would take (`batch_id` None).

    `truncated`: what was found by a query is not surely all of it.
    """

    batch_id: UUID | None
    items: tuple[ForgottenItem, ...]
    episode_ids: tuple[UUID, ...]
    dry_run: bool
    truncated: bool = False

    @property
    def episodes(self) -> int:
        return len(self.episode_ids)


@dataclass(frozen=True, slots=True)
class Observed:
    """What a run made of its resources: counts, who read them, what was missing. `left` of them it did not come to."""

    resources: int = 0
    extracted: int = 0
    dropped: int = 0
    allowed: int = 0
    held: int = 0
    discarded: int = 0
    suppressed: int = 0
    merged: int = 0
    superseded: int = 0
    closed: int = 0
    rejected: int = 0
    milliseconds: int = 0
    extractor: str = ""
    degraded: str = ""
    left: int = 0


@dataclass(frozen=True, slots=True)
class VersionView:
    """One change: changed fields before and after, by their column names."""

    id: UUID
    at: datetime
    operation: str
    reason: str
    before: Mapping[str, object]
    after: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class LinkView:
    """The other end of a link: what it says, which agent said so and when; `at` is when the two were linked.

    `open` is False for contradictions that were settled and merges that were undone. `confidence` is effective now,
    None where the other end became no memory.
    """

    id: UUID
    text: str
    reason: str
    at: datetime
    open: bool
    agent_id: UUID
    said_at: datetime
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """`opinion` is what the principal says of it."""

    item: ItemView
    versions: tuple[VersionView, ...]
    opinion: Opinion | None
    merged: tuple[LinkView, ...]
    merged_into: LinkView | None
    supersedes: tuple[LinkView, ...]
    superseded_by: tuple[LinkView, ...]
    contradicts: tuple[LinkView, ...]
    shared_from: LinkView | None
    shared_as: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class SharedCategory:
    """A category with what agents share in it: how many memories, whose, and the last write."""

    domain: str
    memories: int
    agent_ids: tuple[UUID, ...]
    last_write_at: datetime


@dataclass(frozen=True, slots=True)
class EpisodeState:
    """Whether every item drawn from an episode is gone, and which current facts took, or probably took, their place."""

    all_gone: bool = False
    superseded_by: tuple[UUID, ...] = ()
    doubted_by: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Replacement:
    """A current item that took, or (not sure) probably took, the place of another."""

    replaced_id: UUID
    by: UUID
    is_sure: bool


@dataclass(frozen=True, slots=True)
class ItemChange:
    """What became of an item: `replacement`, or what it is since `at`."""

    item_id: UUID
    became: SessionChangeKind
    at: datetime | None
    replacement: Replacement | None


@dataclass(frozen=True, slots=True)
class Replaced:
    """An item whose place another took; `is_rewording`: that says the same in other words."""

    id: UUID
    is_rewording: bool


@dataclass(frozen=True, slots=True)
class RejectionView:
    id: UUID
    text: str
    stage: str
    verdict: Verdict
    reason: str
    detail: str
    scores: Mapping[str, float]
    resource_id: UUID | None
    user_id: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RejectionCount:
    """How many rejections of a reason a week saw; `week` is its Monday (UTC)."""

    week: date
    stage: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class Growth:
    """Items stored in a while, and how many of what was said were merged into others."""

    stored: int
    merged: int


@dataclass(frozen=True, slots=True)
class Stats:
    """How many items there are, by status, verdict and category (slug), and how much was turned down."""

    items: int
    by_status: Mapping[str, int]
    by_verdict: Mapping[str, int]
    by_category: Mapping[str, int]
    rejections: int
    open_contradictions: int
