"""The end of a session: what was said in it and not learnt from yet is observed at once."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from apps.jobs import services as jobs
from apps.jobs.services import NewJob
from apps.memory import selectors
from apps.memory.results import Ended
from apps.resources import services as resources
from apps.resources.models import Session


def end_session(session_id: UUID) -> Ended:
    """End a session and flush it; a second time it flushes what is still pending. Needs an open scope.

    Raises NotFound.
    """
    return flush(resources.end(session_id))


def end_silent_session(session_id: UUID) -> Ended | None:
    """End and flush a session that has fallen silent; None: it has not, or had ended before. Needs an open scope."""
    ended = resources.end_silent(session_id)
    return None if ended is None else flush(ended)


def flush(session: Session) -> Ended:
    """Have observed at once what was not observed yet, whatever became of the jobs that should have. In a scope."""
    pending = selectors.unobserved(session.id)
    flushing = [_once(job) for job in resources.observing_jobs(session.id, pending)]
    return Ended(session, tuple(pending), tuple(jobs.enqueue_many(flushing)) if flushing else ())


def _once(job: NewJob) -> NewJob:
    """The same messages wait in one job only, however often their session is ended."""
    named: Sequence[str] = job.arguments["resources"]
    return replace(job, dedup_key=f"flush:{hashlib.sha256(''.join(named).encode()).hexdigest()}")
