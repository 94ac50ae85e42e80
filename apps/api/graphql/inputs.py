"""What callers send, and how it becomes what services take."""

from datetime import datetime
from typing import TypeVar, cast
from uuid import UUID

import strawberry

from apps.api.flows.forgetting import DEFAULT_FOUND, WhatToForget
from apps.api.graphql.scalars import JSON, uuid_of
from apps.journal.selectors import EntryFilter
from apps.memory.requests import NewMemory
from apps.memory.requests import RejectionFilter as Rejected
from apps.resources.services import NewTurn
from apps.retrieval.requests import MAXIMUM_LIMIT, ContextRequest, Filter, RecallRequest
from apps.tenants.models import ApiKey
from memory_platform.errors import Invalid
from memory_platform.model import Kind, Message, Profile, Role, Status, Strength, Unit, Verdict, Visibility
from memory_platform.retrieval.context import Style as ContextStyle
from memory_platform.text.redaction import JsonValue

MESSAGES_AT_MOST = 20
TOKENS_AT_MOST = 100_000

Each = TypeVar("Each")


@strawberry.input
class MessageInput:
    role: Role
    content: str


@strawberry.input
class MemoryFilter:
    """An empty list is a filter that nothing passes; an absent one is none."""

    kinds: list[Kind] | None = None
    categories: list[str] | None = None
    services: list[str] | None = None
    user_id: str | None = strawberry.field(
        default=None, description="For whom: this user's and what belongs to no user; absent: only the latter."
    )
    all_users: bool = strawberry.field(default=False, description="Every user's, side by side.")
    agent_id: str | None = None
    session_id: str | None = None
    entity: str | None = None
    statuses: list[Status] | None = None
    verdicts: list[Verdict] = strawberry.field(default_factory=lambda: [Verdict.ALLOW])
    min_confidence: float | None = None
    visibility: Visibility | None = None
    domain: str | None = None
    after: str | None = strawberry.field(default=None, description="Event time: ISO 8601, or a word such as last_week.")
    before: str | None = None

    def as_filter(self) -> Filter:
        return Filter(
            kinds=_tuple(self.kinds),
            categories=_tuple(self.categories),
            services=_tuple(self.services),
            agent_id=self.agent_id,
            session_id=self.session_id,
            entity=self.entity,
            statuses=_tuple(self.statuses),
            verdicts=tuple(self.verdicts),
            minimum_confidence=self.min_confidence,
            visibility=self.visibility,
            domain=self.domain,
            after=self.after,
            before=self.before,
        )


@strawberry.input
class RecallOptions:
    profile: Profile = Profile.AUTO
    limit: int | None = None
    max_tokens: int | None = None
    filter: MemoryFilter | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    units: list[Unit] = strawberry.field(default_factory=lambda: [Unit.ITEM, Unit.EPISODE])
    messages: list[MessageInput] | None = None
    explain: bool = False
    session_id: str | None = None

    def as_request(self, query: str) -> RecallRequest:
        return RecallRequest(
            query=query,
            profile=self.profile,
            limit=_within(self.limit, MAXIMUM_LIMIT, "limit"),
            max_tokens=_within(self.max_tokens, TOKENS_AT_MOST, "maxTokens"),
            filter=_filter(self.filter),
            as_of=aware(self.as_of, field="asOf"),
            valid_at=aware(self.valid_at, field="validAt"),
            units=tuple(self.units),
            messages=_messages(self.messages),
            session_id=self.session_id,
            explain=self.explain,
        )


@strawberry.input
class ContextOptions:
    max_tokens: int | None = None
    profile: Profile = Profile.AUTO
    style: ContextStyle = ContextStyle.FACTS
    filter: MemoryFilter | None = None
    as_of: datetime | None = None
    explain: bool = False
    session_id: str | None = None
    messages: list[MessageInput] | None = None

    def as_request(self, query: str | None) -> ContextRequest:
        return ContextRequest(
            query=query,
            max_tokens=_within(self.max_tokens, TOKENS_AT_MOST, "maxTokens"),
            profile=self.profile,
            style=self.style,
            filter=_filter(self.filter),
            as_of=aware(self.as_of, field="asOf"),
            messages=_messages(self.messages),
            session_id=self.session_id,
            explain=self.explain,
        )


@strawberry.input
class TurnInput:
    session_id: str = strawberry.field(description="The caller's own id; the session is created when new.")
    turn_number: int | None = strawberry.field(
        default=None,
        description="Next when absent. Repeating one with the same content is a no-op, with other content CONFLICT.",
    )
    user_id: str | None = None
    user_input: str | None = None
    tool_calls: JSON | None = None
    llm_output: str | None = None
    internal_state: JSON | None = None
    occurred_at: datetime | None = None
    visibility: Visibility = Visibility.PRIVATE

    def as_turn(self) -> NewTurn:
        return NewTurn(
            session_id=self.session_id,
            turn_number=self.turn_number,
            user_id=self.user_id,
            user_input=self.user_input,
            tool_calls=cast("JsonValue", self.tool_calls),
            llm_output=self.llm_output,
            internal_state=cast("JsonValue", self.internal_state),
            occurred_at=aware(self.occurred_at, field="occurredAt"),
            visibility=self.visibility,
        )


