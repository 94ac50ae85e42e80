"""Sweeping: what dead workers held is taken back, and what ended long ago removed."""

from dataclasses import dataclass
from typing import Final

import structlog
from django.db import connection

from apps.jobs import hints
from apps.jobs.leases import LEASE, is_dead, leases, worker_name

PRUNED_AT_ONCE: Final = 5_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found: leases taken back, finished rows removed, whether any job is due."""

    reclaimed: int
    pruned: int
    due: bool


def sweep() -> Swept:
    """Take back what dead workers held, remove old finished jobs, and hint if anything is due."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM running_workers()")
        dead = [name for (name,) in cursor.fetchall() if is_dead(name)]
        cursor.execute("SELECT reclaim_jobs(%s, %s, %s, %s)", [dead, worker_name(), leases.active(), LEASE])
        (reclaimed,) = cursor.fetchone()
        cursor.execute("SELECT prune_jobs(%s)", [PRUNED_AT_ONCE])
        (pruned,) = cursor.fetchone()
        cursor.execute("SELECT any_job_due()")
        (due,) = cursor.fetchone()
    if reclaimed:
        log.warning("jobs.reclaimed", jobs=reclaimed, dead_workers=len(dead))
    if due:
        hints.poke()
    return Swept(reclaimed=reclaimed, pruned=pruned, due=due)
