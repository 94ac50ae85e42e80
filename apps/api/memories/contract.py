"""Memories: what is held and why, what was turned down, and the writes of explicit facts."""

from dataclasses import replace
from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, Field, computed_field
from typing_extensions import override

from apps.api.contract import (
    LARGEST,
    Absent,
    AgentName,
    Answer,
    ForOneUser,
    Input,
    InTime,
    Json,
    Name,
    Names,
    PageOf,
    SessionId,
    Text,
    queried,
)
from apps.api.descriptions import ARGUMENTS, FIELDS
from apps.api.flows.forgetting import DEFAULT_FOUND, MOST_FOUND, WhatToForget
from apps.api.recall.contract import AsOf, MemoryFilter, SearchFilter, Source
from apps.memory import requests
from apps.memory.requests import ItemOrder, NewMemory, SeenItem
from apps.memory.results import OpenLinkKind, PendingStep, WriteOutcome
from apps.retrieval.requests import Filter
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import (
    Kind,
    Mood,
    Priority,
    Sentiment,
    Status,
    Strength,
    Verdict,
    Visibility,
)

Confidence = Annotated[float, Field(ge=0, le=1)]


class FactInput(Input):
    """What is said of a fact, whoever is to know it."""

    text: Text = Field(description="The fact, as a whole statement.")
    kind: Kind | None = None
    service: Name | None = Field(
        default=None, description="The service or system it speaks of; default: the one it names."
    )
    confidence: Confidence | None = Field(
        default=None, description="How sure it is, 0 to 1; default: as its words are."
    )
    strength: Strength | None = None
    entities: Names | None = Field(default=None, description="Names it speaks of; default: those that are read.")
    user_id: Name | None = Field(default=None, description="Of whom it is; absent: of no user.")
    valid_from: AwareDatetime | None = Field(default=None, description="Since when it is true.")
    valid_until: AwareDatetime | None = Field(default=None, description="Until when it was true.")
    external_id: Name | None = Field(
        default=None,
        description="The caller's own id: repeating it with the same text changes nothing, with another text CONFLICT.",
    )


class RememberInput(FactInput):
    category: Name | None = Field(
        default=None, description="Default: what the text is about; of a shared one the agent's own domain."
    )
    session_id: SessionId | None = Field(default=None, description="Where it was said; the session is made when new.")
    visibility: Visibility = Visibility.PRIVATE
    occurred_at: AwareDatetime | None = Field(default=None, description="When it was said.")

    def as_new(self) -> NewMemory:
        return NewMemory(**self.model_dump())


Weeks = Annotated[
    int,
    Field(
        ge=1,
        le=requests.MAXIMUM_WEEKS,
        description="How many weeks, this one included.",
    ),
]


class SeenInput(Input):
    """A memory in the version somebody looked at."""

    id: UUID
    version: int = Field(ge=0, le=LARGEST, description="The version that was looked at.")

    def as_seen(self) -> SeenItem:
        return SeenItem(self.id, self.version)


Seen = Annotated[
    tuple[SeenInput, ...],
    Field(max_length=MOST_FOUND, description="Memories as they were looked at; when one has changed since: CONFLICT."),
]


class ConfirmInput(Input):
    seen: Seen = ()


class CorrectInput(Input):
    text: Text = Field(description="What is true instead, as a whole statement.")
    reason: Text = Field(default="", description="Why, in the caller's words.")
    seen: Seen = ()


class FeedbackInput(Input):
    """What somebody says of a memory. `note` is why, in their own words."""

    kind: Opinion
    note: Text = Field(default="", description="Why, in their own words.")


class ForgetInput(Input):
    """By ids, by user_id or by query: exactly one of the three."""

    ids: tuple[UUID, ...] | None = Field(default=None, max_length=MOST_FOUND, description="Memories, each by its id.")
    user_id: Name | None = Field(default=None, description="All that is of this user.")
    query: Text | None = Field(default=None, description="What surely answers it goes: hits of HIGH relevance only.")
    filter: SearchFilter = Field(default_factory=MemoryFilter, description="Narrows a query.")
    limit: int = Field(default=DEFAULT_FOUND, ge=1, le=MOST_FOUND, description="How much a query may take at most.")
    dry_run: bool = False
    reason: Text | None = Field(default=None, description="Why, in the caller's words.")
    seen: Seen = ()

    def as_request(self) -> WhatToForget:
        return WhatToForget(
            ids=self.ids,
            user_id=self.user_id,
            query=self.query,
            filter=self.filter.as_filter(),
            limit=self.limit,
            dry_run=self.dry_run,
            reason=self.reason or "",
            seen=tuple(each.as_seen() for each in self.seen),
        )


