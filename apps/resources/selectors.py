"""Reading what happened: sessions, checkpoints, resources, and resources as extractors and recall want them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import F, Q, QuerySet, Subquery

from apps.core import scope
from apps.resources.models import Checkpoint, Resource, Session
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.errors import NotFound
from memory_platform.model import Audience, Message, Role, Utterance, Visibility
from memory_platform.text.redaction import redact

MOST_TURNS_AT_ONCE: Final = 1000


@dataclass(frozen=True, slots=True)
class MessageSource:
    """Where something was said, and to which agent.

    `session_external_id`, `external_id` and `speaker` are the caller's own strings.
    """

    resource_id: UUID
    agent_id: UUID
    session_id: UUID
    session_external_id: str
    external_id: str | None
    ordinal: int
    turn_number: int | None
    role: Role
    speaker: str | None
    said_at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """What an agent needs to go on: its last state, the turn that was saved with it, and the turns since."""

    session: Session
    state: Any
    state_turn: int | None
    turns: tuple[Checkpoint, ...]


def resources(ids: Sequence[UUID]) -> list[Resource]:
    """The readable resources among `ids`, by session and ordinal."""
    rows = Resource.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids)
    return list(rows.order_by("session_id", "ordinal"))


def episodes() -> int:
    """How many captured messages the scope may read."""
    return Resource.objects.filter(tenant_id=scope.current().tenant_id).count()


def session(session_id: str) -> Session | None:
    """The session under the caller's own id: the scope's agent's; without an agent the latest of the tenant.

    To a user its own goes before one of no user.
    """
    return _named(session_id).first()


def session_names(ids: Collection[UUID]) -> dict[UUID, str]:
    """The callers' own ids of the readable sessions among `ids`."""
    rows = Session.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids)
    return dict(rows.values_list("id", "external_id"))


def sessions() -> QuerySet[Session]:
    """The agent's sessions (without an agent, the tenant's), for paging."""
    return _sessions()


def with_parents() -> QuerySet[Session]:
    """Every session of the tenant, each with the one it is a branch of."""
    return Session.objects.filter(tenant_id=scope.current().tenant_id).select_related("parent")


def last_messages(session_id: str, *, at_most: int, policy: Policy) -> tuple[Message, ...]:
    """What user and assistant said last in the session under the caller's own id, oldest first, free of secrets.

    One statement where it has so many of its own, else what it is a branch of is read, too; nothing for an unknown one.
    """
    rows = Resource.objects.filter(
        tenant_id=scope.current().tenant_id, session_id=Subquery(_named(session_id).values("id")[:1])
    )
    latest = _latest(rows, at_most)
    if len(latest) < at_most and (found := session(session_id)) is not None and found.parent_id is not None:
        latest = _latest(said(found), at_most)
    return tuple(Message(Role(role), safe(words, policy)) for role, words in reversed(latest))


def checkpoint(session_id: str, turn: int | None = None) -> Checkpoint | None:
    """A turn of the session under the caller's own id; the latest when `turn` is None."""
    found = session(session_id)
    if found is None:
        return None
    rows = turns(found)
    return (rows if turn is None else rows.filter(turn_number=turn)).order_by("-turn_number").first()


def replay(session_id: str, *, turn: int | None = None, limit: int = MOST_TURNS_AT_ONCE) -> list[Checkpoint]:
    """The session's turns from the first to `turn`, in order. Raises NotFound for an unknown session."""
    return list(turns(_known(session_id), until=turn).order_by("turn_number")[:limit])


def recover(session_id: str, *, limit: int = MOST_TURNS_AT_ONCE) -> Recovered:
    """The last state the agent saved, and the turns since, in order: where they are more than `limit`, the newest.

    Raises NotFound for an unknown session.
    """
    found = _known(session_id)
    saved = turns(found).filter(internal_state__isnull=False).order_by("-turn_number").first()
    since = turns(found) if saved is None else turns(found).filter(turn_number__gt=saved.turn_number)
    return Recovered(
        session=found,
        state=None if saved is None else saved.internal_state,
        state_turn=None if saved is None else saved.turn_number,
        turns=tuple(reversed(since.order_by("-turn_number")[:limit])),
    )


