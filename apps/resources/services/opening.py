"""Beginning a session, or coming back to one."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.core import scope
from apps.core.clock import now as clock_now
from apps.journal import services as journal
from apps.resources import selectors
from apps.resources.models import Session
from apps.resources.services import cleaning
from apps.resources.services.ending import end_predecessor
from apps.resources.services.writing import Writer, lock_sessions
from memory_platform.model import JournalLine


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that is open now; `predecessor` is the one before, where this one ended it."""

    session: Session
    predecessor: Session | None


def start(session_id: str, *, user_id: str | None) -> Opened:
    """Find or create the session of the scope's agent with a user, under the caller's own id.

    When that opens it, the session the user was in before ends. Starting one that is open changes nothing but when it
    was last heard of. Raises Invalid.
    """
    writer = Writer.of(scope.current(), None)
    user_id = cleaning.clean_id(user_id, field="userId", required=False)
    name = user_id, cleaning.clean_id(session_id, field="sessionId") or ""
    place = lock_sessions(writer, {name: clock_now()})[name]
    if not place.opens:
        return Opened(_session(place.session_id), None)
    journal.record(JournalLine("session.started", "session", place.session_id), agent_id=writer.agent_id)
    return Opened(_session(place.session_id), end_predecessor(place.session_id, began_by=clock_now()))


def begin(session_id: str, *, user_id: str | None, since: datetime | None) -> Session | None:
    """Make the session of the scope's agent with a user, unless there is one, for what is said in it next.

    When that makes it, the session the user was in before ends: that one is returned. `since`: when it began, now when
    absent. Raises Invalid.
    """
    began = cleaning.clean_time(since, field="content_at", now=clock_now())
    user_id = cleaning.clean_id(user_id, field="user_id", required=False)
    name = user_id, cleaning.clean_id(session_id, field="session_id") or ""
    place = lock_sessions(Writer.of(scope.current(), None), {name: began})[name]
    return end_predecessor(place.session_id, began_by=began) if place.is_new else None


def open_or_create(session_id: str, *, user_id: str | None) -> UUID:
    """The scope's agent's session with a user, under the caller's own id; it is heard of, and made when new."""
    name = user_id, cleaning.clean_id(session_id, field="sessionId") or ""
    return lock_sessions(Writer.of(scope.current(), None), {name: clock_now()})[name].session_id


def touch(session: Session) -> None:
    """Note that the session was heard of just now; one that had ended goes on."""
    writer = Writer.of(scope.current(), session.agent_id)
    lock_sessions(writer, {(session.user_id, session.external_id): session.started_at})


def _session(session_id: UUID) -> Session:
    return selectors.with_parents().get(id=session_id)