class RestoreInput(Input):
    batch_id: UUID


class RejectionFilter(InTime):
    session_id: Name | None = Field(default=None, description="Said in this session, by the caller's own id.")
    turn: int | None = Field(default=None, ge=1, le=LARGEST, description="A number within a session.")
    stage: Name | None = Field(default=None, description="extraction, gate or conflict.")
    reason: Name | None = Field(default=None, description="Turned down for this reason, by its code.")

    def as_filter(self) -> requests.RejectionFilter:
        return requests.RejectionFilter(
            self.session_id, self.turn, self.stage, self.reason, since=self.since, until=self.until
        )


class RejectionsInput(RejectionFilter, PageOf):
    """The query string of a list of rejections."""


class MemoriesInput(MemoryFilter, PageOf):
    """The query string of a list of memories; repeat a filter to allow several values."""

    model_config = queried(
        kinds="kind", categories="category", services="service", statuses="status", verdicts="verdict"
    )

    order_by: ItemOrder = Field(default=ItemOrder.NEWEST, description=ARGUMENTS["order_by"])
    as_of: AsOf = None
    id_part: str | None = Field(
        default=None, min_length=4, max_length=36, description="Part of an id, as people are shown it."
    )

    @override
    def as_filter(self) -> Filter:
        return replace(super().as_filter(), id_part=self.id_part)


class CorrectByIdInput(CorrectInput):
    memory_id: UUID = Field(alias="id")


class ConfirmByIdInput(ConfirmInput):
    memory_id: UUID = Field(alias="id")


class FeedbackByIdInput(FeedbackInput):
    memory_id: UUID


class WithdrawFeedbackInput(Input):
    memory_id: UUID


class ExplainInput(ForOneUser):
    memory_id: UUID = Field(alias="id")
    user_id: Name | None = Field(default=None, description="Default: as the user sees it whose it is.")


class CautiousForgetInput(ForgetInput):
    """By ids, by user_id or by query: exactly one of the three. Look at a dry run first."""

    dry_run: bool = Field(default=True, description="Only list what would go; false: forget it.")


class Slot(Answer):
    """Which state a memory speaks of, in its own words; empty where it does not say."""

    subject: str = Field(description="Whom or what the state belongs to.")
    attribute: str = Field(description="Which state it is.")
    value: str = Field(description="What the state is said to be.")
    qualifier: str = Field(description="What tells one such state from another: a ticket, an environment.")


class OpenLink(Answer):
    """What may be wrong with a memory until somebody says, and the memory (or refused claim) that raises it."""

    kind: OpenLinkKind = Field(description="What may be wrong.")
    other_id: UUID = Field(description="The id of the memory, or refused claim, that raises it.")


class Memory(Answer):
    """What was learnt. `text` is the speaker's own clause; what was understood of it lies in the other fields."""

    id: UUID
    version: int = Field(description="Grows with every change: name the one you looked at in `seen`.")
    text: str
    lead_in: str = Field(
        description="What the text leans on: the question it answers, or the clause before; empty when it stands alone."
    )
    slot: Slot = Field(description="The state that it speaks of.")
    mood: Mood = Field(description="What its words do: only ASSERTED ones state a fact.")
    is_negated: bool = Field(description="It says that something is not so.")
    said_by: str = Field(description="Who says so, where a name is known.")
    reported_by: str = Field(description="On whose word, where it is reported.")
    language: str = Field(description="The language of its words, by its code, such as en.")
    open_links: list[OpenLink] = Field(description="What may be wrong with it until somebody says.")
    kind: Kind
    category: str
    service: Absent
    entity_names: list[str] = Field(description="The names that it speaks of.")
    strength: Strength
    sentiment: Sentiment = Field(description="The tone it was said in.")
    priority: Priority
    confidence: float = Field(description="What it is worth now, 0 to 1.")
    base_confidence: float = Field(description="What it was worth when last reinforced, 0 to 1.")
    retrieval_priority: float = Field(
        description="By what share use and feedback raise its score, or lower it, before the clamp."
    )
    verdict: Verdict
    status: Status
    status_reason: str = Field(description="Why it stands so, by its code; empty: for no special reason.")
    protected: bool = Field(description="Somebody vouched for it: its confidence does not fade.")
    event_time: datetime = Field(
        description="When what it tells of happens; without a time named in it, when it was said."
    )
    valid_from: datetime
    valid_until: datetime | None
    recorded_at: datetime = Field(description="Since when it is believed: since it was first said.")
    retracted_at: datetime | None = Field(description="Since when it is no longer believed; null: it still is.")
    last_confirmed_at: datetime | None = Field(description="When it was last said again or vouched for; null: never.")
    expires_at: datetime | None = Field(
        description="When its category's days to live are over, since last confirmed; null: never."
    )
    access_count: int = Field(description="How often it answered a question, which keeps it from fading.")
    recall_count: int = Field(description="How often a recall returned it to a question.")
    merged_count: int = Field(description="How many others that say the same were merged into it.")
    user_id: str | None
    external_id: str | None
    visibility: Visibility
    agent_id: AgentName
    sources: list[Source]


