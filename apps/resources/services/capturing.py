"""Capturing a turn: checkpoint, resources, documents, journal and jobs in one transaction, without any model."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from apps.core import scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.journal import services as journal
from apps.resources.models import Resource
from apps.resources.services import cleaning, episodes
from apps.resources.services.cleaning import CleanJson, CleanText
from apps.resources.services.episodes import Episode
from apps.tenants import selectors as tenants
from memory_platform.errors import Conflict, Invalid
from memory_platform.model import Audience, JournalLine, Role, Visibility
from memory_platform.text.redaction import JsonValue

Parameter = UUID | str | bytes | int | datetime | None


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
    """What became of a turn. A repeated one is a `duplicate`: its resources are named, no job is new."""

    session_id: UUID
    session_external_id: str
    turn_number: int
    resource_ids: tuple[UUID, ...]
    job_ids: tuple[UUID, ...]
    duplicate: bool


@dataclass(frozen=True, slots=True)
class _Message:
    resource_id: UUID
    role: Role
    speaker: str | None
    content: CleanText


@dataclass(frozen=True, slots=True)
class _CleanTurn:
    tenant_id: UUID
    session_id: str
    turn_number: int | None
    audience: Audience
    messages: tuple[_Message, ...]
    tool_calls: CleanJson
    internal_state: CleanJson
    occurred_at: datetime
    keeps_raw: bool

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


@dataclass(frozen=True, slots=True)
class _Place:
    session_id: UUID
    first_ordinal: int
    turn_number: int
    is_new: bool


def capture(turn: NewTurn) -> Captured:
    """Store a turn and have it observed. Repeating a turn number with the same content changes nothing.

    Raises Conflict when that turn holds other content, Invalid for a turn without content or with a wrong field.
    """
    clean = _clean(turn)
    place = _store(clean)
    if not place.is_new:
        return _repeated(clean, place)
    told = _episodes(clean, place)
    job_ids = episodes.publish(told, now=clock_now())
    journal.record(_line(clean, place), *episodes.redaction_lines(told), agent_id=clean.audience.agent_id)
    return Captured(
        session_id=place.session_id,
        session_external_id=clean.session_id,
        turn_number=place.turn_number,
        resource_ids=tuple(message.resource_id for message in clean.messages),
        job_ids=tuple(job_ids),
        duplicate=False,
    )


def _clean(turn: NewTurn) -> _CleanTurn:
    opened = scope.current()
    agent_id = turn.agent_id or opened.agent_id
    if agent_id is None:
        raise scope.NoScope("Capturing needs an agent: open the scope with one, or name it in the turn.")
    if turn.turn_number is not None and not 1 <= turn.turn_number < 2**31:
        raise Invalid("turnNumber must be a positive integer.", field="turnNumber")
    clean = _CleanTurn(
        tenant_id=opened.tenant_id,
        session_id=cleaning.clean_id(turn.session_id, field="sessionId") or "",
        turn_number=turn.turn_number,
        audience=Audience(agent_id, cleaning.clean_id(turn.user_id, field="userId", required=False), turn.visibility),
        messages=tuple(_messages(turn)),
        tool_calls=cleaning.clean_json(turn.tool_calls, field="toolCalls"),
        internal_state=cleaning.clean_json(turn.internal_state, field="internalState"),
        occurred_at=cleaning.clean_time(turn.occurred_at, field="occurredAt", now=clock_now()),
        keeps_raw=tenants.policy(opened.tenant_id).keep_raw_secrets,
    )
    if not clean.messages and clean.tool_calls.text is None and clean.internal_state.text is None:
        raise Invalid("The turn is empty: send userInput, llmOutput, toolCalls or internalState.", field="userInput")
    return clean


def _messages(turn: NewTurn) -> list[_Message]:
    speaker = cleaning.clean_id(turn.speaker, field="speaker", required=False)
    said = [(Role.USER, speaker, turn.user_input, "userInput"), (Role.ASSISTANT, None, turn.llm_output, "llmOutput")]
    return [
        _Message(new_id(), role, name, cleaning.clean_text(text, field=field))
        for role, name, text, field in said
        if text and not text.isspace()
    ]


# One round trip for session, checkpoint and resources. The session's row is locked by its upsert, so ordinals and
# turn numbers of concurrent captures follow each other; the checkpoint decides whether the turn is new.
_SESSION = """
WITH session AS (
    INSERT INTO resources_session AS s
        (id, tenant_id, agent_id, external_id, user_id, next_ordinal, next_turn, started_at, last_active_at)
    VALUES (%(new_session)s, %(tenant)s, %(agent)s, %(session)s, %(user)s, %(count)s,
            coalesce(%(turn)s::integer, 1) + 1, %(at)s, now())
    ON CONFLICT (tenant_id, agent_id, user_id, external_id) DO UPDATE SET
        next_ordinal = s.next_ordinal + %(count)s,
        next_turn = greatest(s.next_turn, coalesce(%(turn)s::integer, s.next_turn) + 1),
        last_active_at = now(), ended_at = NULL
    RETURNING id, next_ordinal - %(count)s AS first_ordinal, coalesce(%(turn)s::integer, next_turn - 1) AS turn_number
), checkpoint AS (
    INSERT INTO resources_checkpoint
        (id, tenant_id, session_id, agent_id, user_id, visibility, turn_number, user_input, tool_calls, llm_output,
         internal_state, content_hash, occurred_at, created_at)
    SELECT %(checkpoint)s, %(tenant)s, id, %(agent)s, %(user)s, %(visibility)s, turn_number, %(user_input)s,
        %(tool_calls)s::jsonb, %(llm_output)s, %(internal_state)s::jsonb, %(digest)s, %(at)s, now()
    FROM session
    ON CONFLICT (tenant_id, session_id, turn_number) DO NOTHING
    RETURNING turn_number
)"""
_RESOURCES = """, resource AS (
    INSERT INTO resources_resource
        (id, tenant_id, session_id, agent_id, user_id, visibility, ordinal, turn_number, role, speaker, content_type,
         raw_content, content_hash, content_at, created_at)
    SELECT said.id, %(tenant)s, session.id, %(agent)s, %(user)s, %(visibility)s, first_ordinal + said.place,
        session.turn_number, said.role, said.speaker, 'text/plain', said.content, said.digest, %(at)s, now()
    FROM session, checkpoint, (VALUES {rows}) AS said (id, place, role, speaker, content, digest)
)"""
_PLACE = """
SELECT id, first_ordinal, turn_number, EXISTS (SELECT FROM checkpoint) FROM session"""


def _store(turn: _CleanTurn) -> _Place:
    parameters: dict[str, Parameter] = {
        "new_session": new_id(),
        "checkpoint": new_id(),
        "tenant": turn.tenant_id,
        "agent": turn.audience.agent_id,
        "user": turn.audience.user_id,
        "visibility": turn.audience.visibility.value,
        "session": turn.session_id,
        "turn": turn.turn_number,
        "count": len(turn.messages),
        "at": turn.occurred_at,
        "user_input": turn.text_of(Role.USER),
        "llm_output": turn.text_of(Role.ASSISTANT),
        "tool_calls": turn.tool_calls.text,
        "internal_state": turn.internal_state.text,
        "digest": turn.digest,
    }
    rows = [_row(number, message, keeps_raw=turn.keeps_raw) for number, message in enumerate(turn.messages)]
    for names in rows:
        parameters.update(names)
    with connection.cursor() as cursor:
        cursor.execute(_statement(len(rows)), parameters)
        return _Place(*cursor.fetchone())


def _row(number: int, message: _Message, *, keeps_raw: bool) -> dict[str, Parameter]:
    return {
        f"id{number}": message.resource_id,
        f"role{number}": message.role.value,
        f"speaker{number}": message.speaker,
        f"content{number}": message.content.raw if keeps_raw else message.content.text,
        f"digest{number}": message.content.digest,
    }


def _statement(messages: int) -> str:
    rows = ", ".join(
        f"(%(id{n})s::uuid, {n}, %(role{n})s, %(speaker{n})s, %(content{n})s, %(digest{n})s::bytea)"
        for n in range(messages)
    )
    return _SESSION + (_RESOURCES.format(rows=rows) if rows else "") + _PLACE


def _repeated(turn: _CleanTurn, place: _Place) -> Captured:
    """The turn number exists: give the reserved ordinals back (the session is still locked) and compare."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE resources_session SET next_ordinal = next_ordinal - %s WHERE tenant_id = %s AND id = %s",
            [len(turn.messages), turn.tenant_id, place.session_id],
        )
        cursor.execute(
            "SELECT content_hash FROM resources_checkpoint"
            " WHERE tenant_id = %s AND session_id = %s AND turn_number = %s",
            [turn.tenant_id, place.session_id, place.turn_number],
        )
        (stored,) = cursor.fetchone()
    if bytes(stored) != turn.digest:
        raise Conflict(
            f"Turn {place.turn_number} of this session was captured with other content.",
            hint="Send the next turn number, or none at all.",
            field="turnNumber",
        )
    return Captured(
        session_id=place.session_id,
        session_external_id=turn.session_id,
        turn_number=place.turn_number,
        resource_ids=tuple(_resource_ids(turn.tenant_id, place)),
        job_ids=(),
        duplicate=True,
    )


def _resource_ids(tenant_id: UUID, place: _Place) -> Sequence[UUID]:
    return list(
        Resource.objects.filter(tenant_id=tenant_id, session_id=place.session_id, turn_number=place.turn_number)
        .order_by("ordinal")
        .values_list("id", flat=True)
    )


def _episodes(turn: _CleanTurn, place: _Place) -> list[Episode]:
    return [
        Episode(
            resource_id=message.resource_id,
            session_id=place.session_id,
            ordinal=place.first_ordinal + number,
            audience=turn.audience,
            speaker=message.speaker,
            text=message.content.text,
            said_at=turn.occurred_at,
            role=message.role,
            redacted=message.content.kinds,
        )
        for number, message in enumerate(turn.messages)
    ]


def _line(turn: _CleanTurn, place: _Place) -> JournalLine:
    data = {"turn": place.turn_number, "resources": len(turn.messages), "redacted": sorted(turn.kinds)}
    return JournalLine("turn.captured", "session", place.session_id, data)
