"""The two Celery messages: one hints that a job waits, the other comes round every few seconds."""

import structlog
from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.db import InterfaceError, OperationalError

from apps.jobs import services
from apps.jobs.leases import worker_name

log = structlog.get_logger(__name__)


@shared_task(name="jobs.drain", acks_late=False)
def drain() -> int:
    """Run whatever is due. When the database is away, the next sweep tries again."""
    try:
        return services.drain(worker_name())
    except (OperationalError, InterfaceError) as error:
        log.warning("jobs.database_away", error_class=type(error).__name__)
        return 0


@shared_task(name="jobs.sweep", acks_late=False)
def sweep() -> bool:
    """Take back what was lost, prune, and hint at what is due."""
    try:
        return services.sweep().due
    except (OperationalError, InterfaceError) as error:
        log.warning("jobs.database_away", error_class=type(error).__name__)
        return False


@worker_ready.connect
def begin(**_signal: object) -> None:
    """A worker that starts after a crash takes up its predecessor's jobs at once, not when their leases end."""
    sweep()


@worker_shutting_down.connect
def stop(**_signal: object) -> None:
    services.stopping.set()
