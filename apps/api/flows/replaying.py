"""A session as it went: what was said, what was learnt of it, and what was recalled for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.core.paging import PageRequest
from apps.memory import selectors as memory
from apps.memory.results import Learnt, ReadOut, RejectionView
from apps.resources import selectors as resources
from apps.resources.models import Session
from apps.resources.selectors import Turn
from apps.retrieval import selectors as retrieval
from apps.retrieval.selectors import Asked
from apps.tenants import selectors as tenants
from memory_platform.model import Fact, Role, Utterance


@dataclass(frozen=True, slots=True)
class TracedMessage:
    """A message and what became of it; `pending`: nothing was learnt from it yet."""

    resource_id: UUID
    role: Role
    speaker: str | None
    text: str
    said_at: datetime
    pending: bool
    narrative: str
    facts: tuple[Fact, ...]
    learnt: tuple[Learnt, ...]
    turned_down: tuple[RejectionView, ...]


@dataclass(frozen=True, slots=True)
class TracedTurn:
    """A turn as it went; `recalls` are those made since the turn before."""

    id: UUID
    number: int | None
    at: datetime
    tool_calls: Any
    internal_state: Any
    recalls: tuple[Asked, ...]
    messages: tuple[TracedMessage, ...]


@dataclass(frozen=True, slots=True)
class SessionTrace:
    """A page of a session's turns, in order; `later` are recalls made since the last of all turns."""

    session: Session
    turns: tuple[TracedTurn, ...]
    later: tuple[Asked, ...]
    next: str | None


def trace(session: Session, *, page: PageRequest) -> SessionTrace:
    """Needs an open scope; a fixed number of statements whatever the page holds. Raises Invalid."""
    policy = tenants.policy(session.tenant_id)
    cut = resources.replayed(session, page=page, policy=policy)
    last = cut.rows[-1].id if cut.has_next else None
    asked = retrieval.asked_in(session, after=resources.step(page.after), before=last)
    became = _Became.of([said.resource_id for turn in cut.rows for said in turn.messages], asked)
    asked = [became.worded(recall) for recall in asked]
    turns = tuple(_traced(turn, recalls, became) for turn, recalls in _with_recalls(cut.rows, asked))
    seen = {recall.id for turn in turns for recall in turn.recalls}
    later = tuple(recall for recall in asked if recall.id not in seen)
    return SessionTrace(session, turns, later, cut.end_cursor if cut.has_next else None)


def _with_recalls(turns: Sequence[Turn], asked: Sequence[Asked]) -> Iterator[tuple[Turn, tuple[Asked, ...]]]:
    """A recall belongs to the turn that was captured next. Ids tell the order in which rows were made."""
    left = list(asked)
    for turn in turns:
        own = tuple(recall for recall in left if recall.id < turn.id)
        left = left[len(own) :]
        yield turn, own


@dataclass(frozen=True, slots=True)
class _Became:
    """What became of messages, and what the items say that recalls were given."""

    read: dict[UUID, ReadOut]
    turned_down: dict[UUID, list[RejectionView]]

    @classmethod
    def of(cls, resource_ids: Sequence[UUID], asked: Sequence[Asked]) -> "_Became":
        given = {hit.item_id for recall in asked for hit in recall.hits if hit.item_id is not None}
        return cls(memory.read_out_of(resource_ids, item_ids=list(given)), memory.turned_down(resource_ids))

    def worded(self, recall: Asked) -> Asked:
        """The recall with the words of the items it was given."""
        return replace(recall, hits=tuple(replace(hit, text=self._text(hit.item_id)) for hit in recall.hits))

    def _text(self, item_id: UUID | None) -> str:
        found = None if item_id is None else self.read.get(item_id)
        return found.learnt[0].text if found else ""


def _traced(turn: Turn, recalls: tuple[Asked, ...], became: _Became) -> TracedTurn:
    return TracedTurn(
        id=turn.id,
        number=turn.number,
        at=turn.at,
        tool_calls=turn.tool_calls,
        internal_state=turn.internal_state,
        recalls=recalls,
        messages=tuple(_message(said, became) for said in turn.messages),
    )


def _message(said: Utterance, became: _Became) -> TracedMessage:
    read = became.read[said.resource_id]
    seen = read.observation
    return TracedMessage(
        resource_id=said.resource_id,
        role=said.role,
        speaker=said.speaker,
        text=said.text,
        said_at=said.said_at,
        pending=seen is None,
        narrative="" if seen is None else seen.narrative,
        facts=() if seen is None else seen.facts,
        learnt=read.learnt,
        turned_down=tuple(became.turned_down.get(said.resource_id, ())),
    )
