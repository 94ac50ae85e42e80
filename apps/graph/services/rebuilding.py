"""The graph's rows follow from items and episodes: all of them can be read again."""

from collections.abc import Sequence
from uuid import UUID

from apps.core import scope
from apps.jobs.services import NewJob, enqueue_many
from apps.journal.services import record
from apps.memory import selectors as memory
from apps.memory import topics
from apps.resources import selectors as resources
from memory_platform.model import JournalLine


def rebuild() -> int:
    """Enqueue the projection of everything the tenant has; returns how many jobs.

    What was captured before there was a graph gets into it, and what a projection missed. Repeating it changes
    nothing; what people merged or split stays so.
    """
    tenant_id = scope.current().tenant_id
    jobs = [
        *_jobs("graph.project_episodes", "resources", resources.every_id(), topics.EPISODES_CHANGED),
        *_jobs("graph.project_items", "items", memory.every_id(), topics.ITEMS_CHANGED),
    ]
    if jobs:
        enqueue_many(jobs)
    record(JournalLine("graph.rebuilding", "tenant", tenant_id, {"jobs": len(jobs)}))
    return len(jobs)


def _jobs(name: str, argument: str, unit_ids: Sequence[UUID], serial_key: str) -> list[NewJob]:
    ids = list(map(str, unit_ids))
    return [
        NewJob(name, {argument: ids[start : start + topics.UNITS_PER_JOB]}, serial_key)
        for start in range(0, len(ids), topics.UNITS_PER_JOB)
    ]
