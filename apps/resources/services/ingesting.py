"""Bulk ingest: lines of many sessions, an answer for each, a constant number of statements per chunk."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import connection

from apps.core import scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.core.scope import Scope
from apps.journal import services as journal
from apps.resources.models import Resource, Session
from apps.resources.services import cleaning, episodes
from apps.resources.services.cleaning import CleanText
from apps.resources.services.episodes import Episode
from apps.tenants import selectors as tenants
from memory_platform.errors import Invalid
from memory_platform.model import Audience, JournalLine, Role, Visibility

CHUNK_LINES = 500


class LineStatus(StrEnum):
    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    INVALID = "invalid"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class IngestLine:
    """One message of a past or running conversation. `external_id` and `session_id` are the caller's own.

    Without `role` a speaker called user, assistant, tool or system is taken at its word; anyone else is a user.
    """

    external_id: str
    session_id: str
    content: str
    speaker: str | None = None
    content_at: datetime | None = None
    role: Role | None = None
    user_id: str | None = None
    visibility: Visibility = Visibility.PRIVATE
    turn_number: int | None = None


@dataclass(frozen=True, slots=True)
class LineResult:
    """`line` is the position in the call, from 0; `error` and `field` say what is wrong with it."""

    line: int
    status: LineStatus
    resource_id: UUID | None = None
    error: str | None = None
    field: str | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    position: int
    resource_id: UUID
    source: IngestLine
    content: CleanText
    content_at: datetime
    role: Role

    @property
    def session(self) -> "_SessionName":
        return self.source.user_id, self.source.session_id

    @property
    def key(self) -> "tuple[_SessionName, str]":
        return self.session, self.source.external_id


@dataclass(frozen=True, slots=True)
class _Writer:
    """Whose lines they are."""

    tenant_id: UUID
    agent_id: UUID
    keeps_raw: bool


# Whose session it is, and the caller's own id of it.
_SessionName = tuple[str | None, str]
_Known = dict[tuple[_SessionName, str], tuple[UUID, bytes]]


def ingest(lines: Sequence[IngestLine], *, agent_id: UUID | None = None) -> list[LineResult]:
    """Store the lines that are new and answer each, in order; a wrong line never spoils its neighbours.

    Idempotent by (user_id, session_id, external_id): the same content again is a duplicate, other content a conflict.
    Works in chunks of CHUNK_LINES within the open transaction; to commit between chunks, call it once for each.
    """
    opened = scope.current()
    writer = _writer(opened, agent_id)
    results: list[LineResult] = []
    for start in range(0, len(lines), CHUNK_LINES):
        results += _ingest_chunk(writer, lines[start : start + CHUNK_LINES], start)
    return results


def _writer(opened: Scope, agent_id: UUID | None) -> _Writer:
    chosen = agent_id or opened.agent_id
    if chosen is None:
        raise scope.NoScope("Ingesting needs an agent: open the scope with one, or name it.")
    return _Writer(opened.tenant_id, chosen, tenants.policy(opened.tenant_id).keep_raw_secrets)


def _ingest_chunk(writer: _Writer, chunk: Sequence[IngestLine], start: int) -> list[LineResult]:
    now = clock_now()
    results: dict[int, LineResult] = {}
    good: list[_Line] = []
    for position, line in enumerate(chunk, start):
        try:
            good.append(_clean(line, position, now))
        except Invalid as error:
            results[position] = LineResult(position, LineStatus.INVALID, None, error.message, error.field)
    if good:
        sessions = _lock_sessions(writer, good)
        fresh = _sort_out(good, _known(writer, sessions, good), results)
        told = _store(writer, sessions, fresh)
        if told:
            episodes.publish(told, now=now)
        _record(writer, results, told)
    return [results[position] for position in range(start, start + len(chunk))]


def _clean(line: IngestLine, position: int, now: datetime) -> _Line:
    cleaning.clean_id(line.external_id, field="external_id")
    cleaning.clean_id(line.session_id, field="session_id")
    cleaning.clean_id(line.user_id, field="user_id", required=False)
    cleaning.clean_id(line.speaker, field="speaker", required=False)
    if not line.content or line.content.isspace():
        raise Invalid("content is empty; leave the line out.", field="content")
    if line.turn_number is not None and not 1 <= line.turn_number < 2**31:
        raise Invalid("turn_number must be a positive integer.", field="turn_number")
    return _Line(
        position=position,
        resource_id=new_id(),
        source=line,
        content=cleaning.clean_text(line.content, field="content"),
        content_at=cleaning.clean_time(line.content_at, field="content_at", now=now),
        role=line.role or _role(line.speaker),
    )


def _role(speaker: str | None) -> Role:
    named = (speaker or "").lower()
    return Role(named) if named in {role.value for role in Role} else Role.USER


def _lock_sessions(writer: _Writer, lines: Iterable[_Line]) -> dict[_SessionName, Session]:
    """Find or create the lines' sessions and lock them, in one order for all callers, so that none deadlock."""
    started: dict[_SessionName, datetime] = {}
    for line in lines:
        started.setdefault(line.session, line.content_at)
    names = sorted(started, key=lambda name: (name[1], name[0] or ""))
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO resources_session AS s (id, tenant_id, agent_id, external_id, user_id, next_ordinal, next_turn,
                started_at, last_active_at)
            SELECT id, %s, %s, external_id, user_id, 0, 1, started_at, now()
            FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::timestamptz[])
                AS given (id, external_id, user_id, started_at)
            ORDER BY external_id, coalesce(user_id, '')
            ON CONFLICT (tenant_id, agent_id, user_id, external_id) DO UPDATE SET
                last_active_at = now(), ended_at = NULL
            RETURNING id, external_id, user_id, next_ordinal, next_turn
            """,
            [
                writer.tenant_id,
                writer.agent_id,
                [new_id() for _ in names],
                [external_id for _, external_id in names],
                [user_id for user_id, _ in names],
                [started[name] for name in names],
            ],
        )
        return {
            (row[2], row[1]): Session(id=row[0], external_id=row[1], next_ordinal=row[3], next_turn=row[4])
            for row in cursor.fetchall()
        }


def _known(writer: _Writer, sessions: dict[_SessionName, Session], lines: Iterable[_Line]) -> _Known:
    """The lines' resources that exist; asked after the lock, so what a concurrent call stored is seen."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT r.session_id, r.external_id, r.id, r.content_hash
            FROM unnest(%s::uuid[], %s::text[]) AS given (session_id, external_id)
            JOIN resources_resource r ON r.tenant_id = %s
                AND r.session_id = given.session_id AND r.external_id = given.external_id
            """,
            [
                [sessions[line.session].id for line in lines],
                [line.source.external_id for line in lines],
                writer.tenant_id,
            ],
        )
        names = {session.id: name for name, session in sessions.items()}
        return {(names[row[0]], row[1]): (row[2], bytes(row[3])) for row in cursor.fetchall()}


def _sort_out(lines: Iterable[_Line], known: _Known, results: dict[int, LineResult]) -> list[_Line]:
    """Answer every line; return those to store. A line repeated within the call is a duplicate of the first."""
    fresh: list[_Line] = []
    for line in lines:
        stored = known.get(line.key)
        if stored is None:
            known[line.key] = (line.resource_id, line.content.digest)
            fresh.append(line)
            results[line.position] = LineResult(line.position, LineStatus.ACCEPTED, line.resource_id)
        elif stored[1] == line.content.digest:
            results[line.position] = LineResult(line.position, LineStatus.DUPLICATE, stored[0])
        else:
            results[line.position] = LineResult(
                line.position,
                LineStatus.CONFLICT,
                stored[0],
                "This external_id was stored with other content; send changed content under a new one.",
                "external_id",
            )
    return fresh


def _store(writer: _Writer, sessions: dict[_SessionName, Session], fresh: Iterable[_Line]) -> list[Episode]:
    """Insert the new resources, session by session in the order sent, and move the sessions' counters on."""
    told: list[Episode] = []
    rows: list[Resource] = []
    for line in sorted(fresh, key=lambda line: (line.source.session_id, line.source.user_id or "")):
        session = sessions[line.session]
        episode = _episode(writer, session, line)
        session.next_ordinal += 1
        session.next_turn = max(session.next_turn, (line.source.turn_number or 0) + 1)
        told.append(episode)
        rows.append(_resource(writer, line, episode))
    if rows:
        Resource.objects.bulk_create(rows)
        _move_on(writer, {episode.session_id for episode in told}, sessions.values())
    return told


