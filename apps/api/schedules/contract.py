"""Schedules: what the tenant's memory does for itself and when, and having it done now."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, model_validator

from apps.api.contract import Absent, Answer, Counts, Input, Name

Cron = Annotated[
    str, Field(min_length=1, max_length=100, description="Minute, hour, day of the month, month, day of the week.")
]


class MaintenanceInput(Input):
    job: Name = Field(description="nightly, weekly or monthly.")
    dry_run: bool = Field(default=False, description="Only count what would change.")


class StartedMaintenance(Answer):
    """The job that does it: `jobs` tells its state, and in its outcome the counts of the steps that are done."""

    job_id: UUID
    steps: list[str] = Field(description="What it does, in this order.")


class ScheduleInput(Input):
    """What is to be different; what is left out stays as it is."""

    cron: Cron | None = Field(
        default=None,
        description="Minute, hour, day of the month, month and day of the week, in the tenant's time zone.",
    )
    enabled: bool | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.changes:
            raise ValueError("name cron, enabled or both")
        return self

    @property
    def changes(self) -> dict[str, object]:
        return self.model_dump(exclude_none=True)


class Schedule(Answer):
    """When a job runs by itself, and what became of its last run."""

    name: str
    cron: str = Field(description="Minute, hour, day of the month, month, day of the week.")
    time_zone: str = Field(description="The tenant's, in which that is meant.")
    enabled: bool = Field(description="Whether it runs by itself.")
    next_run_at: datetime = Field(
        description="Up to an hour after what cron says: the tenants' runs are spread over it."
    )
    last_run_at: datetime | None = Field(description="When its last run began; null: it never ran.")
    finished_at: datetime | None = Field(description="When the last run was over; null while it runs.")
    job_id: UUID | None = Field(description="The job of the last run.")
    counts: Counts = Field(description="What the last run that was over achieved.")
    error: Absent = Field(description="Reason code; never content.")


class HealthReport(Answer):
    """How the memory is, as numbers and for people."""

    at: datetime = Field(description="When it was counted.")
    days: int = Field(description="How many days back `recent` counts look: the policy's `report_days`.")
    counts: Counts = Field(description="By status, by category, of the last `days` (`recent`), and now.")
    markdown: str = Field(description="The same for people, in Markdown.")
