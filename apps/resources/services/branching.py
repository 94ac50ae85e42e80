"""Branching: a session that begins as another was after one of its turns. Nothing is copied."""

from typing import Final

from django.db.models import Max

from apps.core.clock import now
from apps.journal import services as journal
from apps.resources import selectors
from apps.resources.models import Session
from apps.resources.services import cleaning, ending
from memory_platform.errors import Conflict, NotFound
from memory_platform.model import JournalLine

MOST_ANCESTORS: Final = 50
"""Each is a statement and a condition more wherever the session's turns are read."""


def branch(session: Session, *, turn: int | None, new_session_id: str) -> Session:
    """Begin a session of the same agent and user after `turn` of this one (None: the latest), under a new id.

    Repeating it changes nothing. Raises NotFound for a turn there is none of, Conflict when the id is another's or the
    new session would have more than MOST_ANCESTORS.
    """
    name = cleaning.clean_id(new_session_id, field="newSessionId") or ""
    _require_few_ancestors(session)
    last = selectors.turns(session, until=turn).order_by("-turn_number").first()
    if last is None or turn not in {None, last.turn_number}:
        raise NotFound("The session has no such turn.", field="turn")
    made = Session(
        tenant_id=session.tenant_id,
        agent_id=session.agent_id,
        user_id=session.user_id,
        external_id=name,
        parent=session,
        parent_turn=last.turn_number,
        next_turn=last.turn_number + 1,
        next_ordinal=_ordinals(session, last.turn_number),
    )
    Session.objects.bulk_create([made], ignore_conflicts=True)
    rows = selectors.with_parents().filter(agent_id=session.agent_id, user_id=session.user_id)
    held = rows.get(external_id=name)
    if held.id == made.id:
        data = {"parent": str(session.id), "turn": last.turn_number}
        journal.record(JournalLine("session.branched", "session", held.id, data), agent_id=held.agent_id)
        ending.watch([held.id], since=now())
    elif (held.parent_id, held.parent_turn) != (session.id, last.turn_number):
        raise Conflict(
            "There is a session of this id that began otherwise.", hint="Choose another id.", field="newSessionId"
        )
    return held


def _require_few_ancestors(parent: Session) -> None:
    if sum(1 for _ in selectors.ancestors(parent)) >= MOST_ANCESTORS:
        raise Conflict(
            f"The session descends from {MOST_ANCESTORS} others, and a branch of it would from more.",
            hint="Begin a new session, or branch one that lies nearer to the first.",
            field="sessionId",
        )


def _ordinals(session: Session, turn: int) -> int:
    """How many places of the branch its parent's messages take."""
    highest: int | None = selectors.said(session, until=turn).aggregate(highest=Max("ordinal"))["highest"]
    return 0 if highest is None else highest + 1
