"""Events: what happened, by ids and codes; who may read the memory asks for its text."""

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from pydantic import BeforeValidator, Field

from apps.api.admission import Admission
from apps.api.contract import Absent, AgentName, Answer, Input, Name
from memory_platform.model import EventKind

LONGEST_WAIT: Final = 25.0
MOST_AT_ONCE: Final = 100


class EventsInput(Input):
    after: Annotated[str | None, Admission.NOT_KEPT] = Field(
        default=None,
        pattern=r"^[0-9]{1,19}$",
        description="The id behind which to begin; 0: the oldest that is kept; absent: only what happens from now on.",
    )
    first: int = Field(default=MOST_AT_ONCE, ge=1, le=MOST_AT_ONCE, description="How many events at most.")


class WaitingInput(EventsInput):
    wait: float = Field(
        default=0.0, ge=0.0, le=LONGEST_WAIT, description="Seconds to wait for an event when there is none."
    )
    user_id: Name | None = Field(
        default=None, description="Only what is this user's or no user's; absent: every user's."
    )


class MemoryEvent(Answer):
    """Something that happened. Ids ascend; gaps are what others were told."""

    id: Annotated[str, BeforeValidator(str)] = Field(
        validation_alias="position", description="Where it stands among the tenant's events: what to pass as `after`."
    )
    kind: EventKind
    at: datetime
    subject: str = Field(description="memory, trigger, budget or proposal: what subject_id is the id of.")
    subject_id: UUID = Field(description="The id of what it happened to.")
    related_id: UUID | None = Field(description="The memory that superseded it.")
    agent_id: AgentName
    user_id: str | None
    code: Absent = Field(description="Of a budget: soft or hard, the amount that is reached.")


class MemoryEvents(Answer):
    items: list[MemoryEvent] = Field(description="What happened, in order.")
    next: str = Field(description="What to pass as `after`; never null, for there may be more at any time.")
    missed: bool = Field(
        description="Whether events behind `after` are no longer kept: read again what you hold of memories."
    )
