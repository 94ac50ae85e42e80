"""Sessions: what happened, a turn at a time or in bulk, and what was reported of it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, JsonValue, TypeAdapter

from apps.api.admission import LONGEST_MESSAGE, LONGEST_NAME, Admission
from apps.api.contract import (
    AgentName,
    Answer,
    BulkLine,
    ForOneUser,
    ForUser,
    Input,
    InTime,
    JsonOrNull,
    Message,
    Name,
    NamedSession,
    Paged,
    PageOf,
    SessionId,
    UserId,
)
from apps.api.flows.observing import GivenText
from apps.api.flows.sessions import Beginning
from apps.api.memories.contract import Rejection
from apps.api.recall.contract import Tokens
from apps.resources.selectors import MOST_TURNS_AT_ONCE
from apps.resources.services import LONGEST_RESULT, MOST_RESULTS, MOST_TURNS, NewTurn
from memory_platform.model import Kind, Priority, Role, Status, Strength, Unit, Verdict, Visibility

USUAL_WAIT_SECONDS: Final = 2.0
LONGEST_WAIT_SECONDS: Final = 10.0
MOST_NAMED: Final = 100

WaitSeconds = Annotated[
    float,
    Field(ge=0, le=LONGEST_WAIT_SECONDS, description="How long it may wait for what is pending; 0: not at all."),
]


A_CALL: Final = 'A call has a name: {"name": …, "arguments"?: …, "result"?: …} or {"function": {"name": …}, …}.'


def _call(held: JsonValue) -> JsonValue:
    """More keys than ours are welcome: hosts send their own."""
    name = _tool(held)
    if not (isinstance(name, str) and name.strip()):
        raise ValueError(A_CALL)
    return held


def _tool(held: JsonValue) -> JsonValue:
    if not isinstance(held, dict):
        return None
    function = held.get("function")
    return held.get("name") or (function.get("name") if isinstance(function, dict) else None)


_CALLS: Final[TypeAdapter[list[JsonValue]]] = TypeAdapter(list[Annotated[JsonValue, AfterValidator(_call)]])


def _calls(held: JsonValue) -> JsonValue:
    """A list of calls, or a single one, as it was sent."""
    return _CALLS.validate_python(held) if isinstance(held, list) else _call(held)


ToolCalls = Annotated[JsonOrNull, AfterValidator(lambda held: held if held is None else _calls(held))]


class TurnInput(Input):
    session_id: SessionId
    turn_number: int | None = Field(
        default=None,
        ge=1,
        le=MOST_TURNS - 1,
        description="Next when absent. Repeating one with the same content is a no-op, with other content CONFLICT.",
    )
    user_id: Name | None = Field(default=None, description="Of whom it is; absent: of no user.")
    speaker: Name | None = Field(default=None, description='The name of who said `user_input`: who "I" is.')
    user_input: Annotated[Message | None, Admission.SAID] = Field(default=None, description="What the user said.")
    tool_calls: Annotated[ToolCalls, Admission.SAID] = Field(
        default=None,
        description=(
            "Objects with `name` and, where the tool answered, `result` (a text or JSON), which becomes a resource of "
            f"its own: at most {MOST_RESULTS} results a turn, of {LONGEST_RESULT} characters each."
        ),
    )
    llm_output: Annotated[Message | None, Admission.SAID] = Field(default=None, description="What was answered.")
    internal_state: Annotated[JsonOrNull, Admission.SAID] = Field(
        default=None,
        description="What the agent wants back when it recovers the session: any JSON of at most 1,000,000 characters.",
    )
    occurred_at: AwareDatetime | None = Field(default=None, description="When it was said; default: now.")
    visibility: Visibility = Visibility.PRIVATE
    recall_id: UUID | None = Field(
        default=None, description="The recall or context that llmOutput answers with: which hits it used is learnt."
    )

    def as_turn(self) -> NewTurn:
        return NewTurn(**self.model_dump(exclude={"recall_id"}))


class IngestLine(BulkLine):
    """One message. `external_id` and `session_id` are the caller's own."""

    external_id: str = Field(
        json_schema_extra={"maxLength": LONGEST_NAME},
        description="The caller's own id of the message: the same content again is a duplicate.",
    )
    session_id: str = Field(
        json_schema_extra={"maxLength": LONGEST_NAME},
        description="The caller's own id of the session; it is made when new.",
    )
    content: str = Field(json_schema_extra={"maxLength": LONGEST_MESSAGE}, description="What was said.")
    speaker: str | None = Field(
        default=None, json_schema_extra={"maxLength": LONGEST_NAME}, description="The name of who said it, or a role."
    )
    content_at: datetime | None = Field(default=None, description="When it was said; default: now.")
    role: Role | None = None
    user_id: str | None = Field(
        default=None, json_schema_extra={"maxLength": LONGEST_NAME}, description="Of whom it is; absent: of no user."
    )
    visibility: Visibility = Visibility.PRIVATE
    turn_number: int | None = Field(
        default=None, json_schema_extra={"minimum": 1, "maximum": MOST_TURNS - 1}, description="The turn it belongs to."
    )


