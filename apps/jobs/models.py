"""Job is an outbox row: it commits with the change that asks for it, and survives a lost broker. Schedule says when."""

from django.db import models
from django.db.models.functions import Now
from typing_extensions import override

from apps.core.clock import now
from apps.core.ids import new_id


class JobState(models.TextChoices):
    QUEUED = "queued"
    """It waits for a worker, or for its next attempt."""
    RUNNING = "running"
    """A worker has it."""
    DONE = "done"
    """It is finished."""
    FAILED = "failed"
    """It was given up."""


class Job(models.Model):
    """One piece of work. Arguments are ids only; what it achieved is `outcome`: counts and codes, never content."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    name = models.CharField(max_length=64)
    arguments = models.JSONField(default=dict)
    serial_key = models.CharField(
        max_length=128, blank=True, default="", help_text="At most one job of a tenant runs per key at a time."
    )
    dedup_key = models.CharField(
        max_length=128, null=True, help_text="While a job with this key is queued, enqueueing another is a no-op."
    )
    state = models.CharField(max_length=8, choices=JobState.choices, default=JobState.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField(default=8)
    run_after = models.DateTimeField(default=now)
    locked_by = models.CharField(
        max_length=128, blank=True, default="", help_text="host:pid:start of the process that runs it, or ran it last."
    )
    locked_until = models.DateTimeField(null=True)
    merged_into = models.UUIDField(
        null=True, help_text="The job that took over this one's arguments; its state counts for both."
    )
    error = models.CharField(max_length=200, blank=True, default="", help_text="Reason code and class; never content.")
    outcome = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(default=now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    NOT_CONTENT = frozenset(
        {
            "arguments",
            "dedup_key",
            "error",
            "locked_by",
            "name",
            "outcome",
            "request_id",
            "serial_key",
            "state",
        }
    )

    class Meta:
        db_table = "jobs_job"
        indexes = [
            models.Index("run_after", name="jobs_job_due", condition=models.Q(state="queued")),
            models.Index(
                "tenant_id", "run_after", "id", name="jobs_job_tenant_due", condition=models.Q(state="queued")
            ),
            models.Index("locked_until", name="jobs_job_running", condition=models.Q(state="running")),
            models.Index(
                "state", "finished_at", name="jobs_job_finished", condition=models.Q(finished_at__isnull=False)
            ),
            models.Index("tenant_id", "created_at", name="jobs_job_tenant_created"),
        ]
        constraints = [
            models.UniqueConstraint(
                "tenant_id",
                "dedup_key",
                name="jobs_job_dedup",
                condition=models.Q(state="queued", dedup_key__isnull=False),
            ),
            models.UniqueConstraint(
                "tenant_id",
                "serial_key",
                name="jobs_job_serial",
                condition=models.Q(state="running") & ~models.Q(serial_key=""),
            ),
        ]


class Schedule(models.Model):
    """When a job of a tenant runs by itself, and what became of its last run: counts and codes, never content.

    `time_zone` is the tenant's. Each tenant's runs come some minutes after what `cron` says, always the same number.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    name = models.CharField(max_length=64)
    cron = models.CharField(max_length=100, help_text="Minute, hour, day of the month, month, day of the week.")
    time_zone = models.CharField(max_length=64, default="UTC")
    enabled = models.BooleanField(default=True)
    next_run_at = models.DateTimeField()
    planned_at = models.DateTimeField(
        db_default=Now(), help_text="When `next_run_at` was reckoned, by the clock it was reckoned from."
    )
    last_run_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True, help_text="When the last run was over; null while it runs.")
    job_id = models.UUIDField(null=True, help_text="The job of the last run.")
    counts = models.JSONField(default=dict, help_text="What the last run that was over achieved.")
    error = models.CharField(max_length=200, blank=True, default="", help_text="Reason code and class; never content.")

    NOT_CONTENT = frozenset({"counts", "cron", "error", "name", "time_zone"})

    class Meta:
        db_table = "jobs_schedule"
        indexes = [
            models.Index("next_run_at", name="jobs_schedule_due", condition=models.Q(enabled=True)),
            models.Index("job_id", name="jobs_schedule_job", condition=models.Q(job_id__isnull=False)),
        ]
        constraints = [models.UniqueConstraint("tenant_id", "name", name="jobs_schedule_once")]

    @override
    def __str__(self) -> str:
        return self.name
