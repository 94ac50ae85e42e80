"""Enqueueing in the caller's transaction; draining and sweeping in workers; starting what is scheduled."""

from apps.jobs.services.enqueueing import NewJob, enqueue, enqueue_many, publish
from apps.jobs.services.retrying import retry, retry_now
from apps.jobs.services.running import RETRYABLE, backoff_seconds, drain, stopping
from apps.jobs.services.scheduling import (
    change_schedules,
    create_missing_schedules,
    create_schedules,
    run_all_overdue,
    run_overdue,
    start,
)
from apps.jobs.services.sweeping import Swept, sweep

__all__ = [
    "RETRYABLE",
    "NewJob",
    "Swept",
    "backoff_seconds",
    "change_schedules",
    "create_missing_schedules",
    "create_schedules",
    "drain",
    "enqueue",
    "enqueue_many",
    "publish",
    "retry",
    "retry_now",
    "run_all_overdue",
    "run_overdue",
    "start",
    "stopping",
    "sweep",
]