class TurnOf(Input):
    """Which turn of a session, and for whom it is read; the latest when turn is absent."""

    turn: int | None = Field(default=None, ge=1, le=MOST_TURNS - 1, description="The number of the turn.")
    user_id: UserId = None


class SessionInput(Input):
    """Which session begins, and for whom; `max_tokens` bounds all that it is told."""

    session_id: SessionId
    user_id: Name | None = Field(default=None, description="Of whom it is; absent: of no user.")
    max_tokens: Tokens = None

    def as_beginning(self) -> Beginning:
        return Beginning(**self.model_dump())


class SessionOf(ForOneUser):
    """Whose session is meant, where several users have one of that id: CONFLICT when it does not say."""


class SessionEndInput(SessionOf):
    wait_seconds: WaitSeconds = USUAL_WAIT_SECONDS


class BranchInput(SessionOf):
    """Where the session parts from the one it is a branch of, and what it is called; of the same user, or of none."""

    new_session_id: SessionId
    turn: int | None = Field(
        default=None, ge=1, description="The last turn they share; default: the latest.", le=MOST_TURNS - 1
    )


class ObserveInput(Input):
    """What a host is about to compact away, or any other text that belongs to the session."""

    session_id: SessionId
    text: Message = Field(description="A line that begins with `User:` or `Assistant:` says whose words follow.")
    user_id: Name | None = Field(default=None, description="Of whom it is; absent: of no user.")
    role: Role = Field(default=Role.USER, description="Whose words they are where no line says so.")
    occurred_at: AwareDatetime | None = Field(default=None, description="When it was said; default: now.")
    visibility: Visibility = Visibility.PRIVATE
    wait_seconds: WaitSeconds = USUAL_WAIT_SECONDS

    def as_text(self) -> GivenText:
        return GivenText(content=self.text, **self.model_dump(exclude={"text", "wait_seconds"}))


class SessionByIdInput(SessionOf):
    session_id: NamedSession


class SessionEndByIdInput(SessionEndInput):
    session_id: NamedSession


class BranchByIdInput(BranchInput):
    session_id: Name = Field(description="The session it is a branch of, by the caller's own id.")


class Capture(Answer):
    session_id: str = Field(validation_alias="session_external_id")
    turn_number: int
    resource_ids: list[UUID] = Field(description="The messages it is kept as, by their ids.")
    job_ids: list[UUID] = Field(description="The jobs that were started for it, by their ids.")
    duplicate: bool = Field(description="It was there already: nothing changed.")


class Session(Answer):
    id: UUID = Field(description="The platform's own id of it: what `sessionTrace` takes.")
    session_id: str = Field(validation_alias="external_id")
    agent_id: AgentName
    user_id: str | None
    turns: Annotated[int, BeforeValidator(lambda following: following - 1)] = Field(
        validation_alias="next_turn", description="The number of its last turn; 0: none yet."
    )
    started_at: datetime = Field(description="When it began.")
    last_active_at: datetime = Field(description="When it was last heard of.")
    ended_at: datetime | None = Field(description="When it ended; null: it goes on.")
    parent_session_id: str | None = Field(description="The session this one is a branch of.")
    parent_turn: int | None = Field(description="The last turn they share.")


class ObservedFact(Answer):
    """Something that the text says. Whether it became a memory, the gate decided."""

    text: str
    quote: str
    kind: Kind
    category: str
    priority: Priority
    strength: Strength
    entities: list[str] = Field(description="The names that it speaks of.")
    event_time: datetime | None = Field(description="When what it tells of happens; null: no time is named.")


class SessionFilter(InTime):
    """Which sessions: of an agent, and active between two times."""

    agent_id: Name | None = Field(default=None, description="The agent's own name.")


class SessionsOf(SessionFilter, ForUser):
    """The filter of a list of sessions."""


class SessionsInput(SessionsOf, PageOf):
    """The query string of a list of sessions."""


class TraceInput(Paged):
    """Which turns of a session."""

    user_id: Name | None = Field(default=None, description="Default: as the user sees it whose it is.")


class LearntMemory(Answer):
    """A memory that rests on a message, and what has become of it."""

    item_id: UUID
    text: str
    quote: str
    kind: Kind
    category: str
    status: Status
    verdict: Verdict


class TracedMessage(Answer):
    """A message, what was read out of it, and what became of that."""

    resource_id: UUID
    role: Role
    speaker: str | None
    text: str
    said_at: datetime
    pending: bool = Field(description="Not learnt from yet.")
    narrative: str
    facts: list[ObservedFact]
    learnt: list[LearntMemory] = Field(description="The memories that rest on it.")
    turned_down: list[Rejection] = Field(description="What of it became no memory, and why.")


class GivenHit(Answer):
    """Something a recall was answered with."""

    rank: int
    unit: Unit
    unit_id: UUID = Field(description="The memory's or the message's id, as `unit` says.")
    item_id: UUID | None = Field(description="The memory that answered; null: a message alone did.")
    score: float
    tags: list[str]
    used: bool | None = Field(description="Whether the output used it; null: nobody reported one.")
    text: str = Field(description="A memory's words; empty of a message, and where they are gone.")


