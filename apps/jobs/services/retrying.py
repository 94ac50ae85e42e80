"""Trying again at once: one job that somebody looked at, or all that wait for the same reason."""

from typing import Final
from uuid import UUID

from django.db import IntegrityError, connection, transaction

from apps.core import scope
from apps.core.clock import now
from apps.jobs import hints
from apps.jobs.models import Job, JobState
from apps.journal.services import record
from memory_platform.errors import Conflict, NotFound
from memory_platform.model import JournalLine

_RESET: Final = ("state", "attempts", "error", "outcome", "run_after", "finished_at", "locked_until")


def retry(job_id: UUID) -> UUID:
    """Have a job of the scope's tenant that failed, or waits, run now with all its attempts; returns it.

    One that failed begins anew: what its parts did is done, and would not be tried again. Where another job took over
    its arguments it is that one. Raises NotFound, and Conflict for one that runs or is done, and where the same is
    queued already.
    """
    job = _held(job_id)
    if job.state not in {JobState.FAILED, JobState.QUEUED}:
        raise Conflict(f"The job is {job.state}.", field="id")
    if job.state == JobState.FAILED:
        job.outcome = {}
    code, job.state, job.attempts, job.error = job.error, JobState.QUEUED, 0, ""
    job.run_after, job.finished_at, job.locked_until = now(), None, None
    try:
        with transaction.atomic():
            job.save(update_fields=_RESET)
    except IntegrityError:
        raise Conflict("The same is queued already.", field="id") from None
    record(JournalLine("job.retried", "job", job.id, {"name": job.name, "error": code}))
    hints.poke_on_commit()
    return job.id


def retry_now(error: type[Exception]) -> int:
    """Have the scope's tenant's jobs that wait because of `error` tried again at once; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE jobs_job SET run_after = now() WHERE tenant_id = %s AND state = 'queued' AND error = %s",
            [scope.current().tenant_id, waiting_for(error.__name__)],
        )
        waiting = int(cursor.rowcount)
    if waiting:
        hints.poke_on_commit()
    return waiting


def waiting_for(code: str) -> str:
    """What the error of a job says that is tried again."""
    return f"retry:{code}"


def _held(job_id: UUID) -> Job:
    rows = Job.objects.select_for_update().filter(tenant_id=scope.current().tenant_id)
    job = rows.filter(id=job_id).first()
    leader = rows.filter(id=job.merged_into).first() if job and job.merged_into else job
    if leader is None:
        raise NotFound("There is no such job.", field="id")
    return leader