class Version(Answer):
    """One change: changed fields before and after, by their column names."""

    id: UUID
    at: datetime = Field(description="When it changed.")
    operation: str = Field(description="What was done, by its code, such as corrected.")
    reason: str = Field(description="Why, by its code or in the caller's words; empty: unsaid.")
    before: Json = Field(description="The changed fields as they were.")
    after: Json = Field(description="The changed fields as they became.")


class Link(Answer):
    """The other end of a merge, a supersession, a contradiction or an act of sharing."""

    id: UUID = Field(description="The id of the memory, or refused claim, at the other end.")
    text: str
    reason: str = Field(description="Why the two are linked, by its code.")
    at: datetime = Field(description="When the two were linked.")
    open: bool = Field(description="The link holds: it was neither settled nor undone.")
    agent_id: AgentName
    said_at: datetime
    confidence: float | None = Field(description="What it is worth now, 0 to 1; null for what became no memory.")


class Explanation(Answer):
    memory: Memory = Field(validation_alias="item")
    versions: list[Version] = Field(description="What changed of it, the earliest first.")
    opinion: Opinion | None = Field(description="What the caller says of it (`giveFeedback`).")
    merged: list[Link] = Field(description="What was merged into it; one that is not `open` no longer is.")
    merged_into: Link | None = Field(description="What it was merged into; null: nothing, or that was undone.")
    supersedes: list[Link] = Field(description="What gave way to it.")
    superseded_by: list[Link] = Field(description="What took its place.")
    contradicts: list[Link] = Field(description="The most trusted first.")
    shared_from: Link | None = Field(description="The private memory it was shared from; its agent sees it.")
    shared_as: list[Link] = Field(description="The shared memories that were made of it.")

    @computed_field(description=FIELDS["sources"])
    def sources(self) -> list[Source]:
        return self.memory.sources

    @computed_field(description="The names that it speaks of.")
    def entities(self) -> list[str]:
        return self.memory.entity_names


class Rejection(Answer):
    """Something said that became no memory, and why."""

    id: UUID
    text: str
    stage: str
    verdict: Verdict
    reason: str = Field(description="Why, by its code.")
    detail: str = Field(description="What counted for it, such as a word; empty: nothing more is known.")
    scores: Json = Field(description="What it was given, by name, 0 to 1: usefulness, confidence.")
    resource_id: UUID | None = Field(description="The message that says it; null: none does, or it is gone.")
    user_id: str | None
    at: datetime = Field(validation_alias="created_at", description="When it was turned down.")


class RejectionCount(Answer):
    """How many rejections of a reason a week saw; `week` is its Monday, in UTC."""

    week: date = Field(description="The Monday the week begins with, in UTC.")
    stage: str
    reason: str = Field(description="Why, by its code.")
    count: int


class WriteResult(Answer):
    """What became of an explicit fact, and why. SUPERSEDED: it was stored and `supersedes` gave way."""

    outcome: WriteOutcome = Field(description="What became of it.")
    memory: Memory | None = Field(
        validation_alias="item", description="The memory that holds it; null: it was rejected."
    )
    reason: str = Field(description="Why, in words.")
    supersedes: Memory | None = Field(description="The memory that gave way; null: none did.")
    pending: list[PendingStep] = Field(description="What a job still has to do.")


class MemoryFeedback(Answer):
    """What the caller says of a memory, since when, and what the memory is now. It stands until it is withdrawn."""

    memory: Memory = Field(validation_alias="item")
    kind: Opinion = Field(description="What the caller says of it.")
    at: datetime = Field(description="Since when the caller says so.")


class ForgottenMemory(Answer):
    id: UUID
    text: str


class Forgotten(Answer):
    """What a batch took away or, restored, gave back; on a dry run what it would take (`batch_id` null)."""

    batch_id: UUID | None = Field(description="What restoring it takes; null on a dry run.")
    dry_run: bool = Field(description="Nothing was taken: it tells what would be.")
    items: list[ForgottenMemory] = Field(
        description="The memories that it took, gave back or, on a dry run, would take."
    )
    episodes: int = Field(description="How many messages go or come back with them.")
    truncated: bool = Field(description="More may answer the query than `limit` let it take: ask again.")
