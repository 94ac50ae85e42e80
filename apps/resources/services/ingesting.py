"""Bulk ingest: lines of many sessions, an answer for each, a constant number of statements per chunk."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import connection

from apps.core import scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.journal import services as journal
from apps.resources.services import cleaning, episodes
from apps.resources.services.cleaning import CleanText
from apps.resources.services.episodes import Episode
from apps.resources.services.opening import Opened
from apps.resources.services.writing import NewMessage, SessionName, SessionPlace, Writer, lock_sessions, store
from memory_platform.errors import Invalid
from memory_platform.model import Audience, JournalLine, Role, Visibility

CHUNK_LINES = 500


class LineStatus(StrEnum):
    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    FORGOTTEN = "forgotten"
    INVALID = "invalid"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class IngestLine:
    """One message of a past or running conversation. `external_id` and `session_id` are the caller's own.

    Without `role` a speaker called user, assistant, tool or system is taken at its word; anyone else is a user.
    `ended_claims` are hashes of what it said that was forgotten or corrected where it comes from, the last `ended_at`.
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
    ended_claims: frozenset[str] = frozenset()
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ForgottenMessage:
    """A stored message of which something was forgotten `at` a time; `digest` is that of its content."""

    resource_id: UUID
    agent_id: UUID
    user_id: str | None
    external_id: str | None
    digest: bytes
    at: datetime


Forgotten = Callable[[Collection[bytes]], Iterable[ForgottenMessage]]
"""Answers, for digests of contents, what was forgotten of those words."""


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
    def session(self) -> SessionName:
        return self.source.user_id, self.source.session_id

    def is_said_anew(self, before: ForgottenMessage) -> bool:
        """Whether somebody says the same words again since they were forgotten, and this is no copy of that message."""
        return self.source.external_id != before.external_id and self.content_at > before.at

    @property
    def key(self) -> tuple[SessionName, str]:
        return self.session, self.source.external_id


_Known = dict[tuple[SessionName, str], tuple[UUID, bytes]]
_Sessions = Mapping[SessionName, SessionPlace]


def _nothing(_digests: Collection[bytes]) -> Iterable[ForgottenMessage]:
    return ()


def ingest(
    lines: Sequence[IngestLine],
    *,
    agent_id: UUID | None = None,
    into: Opened | None = None,
    forgotten: Forgotten = _nothing,
) -> list[LineResult]:
    """Store the lines that are new and answer each, in order; a wrong line never spoils its neighbours.

    Idempotent by (user_id, session_id, external_id): the same content again is a duplicate, other content a conflict.
    What is a copy of a `forgotten` message, in whatever session, is not stored again.
    Lines that are all of one session may be told `into` it when it is open already.
    Works in chunks of CHUNK_LINES within the open transaction; to commit between chunks, call it once for each.
    """
    writer = into.writer if into else Writer.of(scope.current(), agent_id)
    held = {into.name: into.place} if into else None
    results: list[LineResult] = []
    for start in range(0, len(lines), CHUNK_LINES):
        results += _ingest_chunk(writer, lines[start : start + CHUNK_LINES], start, forgotten, held)
    return results


def _ingest_chunk(
    writer: Writer, chunk: Sequence[IngestLine], start: int, forgotten: Forgotten, held: _Sessions | None
) -> list[LineResult]:
    now = clock_now()
    results: dict[int, LineResult] = {}
    read: list[_Line] = []
    for position, line in enumerate(chunk, start):
        try:
            read.append(_clean(line, position, now))
        except Invalid as error:
            results[position] = LineResult(position, LineStatus.INVALID, None, error.message, error.field)
    good = _leave_out(writer, read, forgotten, results)
    told = _keep(writer, good, held or _lock(writer, good), results, now) if good else []
    if read:
        _record(writer, results, told)
    return [results[position] for position in range(start, start + len(chunk))]


def _keep(
    writer: Writer, lines: Sequence[_Line], sessions: _Sessions, results: dict[int, LineResult], now: datetime
) -> list[Episode]:
    fresh = _sort_out(lines, _known(writer, sessions, lines), results)
    ordered = sorted(fresh, key=lambda line: (line.source.session_id, line.source.user_id or ""))
    told = store(writer, [(sessions[line.session], _message(writer, line)) for line in ordered])
    if told:
        episodes.publish(told, now=now)
    return told


def _leave_out(
    writer: Writer, lines: Sequence[_Line], forgotten: Forgotten, results: dict[int, LineResult]
) -> list[_Line]:
    """Answer copies of what was forgotten; return the other lines."""
    gone = {
        (each.user_id, each.digest): each
        for each in forgotten({line.content.digest for line in lines})
        if each.agent_id == writer.agent_id
    }
    left = []
    for line in lines:
        before = gone.get((line.source.user_id, line.content.digest))
        if before is None or line.is_said_anew(before):
            left.append(line)
        else:
            results[line.position] = LineResult(
                line.position,
                LineStatus.FORGOTTEN,
                before.resource_id,
                "Not stored again: it was forgotten. Restore that to have it back.",
            )
    return left


def _clean(line: IngestLine, position: int, now: datetime) -> _Line:
    cleaning.clean_id(line.external_id, field="external_id")
    cleaning.clean_id(line.session_id, field="session_id")
    cleaning.clean_id(line.user_id, field="user_id", required=False)
    cleaning.clean_id(line.speaker, field="speaker", required=False)
    if not line.content or line.content.isspace():
        raise Invalid("content is empty; leave the line out.", field="content")
    cleaning.clean_turn(line.turn_number, field="turn_number")
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


def _lock(writer: Writer, lines: Iterable[_Line]) -> dict[SessionName, SessionPlace]:
    """The lines' sessions; a new one began with its first line."""
    started: dict[SessionName, datetime] = {}
    for line in lines:
        started.setdefault(line.session, line.content_at)
    return lock_sessions(writer, started)


def _known(writer: Writer, sessions: _Sessions, lines: Iterable[_Line]) -> _Known:
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
                [sessions[line.session].session_id for line in lines],
                [line.source.external_id for line in lines],
                writer.tenant_id,
            ],
        )
        names = {place.session_id: name for name, place in sessions.items()}
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


def _message(writer: Writer, line: _Line) -> NewMessage:
    return NewMessage(
        resource_id=line.resource_id,
        audience=Audience(writer.agent_id, line.source.user_id, line.source.visibility),
        role=line.role,
        speaker=line.source.speaker,
        content=line.content,
        said_at=line.content_at,
        turn_number=line.source.turn_number,
        external_id=line.source.external_id,
    )


def _record(writer: Writer, results: dict[int, LineResult], told: Sequence[Episode]) -> None:
    counts = {status.value: 0 for status in LineStatus}
    for result in results.values():
        counts[result.status.value] += 1
    data = {**counts, "sessions": len({episode.session_id for episode in told})}
    line = JournalLine("lines.ingested", "session", told[0].session_id if len(told) == 1 else None, data)
    journal.record(line, *episodes.redaction_lines(told), agent_id=writer.agent_id)
