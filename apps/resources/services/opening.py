"""Opening a session: whatever is said in it, told of it or asked of it goes through here."""

from dataclasses import dataclass
from datetime import datetime

from apps.core import scope
from apps.core.clock import now as clock_now
from apps.journal import services as journal
from apps.resources import selectors
from apps.resources.models import Session
from apps.resources.services import cleaning
from apps.resources.services.ending import end_predecessor
from apps.resources.services.writing import SessionName, SessionPlace, Writer, lock_sessions
from memory_platform.model import JournalLine


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that its writer holds locked; `predecessor` is the one before, where this one ended it."""

    writer: Writer
    name: SessionName
    place: SessionPlace
    predecessor: Session | None

    @property
    def session(self) -> Session:
        """Read anew, within the scope it was opened in."""
        return selectors.with_parents().get(id=self.place.session_id)


def open_session(
    session_id: str,
    *,
    user_id: str | None,
    since: datetime | None = None,
    writer: Writer | None = None,
    coming_back: bool = False,
) -> Opened:
    """Find or make an agent's session with a user, under the caller's own id, and lock it until the transaction ends.

    When that makes it, or opens it again and the user is `coming_back` to it, the session the user was in before ends.
    `since`: when a new one began, now when absent; who writes defaults to the scope's agent. Raises Invalid.
    """
    writer = writer or Writer.of(scope.current(), None)
    name = cleaning.session_name(session_id, user_id)
    began = cleaning.clean_time(since, field="occurredAt", now=clock_now())
    place = lock_sessions(writer, {name: began})[name]
    ends = place.is_new or (coming_back and place.opens)
    return Opened(writer, name, place, end_predecessor(place.session_id, began_by=began) if ends else None)


def start(session_id: str, *, user_id: str | None) -> Opened:
    """Begin the session, or come back to it: starting one that is open changes nothing but when it was last heard of.

    Raises Invalid.
    """
    opened = open_session(session_id, user_id=user_id, coming_back=True)
    if opened.place.opens:
        line = JournalLine("session.started", "session", opened.place.session_id)
        journal.record(line, agent_id=opened.writer.agent_id)
    return opened


def touch(session: Session) -> None:
    """Note that the session was heard of just now; one that had ended goes on."""
    writer = Writer.of(scope.current(), session.agent_id)
    lock_sessions(writer, {(session.user_id, session.external_id): session.started_at})
