"""Recall and context: what is asked, and the few memories that answer."""

from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

import strawberry
from pydantic import AfterValidator, AwareDatetime, Field

from apps.api.admission import MOST_ENTRIES
from apps.api.contract import Absent, Answer, ForUser, Input, Message, Name, Text
from apps.retrieval.requests import MAXIMUM_LIMIT, ContextRequest, Filter, RecallRequest
from memory_platform import model
from memory_platform.model import (
    ContextStyle,
    Intent,
    Kind,
    Profile,
    Relevance,
    Role,
    SessionChangeKind,
    Status,
    TrustTag,
    Unit,
    Verdict,
    Visibility,
)
from memory_platform.retrieval.context import Omission

MESSAGES_AT_MOST = 20
MESSAGE_AT_MOST = 20_000
"""Characters of one: a recall reads a question out of the last ones, and nothing is kept of them."""
TOKENS_AT_MOST = 100_000

Limit = Annotated[int | None, Field(ge=1, le=MAXIMUM_LIMIT, description="Hits at most; default: the profile's.")]
Tokens = Annotated[int | None, Field(ge=1, le=TOKENS_AT_MOST, description="Tokens of the answer at most.")]
AsOf = Annotated[AwareDatetime | None, Field(description="What was believed, and true, then.")]
ValidAt = Annotated[AwareDatetime | None, Field(description="What was true then, by what is believed now.")]
Explain = Annotated[bool, Field(description="Also say why: the plan, the arms, what just missed or was left out.")]
Degraded = Annotated[
    list[str],
    Field(
        description="What did not answer as configured: vector, graph, rewrite; budget_soft, budget_hard: a budget is"
        " spent up to there. Empty when whole."
    ),
]
InSession = Annotated[
    Name | None,
    Field(
        description="The conversation this is asked in: what it was given is remembered, and what it said last is read"
        " where the query leans on it and no messages are sent."
    ),
]


class MessageInput(Input):
    role: Role
    content: str = Field(max_length=MESSAGE_AT_MOST, description="What was said.")


Messages = Annotated[
    tuple[MessageInput, ...] | None,
    Field(max_length=MESSAGES_AT_MOST, description="The conversation's last messages, oldest first."),
]


class MemoryFilter(ForUser):
    """An empty list is a filter that nothing passes; an absent one is none."""

    kinds: tuple[Kind, ...] | None = Field(default=None, max_length=MOST_ENTRIES, description="Of one of these kinds.")
    categories: tuple[Name, ...] | None = Field(
        default=None, max_length=MOST_ENTRIES, description="Filed under one of these slugs."
    )
    services: tuple[Name, ...] | None = Field(
        default=None, max_length=MOST_ENTRIES, description="Of one of these services."
    )
    agent_id: Name | None = Field(default=None, description="Of this agent, by its own name.")
    session_id: Name | None = Field(default=None, description="Learnt in this session, by the caller's own id.")
    entity: Name | None = Field(default=None, description="That name this entity.")
    statuses: tuple[Status, ...] | None = Field(
        default=None, max_length=MOST_ENTRIES, description="In one of these states; default: active."
    )
    verdicts: tuple[Verdict, ...] = Field(
        default=(Verdict.ALLOW,), max_length=MOST_ENTRIES, description="With one of these verdicts."
    )
    min_confidence: float | None = Field(
        default=None, ge=0, le=1, description="At least as sure, 0 to 1; a message, which is not weighed, passes."
    )
    visibility: Visibility | None = Field(default=None, description="Private ones alone, or shared ones.")
    domain: Name | None = Field(default=None, description="Shared in this domain, by its slug.")
    # A query string has a cursor that is called `after`.
    since: Annotated[Name | None, strawberry.field(name="after")] = Field(
        default=None,
        alias="after",
        alias_priority=1,
        description="Event time: ISO 8601, or a word such as last_week.",
    )
    until: Annotated[Name | None, strawberry.field(name="before")] = Field(
        default=None, alias="before", alias_priority=1, description="Event time up to then, in the same way."
    )

    def as_filter(self) -> Filter:
        return Filter(
            kinds=self.kinds,
            categories=self.categories,
            services=self.services,
            agent_id=self.agent_id,
            session_id=self.session_id,
            entity=self.entity,
            statuses=self.statuses,
            verdicts=self.verdicts,
            minimum_confidence=self.min_confidence,
            visibility=self.visibility,
            domain=self.domain,
            after=self.since,
            before=self.until,
        )


