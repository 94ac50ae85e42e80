"""How messages become rows: their sessions found or made and locked, their ordinals handed out, resources inserted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from apps.core import rows, scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.core.scope import Scope
from apps.core.sql import statement
from apps.resources.services import ending
from apps.resources.services.cleaning import CleanText
from apps.resources.services.episodes import Episode
from apps.tenants import selectors as tenants
from memory_platform.model import Audience, Role
from memory_platform.text.structure import ContentType

# Whose session it is, and the caller's own id of it.
SessionName = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Writer:
    """On whose behalf is written; `keeps_raw`: secrets stay in raw contents."""

    tenant_id: UUID
    agent_id: UUID
    keeps_raw: bool

    @classmethod
    def of(cls, opened: Scope, agent_id: UUID | None) -> "Writer":
        """`agent_id` defaults to the scope's. Raises NoScope when neither names an agent."""
        chosen = agent_id or opened.agent_id
        if chosen is None:
            raise scope.NoScope("Writing needs an agent: open the scope with one, or name it.")
        return cls(opened.tenant_id, chosen, tenants.policy(opened.tenant_id).keep_raw_secrets)


@dataclass(slots=True)
class SessionPlace:
    """A locked session, and what its next message and turn are numbered.

    `opens`: it is new, or had ended. Its turns up to `parent_turn` are those of the session it is a branch of.
    """

    session_id: UUID
    next_ordinal: int
    next_turn: int
    opens: bool
    parent_turn: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class NewMessage:
    """Something said, ready to be stored."""

    resource_id: UUID
    audience: Audience
    role: Role
    speaker: str | None
    content: CleanText
    said_at: datetime
    turn_number: int | None = None
    external_id: str | None = None
    content_type: str = ContentType.PLAIN.value


def lock_sessions(writer: Writer, started: Mapping[SessionName, datetime]) -> dict[SessionName, SessionPlace]:
    """Find or create the sessions and lock them, in one order for all callers, so that none deadlock.

    `started` says when a new one began; one that had ended goes on. Those that this opens are watched until they end.
    """
    now = clock_now()
    names = sorted(started, key=lambda name: (name[1], name[0] or ""))
    with connection.cursor() as cursor:
        cursor.execute(
            statement("resources", "lock_sessions"),
            {
                "tenant": writer.tenant_id,
                "agent": writer.agent_id,
                "ids": [new_id() for _ in names],
                "externals": [external_id for _, external_id in names],
                "users": [user_id for user_id, _ in names],
                "started": [started[name] for name in names],
                "now": now,
            },
        )
        places = {(user_id, external_id): SessionPlace(*place) for user_id, external_id, *place in cursor.fetchall()}
    ending.watch([place.session_id for place in places.values() if place.opens], since=now)
    return places


def store(writer: Writer, told: Iterable[tuple[SessionPlace, NewMessage]]) -> list[Episode]:
    """Insert the messages under their sessions' next ordinals, and move the sessions on."""
    places: dict[UUID, SessionPlace] = {}
    episodes: list[Episode] = []
    messages: list[Mapping[str, object]] = []
    for place, message in told:
        episodes.append(_episode(place, message))
        messages.append(_row(writer, place, message))
        place.next_ordinal += 1
        place.next_turn = max(place.next_turn, (message.turn_number or 0) + 1)
        places[place.session_id] = place
    _insert(writer, places.values(), messages)
    return episodes


def skip(writer: Writer, place: SessionPlace, *, turn_number: int) -> None:
    """Move a session on past a turn in which nobody said anything."""
    place.next_turn = max(place.next_turn, turn_number + 1)
    _insert(writer, [place], [])


def _insert(writer: Writer, places: Iterable[SessionPlace], messages: Sequence[Mapping[str, object]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            statement("resources", "store_messages"),
            {
                "tenant": writer.tenant_id,
                "agent": writer.agent_id,
                "places": rows.recordset([asdict(place) for place in places]),
                "messages": rows.recordset(messages),
            },
        )


def _episode(place: SessionPlace, message: NewMessage) -> Episode:
    return Episode(
        resource_id=message.resource_id,
        session_id=place.session_id,
        ordinal=place.next_ordinal,
        audience=message.audience,
        speaker=message.speaker,
        text=message.content.text,
        said_at=message.said_at,
        role=message.role,
        redacted=message.content.kinds,
    )


def _row(writer: Writer, place: SessionPlace, message: NewMessage) -> Mapping[str, object]:
    return {
        "id": message.resource_id,
        "session": place.session_id,
        "user": message.audience.user_id,
        "visibility": message.audience.visibility.value,
        "ordinal": place.next_ordinal,
        "turn": message.turn_number,
        "role": message.role.value,
        "speaker": message.speaker,
        "content_type": message.content_type,
        "content": message.content.raw if writer.keeps_raw else message.content.text,
        "digest": f"\\x{message.content.digest.hex()}",
        "external_id": message.external_id,
        "at": message.said_at,
    }