@strawberry.input
class RememberInput:
    text: str
    kind: Kind | None = None
    category: str | None = strawberry.field(
        default=None, description="Default: what the text is about; of a shared one the agent's own domain."
    )
    service: str | None = None
    confidence: float | None = None
    strength: Strength | None = None
    entities: list[str] | None = None
    user_id: str | None = None
    session_id: str | None = None
    visibility: Visibility | None = None
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    external_id: str | None = None

    def as_new(self) -> NewMemory:
        return NewMemory(
            text=self.text,
            kind=self.kind,
            category=self.category,
            service=self.service,
            confidence=self.confidence,
            strength=self.strength,
            entities=_tuple(self.entities),
            user_id=self.user_id,
            session_id=self.session_id,
            visibility=self.visibility or Visibility.PRIVATE,
            occurred_at=aware(self.occurred_at, field="occurredAt"),
            valid_from=aware(self.valid_from, field="validFrom"),
            valid_until=aware(self.valid_until, field="validUntil"),
            external_id=self.external_id,
        )


@strawberry.input
class ForgetInput:
    """By ids, by userId or by query: exactly one of the three."""

    ids: list[strawberry.ID] | None = None
    user_id: str | None = None
    query: str | None = None
    filter: MemoryFilter | None = strawberry.field(default=None, description="Narrows a query.")
    limit: int = strawberry.field(default=DEFAULT_FOUND, description="How much a query may take at most.")
    dry_run: bool = False
    reason: str | None = None

    def as_request(self) -> WhatToForget:
        return WhatToForget(
            ids=None if self.ids is None else tuple(uuid_of(each, field="ids") for each in self.ids),
            user_id=self.user_id,
            query=self.query,
            filter=_filter(self.filter),
            limit=self.limit,
            dry_run=self.dry_run,
            reason=self.reason or "",
        )


@strawberry.input
class JournalFilter:
    operation: str | None = None
    actor: str | None = None
    agent_id: str | None = None
    subject_id: strawberry.ID | None = None
    request_id: str | None = None
    after: datetime | None = None
    before: datetime | None = None

    def as_filter(self) -> EntryFilter:
        return EntryFilter(
            operation=self.operation,
            actor=self.actor,
            subject_id=_optional_id(self.subject_id, field="subjectId"),
            request_id=self.request_id,
            after=aware(self.after, field="after"),
            before=aware(self.before, field="before"),
        )


@strawberry.input
class RejectionFilter:
    session_id: str | None = None
    turn: int | None = strawberry.field(default=None, description="A number within a session.")
    stage: str | None = strawberry.field(default=None, description="extraction, gate or conflict.")
    reason: str | None = None

    def as_filter(self) -> Rejected:
        return Rejected(self.session_id, self.turn, self.stage, self.reason)


@strawberry.input
class LogInput:
    action: str = strawberry.field(description="The verb: deployed, restarted, decided.")
    tool: str = strawberry.field(default="", description="The noun: what was used or acted on.")
    detail: str = ""
    reason: str = ""


@strawberry.input
class ApiKeyInput:
    scopes: list[ApiKey.Scope]
    agent_id: str | None = strawberry.field(
        default=None, description="The agent's own name, created when new; default: the caller."
    )
    domain: str | None = strawberry.field(default=None, description="The agent's home category from now on.")
    name: str = ""
    expires_at: datetime | None = None
    user_id: str | None = strawberry.field(
        default=None, description="Binds it to one user: it reaches no other's memories. Scopes: read, write, share."
    )


def aware(value: datetime | None, *, field: str) -> datetime | None:
    """Raises Invalid for a time without a zone, which would mean another moment on each server."""
    if value is not None and value.tzinfo is None:
        raise Invalid(f"{field} has no time zone; add one, for example 2026-03-01T09:00:00Z.", field=field)
    return value


def _filter(given: MemoryFilter | None) -> Filter:
    return given.as_filter() if given else Filter()


def _tuple(values: list[Each] | None) -> tuple[Each, ...] | None:
    return None if values is None else tuple(values)


def _messages(given: list[MessageInput] | None) -> tuple[Message, ...]:
    if given is not None and len(given) > MESSAGES_AT_MOST:
        raise Invalid(f"At most {MESSAGES_AT_MOST} messages.", field="messages")
    return tuple(Message(each.role, each.content) for each in given or ())


def _within(value: int | None, most: int, field: str) -> int | None:
    if value is not None and not 1 <= value <= most:
        raise Invalid(f"{field} must lie between 1 and {most}.", field=field)
    return value


def _optional_id(value: str | None, *, field: str) -> UUID | None:
    return None if value is None else uuid_of(value, field=field)