def _of_what_answers(given: MemoryFilter) -> MemoryFilter:
    if set(given.verdicts) - {Verdict.ALLOW}:
        raise ValueError("What is held or discarded answers no question: leave verdicts at ALLOW; memories lists it.")
    if Status.DELETED in (given.statuses or ()):
        raise ValueError("What was forgotten answers no question: leave DELETED out of statuses; memories lists it.")
    return given


def _that_answer(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    if not units or set(units) - {Unit.ITEM, Unit.EPISODE}:
        raise ValueError("A question is answered by ITEM, EPISODE or both.")
    return units


SearchFilter = Annotated[MemoryFilter, AfterValidator(_of_what_answers)]
"""What a question may be answered from."""


class Question(Input):
    """How something is asked, whether memories or a block for the prompt answer."""

    profile: Profile = Profile.AUTO
    max_tokens: Tokens = None
    filter: SearchFilter = Field(default_factory=MemoryFilter, description="What the answer may be taken from.")
    as_of: AsOf = None
    messages: Messages = None
    explain: Explain = False
    session_id: InSession = None

    @classmethod
    def of(cls, query: str | None, options: "Question | None") -> Self:
        """The input with these options, which GraphQL takes beside the query."""
        return cls.model_validate({"query": query, **dict(options or {})})

    def _asked(self) -> dict[str, Any]:
        """Its fields, and the subclass's, as retrieval's requests have them."""
        messages = tuple(model.Message(each.role, each.content) for each in self.messages or ())
        return {**dict(self), "filter": self.filter.as_filter(), "messages": messages}


class RecallOptions(Question):
    limit: Limit = None
    valid_at: ValidAt = None
    units: Annotated[tuple[Unit, ...], AfterValidator(_that_answer)] = Field(
        default=(Unit.ITEM, Unit.EPISODE),
        max_length=MOST_ENTRIES,
        description="Whether memories, episodes, or both answer.",
    )
    repeat: bool = Field(default=True, description="Also what the session was already given and has not changed.")


class RecallInput(RecallOptions):
    query: Text = Field(description="What is asked, in the words it is asked in.")

    def as_request(self) -> RecallRequest:
        return RecallRequest(**self._asked())


class ContextOptions(Question):
    style: ContextStyle = ContextStyle.FACTS
    repeat: bool = Field(default=False, description="Also what the session was already given and has not changed.")


class ContextInput(ContextOptions):
    query: Text | None = Field(
        default=None,
        description="What is asked; absent: what a session begins with, of no profile and for no messages.",
    )

    def as_request(self) -> ContextRequest:
        return ContextRequest(**self._asked())


class OutputInput(Input):
    output: Message = Field(description="What was answered with the recall, whole.")


class Source(Answer):
    """A captured message something rests on; `external_id` is the caller's own, `quote` the words."""

    resource_id: UUID
    external_id: str | None
    role: Role | None = Field(description="As what it was said; null where the message may not be read.")
    speaker: str | None
    said_at: datetime
    quote: Absent = Field(default=None, description="The words of it that say so; null: none are told.")


class Scores(Answer):
    """What each arm and each modifier contributed; null where an arm was silent."""

    vector: float | None = Field(description="What likeness of meaning contributed.")
    keyword: float | None = Field(description="What words in common contributed.")
    graph: float | None = Field(description="What ties to the entities of the question contributed.")
    time: float | None = Field(description="What lying in the time asked for contributed.")
    decay: float | None = Field(description="Factor for its age, 0 to 1.")
    stale: float | None = Field(description="Factor for being stale; 1: it is not.")
    priority: float | None = Field(description="Factor for what use and feedback taught; 1: nothing.")
    sentiment: float | None = Field(description="Factor for the tone of the question; 1: it has another.")
    domain: float | None = Field(description="Factor for lying outside the agent's domain; 1: it does not.")


class Hit(Answer):
    """A memory worth knowing, or a message that was captured; one that answers for both names both."""

    rank: int
    unit: Unit
    id: UUID = Field(description="The memory's or the message's id, as `unit` says.")
    text: str
    lead_in: str = Field(description="What the text leans on: the question it answers, or the clause before.")
    score: float
    probability: float = Field(description="That it answers: what the relevance floor tests.")
    relevance: Relevance = Field(description="LOW: better than nothing, but not sure.")
    scores: Scores = Field(description="What made the score.")
    item_id: UUID | None = Field(description="The memory that answers; null: a message alone does.")
    episode_id: UUID | None = Field(description="The message that answers; null: a memory alone does.")
    category: str = Field(description="The category it is filed under, by its slug; empty: under none.")
    service: Absent
    confidence: float | None = Field(description="What the memory is worth now, 0 to 1; null of a message.")
    age_days: float = Field(description="Days since it was said.")
    event_time: datetime | None = Field(description="When what it tells of happens; null: unknown.")
    tags: list[TrustTag]
    sources: list[Source]
    role: Role = Field(description="On whose word it stands: a fact that several state, on the one that weighs most.")
    current_fact_ids: list[UUID] = Field(description="What has replaced parts of an episode.")
    agent_id: Absent = Field(validation_alias="said_by", description="Whose memory it is: the agent's own name.")
    said_at: datetime | None
    already_given: bool = Field(description="The session named was given it, and it has not changed since.")
    given_at: datetime | None = Field(description="When the session was first given it, of the last 200 hits.")


class Stage(Answer):
    name: str = Field(description="The part of the work, by its code.")
    milliseconds: float


class Arm(Answer):
    name: str = Field(description="keyword, vector, graph, time or summaries.")
    candidates: int = Field(description="How many it found.")


class TimeSpan(Answer):
    start: datetime = Field(description="When it begins.")
    end: datetime = Field(description="When it ends.")
    phrase: str = Field(description="The words that name it.")


class LeftOut(Answer):
    """A memory that was considered and not handed out, with the beginning of its text."""

    unit: Unit
    id: UUID = Field(description="The memory's or the message's id, as `unit` says.")
    text: str = Field(description="How it begins.")
    role: Role = Field(description="On whose word it stands.")
    reason: Omission = Field(
        description="BUDGET: no tokens left for it; LIMIT: enough memories without it; ALREADY_GIVEN: to the session."
    )


class RecallExplanation(Answer):
    """Why the answer is what it is: the plan, the gate of the keyword arm, what just missed and what was left out.

    At the start of a session nothing is searched for: no arms and no floor; `candidates` were considered.
    """

    statement: bool = Field(description="The query was taken for a statement, not a question.")
    complexity: str = Field(description="simple or complex: what the query was taken for.")
    gate: float = Field(description="How far the keyword arm was believed, 0 to 1.")
    floor: float = Field(description="The probability from which on something is relevant, 0 to 1.")
    least: float = Field(description="How likely a hit had to be: half as the floor asks, a twentieth of the best.")
    candidates: int = Field(description="How many were considered.")
    time_range: TimeSpan | None = Field(description="The time that the query names; null: none.")
    stages: list[Stage] = Field(description="How long each part of the work took.")
    arms: list[Arm] = Field(description="How many each arm found.")
    below_floor: list[Hit] = Field(description="The best of what missed, best first.")
    left_out: list[LeftOut] = Field(description="What was relevant and not handed out.")


class SessionChange(Answer):
    """What the session was given before, and what became of it since."""

    id: UUID = Field(description="The memory that was given, by its id.")
    text: str | None = Field(description="What it says; null: it was forgotten.")
    given_at: datetime = Field(description="When the session was first given it.")
    became: SessionChangeKind = Field(description="What became of it.")
    tag: TrustTag | None = Field(
        description="SUPERSEDED: surely; PROBABLY_SUPERSEDED: probably; null: nothing took its place."
    )
    replaced_by: UUID | None = Field(description="The current memory that took its place, by its id; null: none did.")
    replacement: str | None = Field(description="What the current memory says; null: none took its place.")


class Recall(Answer):
    id: UUID = Field(description="Its id: what `reportOutput` takes.")
    hits: list[Hit]
    rewritten_query: str = Field(description="The query as it was searched for.")
    intent: Intent
    profile: Profile
    tier: int
    degraded: Degraded
    cost_usd: float | None = Field(description="US dollars that its calls of models cost; null: a price is unknown.")
    took_ms: float = Field(description="How long it took, in milliseconds.")
    available: int = Field(description="How many were relevant, handed out or not.")
    already_given: int = Field(description="Hits left out because the session has them: none unless repeat is false.")
    changed: list[SessionChange]
    explanation: RecallExplanation | None


class ContextBlock(Answer):
    """A block of text, `tokens` long, holding `included` of the `available` relevant memories: `hits`, best first.

    With a session, what it was already given does not count as available.
    """

    recall_id: UUID
    text: str = Field(description="The block, for the prompt.")
    tokens: int
    included: int = Field(description="How many hits are in it.")
    available: int = Field(description="How many were relevant, in the block or not, but for what the session has.")
    hits: list[Hit] = Field(validation_alias="included_hits", description="What is in the block, best first.")
    changed: list[SessionChange]
    degraded: Degraded
    explanation: RecallExplanation | None


class Feedback(Answer):
    """How many of a recall's hits the output used and ignored."""

    recall_id: UUID
    used: int = Field(description="How many of its hits the output used.")
    ignored: int = Field(description="How many of its hits the output did not use.")
