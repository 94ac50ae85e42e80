"""Reading what happened: sessions, checkpoints, resources, and resources as extractors and recall want them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, QuerySet, Subquery

from apps.core import scope
from apps.resources.models import Checkpoint, Resource, Session
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.errors import NotFound
from memory_platform.model import Audience, Message, Role, Utterance, Visibility
from memory_platform.text.redaction import redact


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


def last_messages(session_id: str, *, at_most: int, policy: Policy) -> tuple[Message, ...]:
    """What user and assistant said last in the session under the caller's own id, oldest first, free of secrets.

    One statement; nothing for an unknown session.
    """
    rows = Resource.objects.filter(
        tenant_id=scope.current().tenant_id,
        session_id=Subquery(_named(session_id).values("id")[:1]),
        role__in=(Role.USER.value, Role.ASSISTANT.value),
    )
    latest = rows.order_by("-ordinal").values_list("role", "raw_content")[:at_most]
    return tuple(Message(Role(role), safe(said, policy)) for role, said in reversed(latest))


def checkpoint(session_id: str, turn: int | None = None) -> Checkpoint | None:
    """A turn of the session under the caller's own id; the latest when `turn` is None."""
    rows = _checkpoints(session_id)
    return (rows if turn is None else rows.filter(turn_number=turn)).order_by("-turn_number").first()


def replay(session_id: str, *, turn: int | None = None, limit: int = 1000) -> list[Checkpoint]:
    """The session's turns from the first to `turn`, in order. Raises NotFound for an unknown session."""
    if session(session_id) is None:
        raise NotFound("There is no such session.", field="sessionId")
    rows = _checkpoints(session_id)
    return list((rows if turn is None else rows.filter(turn_number__lte=turn)).order_by("turn_number")[:limit])


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
    opened = scope.current()
    rows = Session.objects.filter(tenant_id=opened.tenant_id)
    return rows.filter(agent_id=opened.agent_id) if opened.agent_id else rows


def _named(session_id: str) -> QuerySet[Session]:
    own_first = [F("user_id").asc(nulls_last=True)] if scope.current().whose.user_id is not None else []
    return _sessions().filter(external_id=session_id).order_by(*own_first, "-last_active_at")


def _checkpoints(session_id: str) -> QuerySet[Checkpoint]:
    found = session(session_id)
    rows = Checkpoint.objects.filter(tenant_id=scope.current().tenant_id)
    return rows.none() if found is None else rows.filter(session_id=found.id)


def _source(columns: tuple[Any, ...]) -> MessageSource:
    named = dict(zip(MessageSource.__slots__, columns, strict=True))
    return MessageSource(**{**named, "role": Role(named["role"])})
