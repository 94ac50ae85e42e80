"""The two Celery messages: one hints that a job waits, the other comes round every few seconds."""

from typing import Any

import structlog
from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.db import InterfaceError, OperationalError

from apps.jobs import services
from apps.jobs.leases import worker_name
from memory_platform.adapters.allocator import return_freed_memory

log = structlog.get_logger(__name__)


class _Pool:
    """How many threads this worker has; all but one may work for one tenant. `has_schedules`: every tenant that was
    there before this version has the schedules it brought.
    """

    threads = 1
    has_schedules = False


@shared_task(name="jobs.drain", acks_late=False)
def drain() -> int:
    """Run whatever is due. When the database is away, the next sweep tries again."""
    try:
        return services.drain(worker_name(), most_per_tenant=max(1, _Pool.threads - 1))
    except (OperationalError, InterfaceError) as error:
        log.warning("jobs.database_away", error_class=type(error).__name__)
        return 0


@shared_task(name="jobs.sweep", acks_late=False)
def sweep() -> bool:
    """Take back what was lost, prune, hint at what is due; then, so that no schedule is in their way, start what is
    scheduled.
    """
    try:
        due = services.sweep().due
        _complete_schedules()
        services.run_all_overdue()
    except (OperationalError, InterfaceError) as error:
        log.warning("jobs.database_away", error_class=type(error).__name__)
        return False
    return_freed_memory()
    return due


def _complete_schedules() -> None:
    if not _Pool.has_schedules:
        services.create_missing_schedules()
        _Pool.has_schedules = True


@worker_ready.connect
def begin(sender: Any = None, **_signal: object) -> None:
    """A worker that starts after a crash takes up its predecessor's jobs at once, not when their leases end."""
    if sender is not None:
        _Pool.threads = sender.controller.concurrency
    sweep()


@worker_shutting_down.connect
def stop(**_signal: object) -> None:
    services.stopping.set()