def _episode(writer: _Writer, session: Session, line: _Line) -> Episode:
    return Episode(
        resource_id=line.resource_id,
        session_id=session.id,
        ordinal=session.next_ordinal,
        audience=Audience(writer.agent_id, line.source.user_id, line.source.visibility),
        speaker=line.source.speaker,
        text=line.content.text,
        said_at=line.content_at,
        role=line.role,
        redacted=line.content.kinds,
    )


def _resource(writer: _Writer, line: _Line, episode: Episode) -> Resource:
    return Resource(
        id=line.resource_id,
        tenant_id=writer.tenant_id,
        session_id=episode.session_id,
        agent_id=writer.agent_id,
        user_id=line.source.user_id,
        visibility=line.source.visibility.value,
        ordinal=episode.ordinal,
        turn_number=line.source.turn_number,
        role=line.role.value,
        speaker=line.source.speaker,
        raw_content=line.content.raw if writer.keeps_raw else line.content.text,
        content_hash=line.content.digest,
        external_id=line.source.external_id,
        content_at=line.content_at,
    )


def _move_on(writer: _Writer, touched: set[UUID], sessions: Iterable[Session]) -> None:
    moved = [session for session in sessions if session.id in touched]
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE resources_session s SET next_ordinal = given.next_ordinal, next_turn = given.next_turn
            FROM unnest(%s::uuid[], %s::integer[], %s::integer[]) AS given (id, next_ordinal, next_turn)
            WHERE s.tenant_id = %s AND s.id = given.id
            """,
            [
                [session.id for session in moved],
                [session.next_ordinal for session in moved],
                [session.next_turn for session in moved],
                writer.tenant_id,
            ],
        )


def _record(writer: _Writer, results: dict[int, LineResult], told: Sequence[Episode]) -> None:
    counts = {status.value: 0 for status in LineStatus}
    for result in results.values():
        counts[result.status.value] += 1
    data = {**counts, "sessions": len({episode.session_id for episode in told})}
    line = JournalLine("lines.ingested", "session", told[0].session_id if len(told) == 1 else None, data)
    journal.record(line, *episodes.redaction_lines(told), agent_id=writer.agent_id)