class AskedRecall(Answer):
    """A recall that was made in a session."""

    id: UUID
    at: datetime = Field(description="When it was asked.")
    query: str = Field(description="What was asked; empty where nothing was.")
    rewritten: str = Field(description="The query as it was searched for.")
    profile: str
    intent: str
    tier: int
    degraded: list[str] = Field(description="What did not answer as configured, by its codes; empty when whole.")
    milliseconds: float
    is_reported: bool = Field(description="Whether an output was reported: which hits it used is known then.")
    hits: list[GivenHit]


class TracedTurn(Answer):
    """A turn as it went; a message that came by itself has no number."""

    id: UUID
    number: int | None = Field(description="Its number in the session; null: a message that came by itself.")
    at: datetime = Field(description="When it was said.")
    tool_calls: JsonOrNull
    internal_state: JsonOrNull
    recalls: list[AskedRecall] = Field(description="Those made since the turn before.")
    messages: list[TracedMessage] = Field(description="What was said in it, in order.")


class SessionTrace(Answer):
    """A page of a session's turns, the earliest first."""

    session: Session
    turns: list[TracedTurn] = Field(description="The turns of this page, the earliest first.")
    later: list[AskedRecall] = Field(description="Recalls made since the last of its turns.")
    next: str | None


class SessionEnd(Answer):
    """A session that ended. A late turn opens it again."""

    session: Session
    pending: int
    resource_ids: Annotated[list[UUID], BeforeValidator(lambda ids: ids[:MOST_NAMED])] = Field(
        description=f"Which they are, the first {MOST_NAMED} of them."
    )
    job_ids: list[UUID] = Field(description="The jobs they wait in: `jobs` tells when they became memory.")


class StartSection(Answer):
    """A part of what to begin with. Report what the model made of it under `recall_id`."""

    name: str = Field(description="curated, lessons, due or memories.")
    text: str
    tokens: int
    recall_id: UUID | None = Field(description="The recall that output is reported for; null: there is none.")


class SessionStart(Answer):
    """What to begin with, for the prompt: `text` holds the sections one after the other."""

    session: Session
    text: str = Field(description="All sections, one after the other.")
    tokens: int
    sections: list[StartSection] = Field(description="The parts that say something, in order.")
    previous: SessionEnd | None = Field(description="The user's session before this one, which ended now.")
    overdue: list[str]
    degraded: list[str] = Field(
        description="budget_soft, budget_hard: a budget is spent up to there, and less is told. Empty when whole."
    )


class Heartbeat(Answer):
    session_id: str
    pending: int
    overdue: list[str]


class Checkpoint(Answer):
    """A turn as it was reported."""

    id: UUID
    turn_number: int
    user_id: str | None
    user_input: str | None = Field(description="What the user said; null: nothing.")
    tool_calls: JsonOrNull
    llm_output: str | None = Field(description="What was answered; null: nothing.")
    internal_state: JsonOrNull
    occurred_at: datetime = Field(description="When it was said.")


class Recovered(Answer):
    """What an agent needs to go on where it stopped: its last state, and what happened since."""

    session: Session
    state: JsonOrNull = Field(description="The `internal_state` saved last; null: none was.")
    state_turn: int | None = Field(description="The turn it was saved with.")
    turns: list[Checkpoint] = Field(
        description=f"The turns since, in order: what the state does not know yet. The newest {MOST_TURNS_AT_ONCE:,}."
    )


class ObservedSegment(Answer):
    """A part of the text: the message it is kept as, and what it says in short."""

    resource_id: UUID
    text: str
    role: Role
    pending: bool = Field(description="Not learnt from yet: send the text again, or ask endSession.")
    narrative: str
    facts: list[ObservedFact]


class ObservedText(Answer):
    session_id: str
    pending: int = Field(description="Segments that are not learnt from yet.")
    segments: list[ObservedSegment] = Field(description="The parts of the text, in order.")


class IngestStatus(StrEnum):
    ACCEPTED = "accepted"
    """It was stored."""
    DUPLICATE = "duplicate"
    """It was known already."""
    FORGOTTEN = "forgotten"
    """It copies a message of which something was forgotten; nothing is stored."""
    INVALID = "invalid"
    """It is no valid line."""
    CONFLICT = "conflict"
    """It differs from what is stored under its id."""
    REFUSED = "refused"
    """The rate limit was reached: send it again, later."""


class IngestedLine(Answer):
    """What became of a line, counted from 1. REFUSED: the rate limit was reached; send it again later. FORGOTTEN: it is
    a copy of a message of which something was forgotten, `resource_id`; nothing is stored.
    """

    line: int
    status: IngestStatus = Field(description="What became of it.")
    resource_id: UUID | None = Field(description="The message it is kept as, or that it is a copy of; null: none.")
    error: str | None
    field: str | None


class Ingest(Answer):
    """`refused` lines met the rate limit: send them again after `retry_after` seconds."""

    accepted: int
    duplicate: int
    forgotten: int
    invalid: int
    conflict: int
    refused: int
    retry_after: float | None
    results: list[IngestedLine]
