"""Ending a session: marked, journalled, and reopened by the next turn. One that falls silent is ended by a job."""

from collections.abc import Collection
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from django.db.models import QuerySet

from apps.core import scope
from apps.core.clock import now
from apps.jobs import services as jobs
from apps.jobs.services import NewJob
from apps.journal import services as journal
from apps.resources import selectors
from apps.resources.models import Session
from apps.tenants import selectors as tenants
from memory_platform.errors import NotFound
from memory_platform.model import JournalLine

END_SILENT_JOB = "memory.end_silent_session"


class SessionEnding(StrEnum):
    """Why a session ended: its caller said so, the user began another, or nothing was heard of it."""

    ASKED = "asked"
    FOLLOWED = "followed"
    SILENT = "silent"


def end(session_id: UUID) -> Session:
    """Mark a session as ended; ending it twice changes nothing. Raises NotFound."""
    session = _locked().filter(id=session_id).first()
    if session is None:
        raise NotFound("There is no such session.", field="sessionId")
    if session.ended_at is None:
        _end(session, SessionEnding.ASKED)
    return session


def end_predecessor(session_id: UUID, *, began_by: datetime) -> Session | None:
    """End the session that the same user last spoke in before this one, unless somebody is using it right now.

    One that began later than `began_by` is none before it: what is told of the past ends nothing of today. None where
    the session is nobody's, too: strangers' conversations may go on side by side.
    """
    own = selectors.with_parents().get(id=session_id)
    if own.user_id is None:
        return None
    # One that is locked has just been heard of; waiting for it could wait for one that waits for this one.
    rows = _locked(skips=True)
    open_ones = rows.filter(agent_id=own.agent_id, user_id=own.user_id, ended_at__isnull=True, started_at__lte=began_by)
    before = open_ones.exclude(id=own.id).order_by("-last_active_at").first()
    if before is not None:
        _end(before, SessionEnding.FOLLOWED)
    return before


def end_silent(session_id: UUID) -> Session | None:
    """End a session of which nothing was heard for as long as the policy says; if it was, look again later.

    None: it goes on, had ended before, or is gone.
    """
    session = _locked().filter(id=session_id, ended_at__isnull=True).first()
    if session is None:
        return None
    due = session.last_active_at + _patience()
    if due > now():
        jobs.enqueue_many([_watch(session_id, due, dedup_key=f"{END_SILENT_JOB}:{session_id}")])
        return None
    return _end(session, SessionEnding.SILENT)


def watch(session_ids: Collection[UUID], *, since: datetime) -> None:
    """Have sessions that were just opened ended when they fall silent; one statement, whatever their number.

    Later turns cost nothing: the job looks when the last one was, and comes back.
    """
    if session_ids:
        jobs.enqueue_many([_watch(session_id, since + _patience()) for session_id in session_ids])


def _watch(session_id: UUID, due: datetime, *, dedup_key: str | None = None) -> NewJob:
    return NewJob(END_SILENT_JOB, {"session": str(session_id)}, dedup_key=dedup_key, run_after=due)


def _end(session: Session, why: SessionEnding) -> Session:
    session.ended_at = now()
    session.save(update_fields=["ended_at"])
    line = JournalLine("session.ended", "session", session.id, {"turns": session.next_turn - 1, "reason": why.value})
    journal.record(line, agent_id=session.agent_id)
    return session


def _locked(*, skips: bool = False) -> QuerySet[Session]:
    return selectors.with_parents().select_for_update(of=("self",), skip_locked=skips)


def _patience() -> timedelta:
    return timedelta(minutes=tenants.policy(scope.current().tenant_id).session_timeout_minutes)
