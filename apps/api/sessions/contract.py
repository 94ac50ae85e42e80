"""Sessions: what happened, a turn at a time or in bulk, and what was reported of it."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BeforeValidator, Field

from apps.api.contract import AgentName, Answer, Input, JsonOrNull, Message, Name, UserId
from apps.resources.services import LONGEST_RESULT, MOST_RESULTS, NewTurn
from memory_platform.model import Role, Visibility


class TurnInput(Input):
    session_id: Name = Field(description="The caller's own id; the session is created when new.")
    turn_number: int | None = Field(
        default=None,
        description="Next when absent. Repeating one with the same content is a no-op, with other content CONFLICT.",
    )
    user_id: Name | None = None
    user_input: Message | None = None
    tool_calls: JsonOrNull = Field(
        default=None,
        description=(
            "Objects with `name` and, where the tool answered, `result` (a text or JSON), which becomes a resource of "
            f"its own: at most {MOST_RESULTS} results a turn, of {LONGEST_RESULT} characters each."
        ),
    )
    llm_output: Message | None = None
    internal_state: JsonOrNull = None
    occurred_at: AwareDatetime | None = None
    visibility: Visibility = Visibility.PRIVATE

    def as_turn(self) -> NewTurn:
        return NewTurn(**self.model_dump())


class IngestLine(Input):
    """One message. `external_id` and `session_id` are the caller's own."""

    external_id: str
    session_id: str
    content: str
    speaker: str | None = None
    content_at: datetime | None = None
    role: Role | None = None
    user_id: str | None = None
    visibility: Visibility = Visibility.PRIVATE
    turn_number: int | None = None


class TurnOf(Input):
    """Which turn of a session, and for whom it is read; the latest when turn is absent."""

    turn: int | None = None
    user_id: UserId = None


class Capture(Answer):
    session_id: str = Field(validation_alias="session_external_id")
    turn_number: int
    resource_ids: list[UUID]
    job_ids: list[UUID]
    duplicate: bool


class Session(Answer):
    id: UUID
    session_id: str = Field(validation_alias="external_id", description="The caller's own id.")
    agent_id: AgentName
    user_id: str | None
    turns: Annotated[int, BeforeValidator(lambda following: following - 1)] = Field(validation_alias="next_turn")
    started_at: datetime
    last_active_at: datetime
    ended_at: datetime | None


class Checkpoint(Answer):
    """A turn as it was reported."""

    id: UUID
    turn_number: int
    user_id: str | None
    user_input: str | None
    tool_calls: JsonOrNull
    llm_output: str | None
    internal_state: JsonOrNull
    occurred_at: datetime


class IngestedLine(Answer):
    """What became of a line, counted from 1. `refused`: the rate limit was reached; send it again later."""

    line: int
    status: str
    resource_id: UUID | None
    error: str | None
    field: str | None


class Ingest(Answer):
    """`refused` lines met the rate limit: send them again after `retry_after` seconds."""

    accepted: int
    duplicate: int
    invalid: int
    conflict: int
    refused: int
    retry_after: float | None
    results: list[IngestedLine]
