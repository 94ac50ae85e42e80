"""Reading what happened: sessions, checkpoints, resources, and resources as extractors and recall want them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import (
    Count,
    Exists,
    F,
    JSONField,
    OuterRef,
    PositiveIntegerField,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.lookups import IsNull

from apps.core import paging, scope
from apps.core.paging import PageRequest, Slice
from apps.core.rows import among
from apps.core.sql import statement
from apps.resources.models import Checkpoint, Resource, Session
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Conflict, NotFound
from memory_platform.model import Audience, Message, Role, Utterance, Visibility
from memory_platform.text.redaction import redact

MOST_TURNS_AT_ONCE: Final = 1000
SESSION_LINE: Final = statement("resources", "session_line")
"""Of `tenant`, `agent`, `user` and `session`, for statements that look at what is a session's or its ancestors'."""
_STEP_ORDER: Final = ("id",)


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
class Turn:
    """A turn as it was reported, with its messages in order; without a number a message that came by itself."""

    id: UUID
    number: int | None
    at: datetime
    tool_calls: Any
    internal_state: Any
    messages: tuple[Utterance, ...]


@dataclass(frozen=True, slots=True)
class Recovered:
    """What an agent needs to go on: its last state, the turn that was saved with it, and the turns since."""

    session: Session
    state: Any
    state_turn: int | None
    turns: tuple[Checkpoint, ...]


def readable() -> QuerySet[Resource]:
    """The messages the scope may read, in no order: for apps above, whose statements have conditions of their own."""
    return Resource.objects.filter(tenant_id=scope.current().tenant_id)


def resources(ids: Collection[UUID]) -> list[Resource]:
    """The readable resources among `ids`, by session and ordinal."""
    return list(readable().filter(id__in=ids).order_by("session_id", "ordinal"))


def episodes() -> int:
    """How many captured messages the scope may read."""
    return readable().count()


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """How many sessions there are, how many of them go on, and how many messages they brought."""

    sessions: int
    open: int
    messages: int


def tally() -> SessionCounts:
    """Over the sessions the scope may read."""
    counted = Session.objects.filter(tenant_id=scope.current().tenant_id).aggregate(
        sessions=Count("id"), open=Count("id", filter=Q(ended_at=None)), messages=Sum("next_ordinal", default=0)
    )
    return SessionCounts(**counted)


def session(session_id: str) -> Session | None:
    """The session under the caller's own id: the scope's agent's; without an agent the latest of the tenant.

    To a user its own goes before one of no user. To who sees every user's, that of no user comes first; raises Conflict
    where there is none and several users of the agent have one of that id.
    """
    opened, found = scope.current(), list(_named(session_id)[:2])
    is_anyones = opened.whose.everyone and opened.agent_id is not None
    if is_anyones and len(found) > 1 and found[0].user_id is not None:
        raise Conflict("Several users have a session of this id.", hint="Name the user.", field="userId")
    return found[0] if found else None


def session_reference(session_id: str) -> Subquery:
    """Our own id of the session under the caller's, the first that `session` looks at, for a statement that names it;
    null: there is none.
    """
    return Subquery(_named(session_id).values("id")[:1])


def session_names(ids: Collection[UUID]) -> dict[UUID, str]:
    """The callers' own ids of the readable sessions among `ids`."""
    rows = Session.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids)
    return dict(rows.values_list("id", "external_id"))


def sessions(
    *, agent_id: UUID | None = None, since: datetime | None = None, until: datetime | None = None, page: PageRequest
) -> Slice[Session]:
    """The agent's sessions (without an agent, the tenant's) that were active between two times, those that began last
    first. Raises Invalid on a malformed cursor.
    """
    wanted = {"agent_id": agent_id, "last_active_at__gte": since, "started_at__lt": until}
    rows = _sessions().filter(**{column: value for column, value in wanted.items() if value is not None})
    return paging.paginate(rows, order=("-started_at", "-id"), page=page)


def session_by_id(session_id: UUID) -> Session | None:
    """The session, if it is the agent's (without an agent, the tenant's)."""
    return _sessions().filter(id=session_id).first()


def replayed(session: Session, *, page: PageRequest, policy: Policy) -> Slice[Turn]:
    """A session's turns in the order they came, each with what was said in it, free of secrets; two statements.

    Raises Invalid on a malformed cursor.
    """
    found = list(_steps(session, after=step(page.after))[: page.first + 1])
    kept = found[: page.first]
    ids, numbers = [one[0] for one in kept], [one[1] for one in kept if one[1] is not None]
    said_then: dict[UUID | int, list[Utterance]] = {}
    for row in said(session).filter(Q(id__in=ids) | Q(turn_number__in=numbers)).order_by("ordinal"):
        key = row.id if row.id in ids or row.turn_number is None else row.turn_number
        said_then.setdefault(key, []).append(utterance(row, policy))
    cut = tuple(
        Turn(row_id, number, at, calls, state, tuple(said_then.get(row_id if number is None else number, ())))
        for row_id, number, at, calls, state in kept
    )
    return Slice(cut, tuple(paging.encode([turn.id], order=_STEP_ORDER) for turn in cut), len(found) > page.first)


