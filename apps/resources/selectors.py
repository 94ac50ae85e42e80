"""Reading what happened: sessions, checkpoints, resources, and resources as extractors and recall want them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, QuerySet

from apps.core import scope
from apps.resources.models import Checkpoint, Resource, Session
from apps.tenants import selectors as tenants
from memory_platform.errors import NotFound
from memory_platform.model import Role, Utterance
from memory_platform.text.redaction import redact

BELIEVED_FROM = "least({episode}.content_at, {episode}.created_at)"
"""memory_platform.lifecycle.belief.believed_from of a message, in SQL."""


@dataclass(frozen=True, slots=True)
class Source:
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


def session(session_id: str) -> Session | None:
    """The session under the caller's own id: the scope's agent's; without an agent the latest of the tenant.

    To a user its own goes before one of no user.
    """
    own_first = [F("user_id").asc(nulls_last=True)] if scope.current().whose.user_id is not None else []
    return _sessions().filter(external_id=session_id).order_by(*own_first, "-last_active_at").first()


def sessions() -> QuerySet[Session]:
    """The agent's sessions (without an agent, the tenant's), for paging."""
    return _sessions()


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


def as_utterances(ids: Sequence[UUID]) -> list[Utterance]:
    """The resources as an extractor sees them, free of secrets, by session and ordinal."""
    hides = tenants.policy(scope.current().tenant_id).keep_raw_secrets
    return [_utterance(row, hides=hides) for row in resources(ids)]


def preceding(ids: Sequence[UUID], *, count: int) -> list[Utterance]:
    """Up to `count` utterances of the same session and audience said before the earliest of `ids`, in order."""
    rows = resources(ids)
    if not rows or count < 1:
        return []
    first = rows[0]
    before = Resource.objects.filter(
        tenant_id=first.tenant_id,
        session_id=first.session_id,
        user_id=first.user_id,
        visibility=first.visibility,
        ordinal__lt=first.ordinal,
    ).order_by("-ordinal")[:count]
    hides = tenants.policy(first.tenant_id).keep_raw_secrets
    return [_utterance(row, hides=hides) for row in reversed(before)]


def sources(ids: Sequence[UUID]) -> Mapping[UUID, Source]:
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


def resource_ids_of_user(user_id: str) -> list[UUID]:
    """Everything the tenant holds of what was said with this user: for forgetting."""
    rows = Resource.objects.filter(tenant_id=scope.current().tenant_id, user_id=user_id)
    return list(rows.values_list("id", flat=True))


def _sessions() -> QuerySet[Session]:
    opened = scope.current()
    rows = Session.objects.filter(tenant_id=opened.tenant_id)
    return rows.filter(agent_id=opened.agent_id) if opened.agent_id else rows


def _checkpoints(session_id: str) -> QuerySet[Checkpoint]:
    found = session(session_id)
    rows = Checkpoint.objects.filter(tenant_id=scope.current().tenant_id)
    return rows.none() if found is None else rows.filter(session_id=found.id)


def _source(columns: tuple[Any, ...]) -> Source:
    named = dict(zip(Source.__slots__, columns, strict=True))
    return Source(**{**named, "role": Role(named["role"])})


def _utterance(row: Resource, *, hides: bool) -> Utterance:
    return Utterance(
        resource_id=row.id,
        role=Role(row.role),
        speaker=row.speaker,
        text=redact(row.raw_content).text if hides else row.raw_content,
        said_at=row.content_at,
    )
