"""The graph's rows follow from items and episodes: all of them can be read again."""

from django.db import connection

from apps.core import scope
from apps.jobs.services import NewJob, enqueue_many
from apps.journal.services import record
from apps.memory import topics
from memory_platform.model import JournalLine


def rebuild() -> int:
    """Enqueue the projection of everything the tenant has; returns how many jobs.

    What was captured before there was a graph gets into it, and what a projection missed. Repeating it changes
    nothing; what people merged or split stays so.
    """
    tenant_id = scope.current().tenant_id
    jobs = [
        *_jobs("graph.project_episodes", "resources", "resources_resource", topics.EPISODES_CHANGED),
        *_jobs("graph.project_items", "items", "memory_item", topics.ITEMS_CHANGED),
    ]
    if jobs:
        enqueue_many(jobs)
    record(JournalLine("graph.rebuilding", "tenant", tenant_id, {"jobs": len(jobs)}))
    return len(jobs)


def _jobs(name: str, argument: str, table: str, serial_key: str) -> list[NewJob]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM {table} WHERE tenant_id = %s ORDER BY id", [scope.current().tenant_id])  # noqa: S608
        ids = [str(row[0]) for row in cursor.fetchall()]
    return [
        NewJob(name, {argument: ids[start : start + topics.UNITS_PER_JOB]}, serial_key)
        for start in range(0, len(ids), topics.UNITS_PER_JOB)
    ]
