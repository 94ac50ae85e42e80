"""Capturing a turn: checkpoint, resources, documents, journal and jobs in one transaction, without any model."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import connection

from apps.core import scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.core.sql import statement
from apps.journal import services as journal
from apps.resources.models import Checkpoint, Resource, Session
from apps.resources.services import cleaning, episodes
from apps.resources.services.cleaning import CleanJson, CleanText
from apps.resources.services.opening import open_session
from apps.resources.services.tool_results import tool_results
from apps.resources.services.writing import NewMessage, Writer, skip, store
from memory_platform.errors import Conflict, Invalid
from memory_platform.model import Audience, JournalLine, Role, Visibility
from memory_platform.text.redaction import JsonValue


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn as the caller reports it. `session_id` and `user_id` are the caller's own; absent turn: the next one.

    `agent_id` defaults to the open scope's agent.
    """

    session_id: str
    turn_number: int | None = None
    user_id: str | None = None
    user_input: str | None = None
    tool_calls: JsonValue = None
    llm_output: str | None = None
    internal_state: JsonValue = None
    occurred_at: datetime | None = None
    visibility: Visibility = Visibility.PRIVATE
    speaker: str | None = None
    agent_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of a turn. A repeated one is a `duplicate`: its resources are named, no job is new.

    `predecessor` is the session the user was in before, where the turn began another and so ended it.
    """

    session_id: UUID
    session_external_id: str
    turn_number: int
    resource_ids: tuple[UUID, ...]
    job_ids: tuple[UUID, ...]
    duplicate: bool
    predecessor: Session | None = None


@dataclass(frozen=True, slots=True)
class _CleanTurn:
    writer: Writer
    session_id: str
    turn_number: int | None
    audience: Audience
    messages: tuple[NewMessage, ...]
    tool_calls: CleanJson
    internal_state: CleanJson
    occurred_at: datetime

    def text_of(self, role: Role) -> str | None:
        return next((message.content.text for message in self.messages if message.role is role), None)

    @property
    def kinds(self) -> set[str]:
        found = {*self.tool_calls.kinds, *self.internal_state.kinds}
        return found.union(*(message.content.kinds for message in self.messages))

    @property
    def digest(self) -> bytes:
        parts = (
            self.text_of(Role.USER),
            self.text_of(Role.ASSISTANT),
            self.tool_calls.text,
            self.internal_state.text,
        )
        # Lengths before the parts, so that moving text from one to the next changes the digest.
        framed = "".join(f"{-1 if part is None else len(part)}:{part or ''}" for part in parts)
        return hashlib.sha256(framed.encode()).digest()


def capture(turn: NewTurn) -> Captured:
    """Store a turn and have it observed. Repeating a turn number with the same content changes nothing.

    Raises Conflict when that turn holds other content, Invalid for a turn without content or with a wrong field.
    """
    clean = _clean(turn)
    opened = open_session(
        clean.session_id, user_id=clean.audience.user_id, since=clean.occurred_at, writer=clean.writer
    )
    place = opened.place
    number = place.next_turn if clean.turn_number is None else clean.turn_number
    if number <= place.parent_turn:
        raise Conflict(f"Turn {number} is of the session this one is a branch of.", field="turnNumber")
    if not _is_new(clean, place.session_id, number):
        return _repeated(clean, place.session_id, number)
    told = store(clean.writer, [(place, replace(message, turn_number=number)) for message in clean.messages])
    if not told:
        skip(clean.writer, place, turn_number=number)
    job_ids = episodes.publish(told, now=clock_now())
    line = _line(clean, place.session_id, number)
    journal.record(line, *episodes.redaction_lines(told), agent_id=clean.audience.agent_id)
    captured = _captured(clean, place.session_id, number, [message.resource_id for message in clean.messages], job_ids)
    return replace(captured, predecessor=opened.predecessor)


def _captured(
    turn: _CleanTurn,
    session_id: UUID,
    number: int,
    resource_ids: Sequence[UUID],
    job_ids: Sequence[UUID] = (),
    *,
    duplicate: bool = False,
) -> Captured:
    return Captured(session_id, turn.session_id, number, tuple(resource_ids), tuple(job_ids), duplicate)


def _clean(turn: NewTurn) -> _CleanTurn:
    writer = Writer.of(scope.current(), turn.agent_id)
    user_id, session_id = cleaning.session_name(turn.session_id, turn.user_id)
    audience = Audience(writer.agent_id, user_id, turn.visibility)
    tool_calls = cleaning.clean_json(turn.tool_calls, field="toolCalls")
    occurred_at = cleaning.clean_time(turn.occurred_at, field="occurredAt", now=clock_now())
    clean = _CleanTurn(
        writer=writer,
        session_id=session_id,
        turn_number=cleaning.clean_turn(turn.turn_number, field="turnNumber"),
        audience=audience,
        messages=tuple(_messages(turn, tool_calls, audience, occurred_at)),
        tool_calls=tool_calls,
        internal_state=cleaning.clean_json(turn.internal_state, field="internalState"),
        occurred_at=occurred_at,
    )
    if not clean.messages and clean.tool_calls.text is None and clean.internal_state.text is None:
        raise Invalid("The turn is empty: send userInput, llmOutput, toolCalls or internalState.", field="userInput")
    return clean


def _messages(turn: NewTurn, tool_calls: CleanJson, audience: Audience, said_at: datetime) -> Iterator[NewMessage]:
    """What was said, what tools reported to answer it, and the answer."""
    speaker = cleaning.clean_id(turn.speaker, field="speaker", required=False)
    if (said := _text(turn.user_input, "userInput")) is not None:
        yield NewMessage(new_id(), audience, Role.USER, speaker, said, said_at)
    for one in tool_results(tool_calls):
        yield NewMessage(
            new_id(), audience, Role.TOOL, one.tool, one.content, said_at, content_type=one.content_type.value
        )
    if (answer := _text(turn.llm_output, "llmOutput")) is not None:
        yield NewMessage(new_id(), audience, Role.ASSISTANT, None, answer, said_at)


def _text(text: str | None, field: str) -> CleanText | None:
    return cleaning.clean_text(text, field=field) if text and not text.isspace() else None


def _is_new(turn: _CleanTurn, session_id: UUID, number: int) -> bool:
    """Store the checkpoint, unless the turn has one: the session is locked, so nobody else decides meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("resources", "insert_checkpoint"),
            {
                "id": new_id(),
                "tenant": turn.writer.tenant_id,
                "session": session_id,
                "agent": turn.audience.agent_id,
                "user": turn.audience.user_id,
                "visibility": turn.audience.visibility.value,
                "turn": number,
                "user_input": turn.text_of(Role.USER),
                "tool_calls": turn.tool_calls.text,
                "llm_output": turn.text_of(Role.ASSISTANT),
                "internal_state": turn.internal_state.text,
                "digest": turn.digest,
                "at": turn.occurred_at,
            },
        )
        return cursor.fetchone() is not None


def _repeated(turn: _CleanTurn, session_id: UUID, number: int) -> Captured:
    """The turn has a checkpoint: compare."""
    which = {"tenant_id": turn.writer.tenant_id, "session_id": session_id, "turn_number": number}
    if bytes(Checkpoint.objects.values_list("content_hash", flat=True).get(**which)) != turn.digest:
        raise Conflict(
            f"Turn {number} of this session was captured with other content.",
            hint="Send the next turn number, or none at all.",
            field="turnNumber",
        )
    stored = Resource.objects.filter(**which).order_by("ordinal").values_list("id", flat=True)
    return _captured(turn, session_id, number, list(stored), duplicate=True)


def _line(turn: _CleanTurn, session_id: UUID, number: int) -> JournalLine:
    data = {"turn": number, "resources": len(turn.messages), "redacted": sorted(turn.kinds)}
    return JournalLine("turn.captured", "session", session_id, data)
