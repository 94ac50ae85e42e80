"""Ending a session: marked, journalled, and reopened by the next turn."""

from apps.core import scope
from apps.core.clock import now
from apps.journal import services as journal
from apps.resources.models import Session
from memory_platform.errors import NotFound
from memory_platform.model import JournalLine


def end(session_id: str) -> Session:
    """Mark the agent's session, named by the caller's own id, as ended; ending it twice changes nothing.

    Raises NotFound.
    """
    opened = scope.current()
    rows = Session.objects.select_for_update().filter(tenant_id=opened.tenant_id, external_id=session_id)
    session = (rows.filter(agent_id=opened.agent_id) if opened.agent_id else rows).order_by("-last_active_at").first()
    if session is None:
        raise NotFound("There is no such session.", field="sessionId")
    if session.ended_at is None:
        session.ended_at = now()
        session.save(update_fields=["ended_at"])
        line = JournalLine("session.ended", "session", session.id, {"turns": session.next_turn - 1})
        journal.record(line, agent_id=session.agent_id)
    return session