def step(cursor: str | None) -> UUID | None:
    """The last row of the page before, by which rows of other tables can be cut, too. Raises Invalid."""
    if cursor is None:
        return None
    (last,) = paging.decode(cursor, order=_STEP_ORDER)
    try:
        return UUID(str(last))
    except ValueError:
        raise paging.malformed() from None


def every_session() -> QuerySet[Session]:
    """Every session of the tenant, in no order."""
    return Session.objects.filter(tenant_id=scope.current().tenant_id)


def with_parents() -> QuerySet[Session]:
    """Every session of the tenant, each with the one it is a branch of."""
    return every_session().select_related("parent")


def last_messages(session_id: str, *, at_most: int, policy: Policy) -> tuple[Message, ...]:
    """What user and assistant said last in the session under the caller's own id, oldest first, free of secrets.

    One statement where it has so many of its own, else what it is a branch of is read, too; nothing for an unknown one.
    """
    rows = readable().filter(session_id=session_reference(session_id))
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
    """The session's turns up to `turn`, in order: where they are more than `limit`, the newest of them.

    Raises NotFound for an unknown session.
    """
    return list(reversed(turns(_known(session_id), until=turn).order_by("-turn_number")[:limit]))


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


def answers(ids: Collection[UUID]) -> dict[UUID, UUID]:
    """The messages that come right after these in their sessions, tools' apart, each with the one before it."""
    tenant_id = scope.current().tenant_id
    asked = Resource.objects.filter(tenant_id=tenant_id, id__in=among(ids))
    spoken = Resource.objects.filter(tenant_id=tenant_id).exclude(role=Role.TOOL.value)
    earlier = spoken.filter(session_id=OuterRef("session_id"), ordinal__lt=OuterRef("ordinal")).order_by("-ordinal")
    rows = Resource.objects.filter(tenant_id=tenant_id, session_id__in=asked.values("session_id"))
    after = rows.annotate(before=Subquery(earlier.values("id")[:1])).filter(before__in=among(ids))
    return dict(after.values_list("id", "before"))


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


def named(names: Collection[tuple[str, str]], *, audience: Audience) -> list[UUID]:
    """Messages of an audience, each by its session's and its own external id."""
    rows = Resource.objects.filter(
        tenant_id=scope.current().tenant_id,
        agent_id=audience.agent_id,
        user_id=audience.user_id,
        visibility=audience.visibility,
        session__external_id__in={session for session, _ in names},
        external_id__in={message for _, message in names},
    )
    found = rows.order_by("id").values_list("id", "session__external_id", "external_id")
    return [row_id for row_id, session, message in found if (session, message) in set(names)]


def audiences(ids: Sequence[UUID]) -> set[Audience]:
    """Whose the resources are."""
    rows = readable().filter(id__in=ids)
    owners = rows.values_list("agent_id", "user_id", "visibility").distinct()
    return {Audience(agent_id, user_id, Visibility(visibility)) for agent_id, user_id, visibility in owners}


def every_id() -> list[UUID]:
    """All resources there are, in the order they were captured."""
    return list(readable().order_by("id").values_list("id", flat=True))


def _steps(session: Session, *, after: UUID | None) -> QuerySet[Any, Any]:
    """Turns that were reported whole, and messages that came by themselves, in the order they came."""
    whole, alone = turns(session), said(session)
    reported = whole.filter(turn_number=OuterRef("turn_number"))
    alone = alone.exclude(Exists(reported))
    if after is not None:
        whole, alone = whole.filter(id__gt=after), alone.filter(id__gt=after)
    nothing = Value(None, output_field=JSONField())
    return (
        whole.values_list("id", "turn_number", "occurred_at", "tool_calls", "internal_state")
        .union(
            alone.values_list("id", Value(None, output_field=PositiveIntegerField()), "content_at", nothing, nothing),
            all=True,
        )
        .order_by("id")
    )


def _sessions() -> QuerySet[Session]:
    agent_id = scope.current().agent_id
    return with_parents().filter(agent_id=agent_id) if agent_id else with_parents()


def _named(session_id: str) -> QuerySet[Session]:
    of_no_user = IsNull(F("user_id"), True)
    is_asked_for = scope.current().whose.user_id is not None
    whose_first = of_no_user.asc() if is_asked_for else of_no_user.desc()
    return _sessions().filter(external_id=session_id).order_by(whose_first, "-last_active_at")


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