def ancestors(session: Session) -> Iterator[Session]:
    """The sessions it is a branch of, the nearest first; a statement for each that is not loaded yet."""
    while session.parent is not None:
        session = session.parent
        yield session


def turns(session: Session, *, until: int | None = None) -> QuerySet[Checkpoint]:
    """A session's turns up to and with one, in no order; those before a branch are its parent's."""
    return Checkpoint.objects.filter(_of(session, until), tenant_id=session.tenant_id)


def said(session: Session, *, until: int | None = None) -> QuerySet[Resource]:
    """The messages of a session's turns, in the same way."""
    return Resource.objects.filter(_of(session, until), tenant_id=session.tenant_id)


def safe(text: str, policy: Policy) -> str:
    """What was said, free of secrets: a policy may keep them in raw resources, and nowhere else."""
    return redact(text).text if policy.keep_raw_secrets else text


def utterance(row: Resource, policy: Policy) -> Utterance:
    """A resource as an extractor sees it, free of secrets."""
    return Utterance(
        resource_id=row.id,
        role=Role(row.role),
        speaker=row.speaker,
        text=safe(row.raw_content, policy),
        said_at=row.content_at,
    )


def as_utterances(ids: Sequence[UUID]) -> list[Utterance]:
    """The resources as an extractor sees them, free of secrets, by session and ordinal."""
    policy = tenants.policy(scope.current().tenant_id)
    return [utterance(row, policy) for row in resources(ids)]


def sources(ids: Sequence[UUID]) -> Mapping[UUID, MessageSource]:
    """Resource id → where and when it was said, for the readable ones; one statement, on recall's hot path."""
    if not ids:
        return {}
    tenant_id = scope.current().tenant_id
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT r.id, r.agent_id, r.session_id, s.external_id, r.external_id, r.ordinal, r.turn_number, r.role,"
            " r.speaker, r.content_at, r.raw_content FROM resources_resource r"
            " JOIN resources_session s ON s.tenant_id = r.tenant_id AND s.id = r.session_id"
            " WHERE r.tenant_id = %s AND r.id = ANY(%s)",
            [tenant_id, list(ids)],
        )
        return {row[0]: _source(row) for row in cursor.fetchall()}


def audiences(ids: Sequence[UUID]) -> set[Audience]:
    """Whose the resources are."""
    rows = Resource.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids)
    owners = rows.values_list("agent_id", "user_id", "visibility").distinct()
    return {Audience(agent_id, user_id, Visibility(visibility)) for agent_id, user_id, visibility in owners}


def every_id() -> list[UUID]:
    """All resources there are, in the order they were captured."""
    rows = Resource.objects.filter(tenant_id=scope.current().tenant_id)
    return list(rows.order_by("id").values_list("id", flat=True))


def _sessions() -> QuerySet[Session]:
    agent_id = scope.current().agent_id
    return with_parents().filter(agent_id=agent_id) if agent_id else with_parents()


def _named(session_id: str) -> QuerySet[Session]:
    own_first = [F("user_id").asc(nulls_last=True)] if scope.current().whose.user_id is not None else []
    return _sessions().filter(external_id=session_id).order_by(*own_first, "-last_active_at")


def _known(session_id: str) -> Session:
    found = session(session_id)
    if found is None:
        raise NotFound("There is no such session.", field="sessionId")
    return found


def _of(session: Session, until: int | None) -> Q:
    """The rows of a session's turns: its own, and of each it descends from those before the branch."""
    rows = Q(session_id=session.id) if until is None else Q(session_id=session.id, turn_number__lte=until)
    for child, parent in pairwise([session, *ancestors(session)]):
        until = min(turn for turn in (child.parent_turn, until) if turn is not None)
        rows |= Q(session_id=parent.id, turn_number__lte=until)
    return rows


def _latest(rows: QuerySet[Resource], at_most: int) -> list[tuple[str, str]]:
    spoken = rows.filter(role__in=(Role.USER.value, Role.ASSISTANT.value))
    return list(spoken.order_by("-ordinal").values_list("role", "raw_content")[:at_most])


def _source(columns: tuple[Any, ...]) -> MessageSource:
    named = dict(zip(MessageSource.__slots__, columns, strict=True))
    return MessageSource(**{**named, "role": Role(named["role"])})
