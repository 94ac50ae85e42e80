"""Triggers: times ahead that messages named or callers set."""

from datetime import date, datetime, time
from uuid import UUID

from pydantic import AwareDatetime, Field

from apps.api.contract import AgentName, Answer, ForUser, Input, Name, PageOf, Text, queried
from apps.triggers import requests
from apps.triggers.models import Ending, TriggerStatus
from apps.triggers.requests import MOST_PRELOADED, NewTrigger
from memory_platform.errors import Invalid
from memory_platform.lifecycle.triggers import Precision
from memory_platform.model import Visibility


class TriggerFilter(ForUser):
    """`due_from` inclusive, `due_until` exclusive."""

    statuses: tuple[TriggerStatus, ...] | None = Field(
        default=None,
        max_length=len(TriggerStatus),
        description="Default: what is still open: waiting, due or snoozed.",
    )
    due_from: AwareDatetime | None = Field(default=None, description="Due then or later.")
    due_until: AwareDatetime | None = Field(default=None, description="Due before then.")

    def as_filter(self) -> requests.TriggerFilter:
        return requests.TriggerFilter(self.statuses, self.due_from, self.due_until)


class TriggersInput(TriggerFilter, PageOf):
    """The query string of a list of triggers."""

    model_config = queried(statuses="status")


class TriggerInput(Input):
    """A time to come back to something: a moment or a whole day, exactly one of the two."""

    text: Text = Field(min_length=1, description="What to be reminded of.")
    at: AwareDatetime | None = Field(default=None, description="The moment; of what comes back the first one.")
    day: date | None = Field(default=None, description="A whole day of the time zone.")
    time_zone: Name | None = Field(default=None, description="Such as Europe/Berlin; default: the tenant's.")
    recurrence: Name | None = Field(
        default=None,
        description="RFC 5545, local to the time zone: FREQ=DAILY, WEEKLY, MONTHLY or YEARLY with INTERVAL, BYDAY, "
        "BYMONTHDAY, BYMONTH, UNTIL or COUNT.",
    )
    memory_ids: tuple[UUID, ...] = Field(
        default=(), max_length=MOST_PRELOADED, description="What to show when it is due."
    )
    user_id: Name | None = Field(default=None, description="Of whom it is; absent: of no user.")
    visibility: Visibility = Visibility.PRIVATE

    def as_new(self) -> NewTrigger:
        """Raises Invalid unless exactly one of `at` and `day` is given."""
        if (self.at is None) == (self.day is None):
            raise Invalid("Say when: at or day, exactly one of them.", field="at")
        when = self.at or datetime.combine(self.day or date.min, time())
        return NewTrigger(
            text=self.text,
            at=when,
            has_time=self.at is not None,
            time_zone=self.time_zone,
            recurrence=self.recurrence or "",
            memory_ids=self.memory_ids,
            user_id=self.user_id,
            visibility=self.visibility,
        )


class SnoozeInput(Input):
    until: AwareDatetime = Field(description="When it is to fall due instead.")


class TriggerByIdInput(Input):
    trigger_id: UUID = Field(alias="id")


class Trigger(Answer):
    """Of a whole day `at` is the midnight it begins with in `time_zone`."""

    id: UUID
    text: str = Field(description="The clause that named the time, or what the caller wants to be reminded of.")
    at: datetime = Field(description="When it falls due next.")
    day: date = Field(description="The same in its time zone.")
    precision: Precision = Field(description="Whether it is a moment or a whole day.")
    time_zone: str = Field(description="By which clock it is meant, such as Europe/Berlin.")
    recurrence: str = Field(description="RFC 5545 without DTSTART; empty for what comes once.")
    status: TriggerStatus
    ending: Ending | None = Field(description="Why it ended by itself.")
    is_due: bool = Field(description="Its time has come, whether a job has marked it yet or not.")
    due_at: datetime | None = Field(description="Since when it is marked as due; null: it is not.")
    snoozed_until: datetime | None = Field(description="Until when it was put off; null: it was not.")
    memory_ids: list[UUID] = Field(description="Memories to show when it is due.")
    resource_id: UUID | None = Field(description="The message that named it; null for one that a caller set.")
    replaced_by_id: UUID | None = Field(description="The trigger it was moved to.")
    agent_id: AgentName
    user_id: str | None
    visibility: Visibility
    created_at: datetime
