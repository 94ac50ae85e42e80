"""What REST callers send: the verbs' own fields in snake case, unknown ones refused."""

from typing import TypeVar, cast
from uuid import UUID

from ninja import Schema
from pydantic import AwareDatetime, ConfigDict, Field, JsonValue

from apps.api.flows.entities import Way
from apps.api.flows.forgetting import DEFAULT_FOUND, MOST_FOUND, WhatToForget
from apps.memory.requests import ItemOrder, NewMemory, RejectionFilter
from apps.resources.services import NewTurn
from apps.retrieval.requests import MAXIMUM_LIMIT, ContextRequest, Filter, RecallRequest
from apps.tenants.models import ApiKey
from memory_platform.knowledge.graph import MAXIMUM_DEPTH, EntityType
from memory_platform.model import Kind, Message, Profile, Role, Status, Strength, Unit, Verdict, Visibility
from memory_platform.retrieval.context import Style as ContextStyle
from memory_platform.text.redaction import JsonValue as CleanableJson

MESSAGES_AT_MOST = 20
TOKENS_AT_MOST = 100_000

Each = TypeVar("Each")


class Body(Schema):
    model_config = ConfigDict(extra="forbid")


class MessageBody(Body):
    role: Role
    content: str


class FilterBody(Body):
    """An empty list is a filter that nothing passes; an absent one is none."""

    kinds: tuple[Kind, ...] | None = None
    categories: tuple[str, ...] | None = None
    services: tuple[str, ...] | None = None
    user_id: str | None = Field(
        default=None, description="For whom: this user's and what belongs to no user; absent: only the latter."
    )
    all_users: bool = Field(default=False, description="Every user's, side by side.")
    agent_id: str | None = None
    session_id: str | None = None
    entity: str | None = None
    statuses: tuple[Status, ...] | None = None
    verdicts: tuple[Verdict, ...] = (Verdict.ALLOW,)
    min_confidence: float | None = None
    visibility: Visibility | None = None
    domain: str | None = None
    after: str | None = Field(default=None, description="Event time: ISO 8601, or a word such as last_week.")
    before: str | None = None

    def as_filter(self) -> Filter:
        return Filter(
            kinds=self.kinds,
            categories=self.categories,
            services=self.services,
            agent_id=self.agent_id,
            session_id=self.session_id,
            entity=self.entity,
            statuses=self.statuses,
            verdicts=self.verdicts,
            minimum_confidence=self.min_confidence,
            visibility=self.visibility,
            domain=self.domain,
            after=self.after,
            before=self.before,
        )


class UserQuery(Body):
    """For whom something is read: one user's and what belongs to no user, every user's, or only the latter."""

    user_id: str | None = None
    all_users: bool = False


class PageQuery(UserQuery):
    first: int | None = None
    after: str | None = None


class MemoriesQuery(UserQuery):
    """The query string of a list of memories. `after` is a cursor here."""

    first: int | None = None
    after: str | None = None
    order_by: ItemOrder = ItemOrder.NEWEST
    kind: list[Kind] | None = None
    category: list[str] | None = None
    status: list[Status] | None = None
    verdict: list[Verdict] | None = None
    entity: str | None = None
    visibility: Visibility | None = None
    domain: str | None = None

    def as_filter(self) -> Filter:
        return Filter(
            visibility=self.visibility,
            domain=self.domain,
            kinds=_tuple(self.kind),
            categories=_tuple(self.category),
            statuses=_tuple(self.status),
            verdicts=_tuple(self.verdict) or (Verdict.ALLOW,),
            entity=self.entity,
        )


class RecallBody(Body):
    query: str
    profile: Profile = Profile.AUTO
    limit: int | None = Field(default=None, ge=1, le=MAXIMUM_LIMIT)
    max_tokens: int | None = Field(default=None, ge=1, le=TOKENS_AT_MOST)
    filter: FilterBody = Field(default_factory=FilterBody)
    as_of: AwareDatetime | None = None
    valid_at: AwareDatetime | None = None
    units: tuple[Unit, ...] = (Unit.ITEM, Unit.EPISODE)
    messages: tuple[MessageBody, ...] = Field(default=(), max_length=MESSAGES_AT_MOST)
    explain: bool = False
    session_id: str | None = None

    def as_request(self) -> RecallRequest:
        return RecallRequest(
            query=self.query,
            profile=self.profile,
            limit=self.limit,
            max_tokens=self.max_tokens,
            filter=self.filter.as_filter(),
            as_of=self.as_of,
            valid_at=self.valid_at,
            units=self.units,
            messages=_messages(self.messages),
            session_id=self.session_id,
            explain=self.explain,
        )


class ContextBody(Body):
    query: str | None = None
    max_tokens: int | None = Field(default=None, ge=1, le=TOKENS_AT_MOST)
    profile: Profile = Profile.AUTO
    style: ContextStyle = ContextStyle.FACTS
    filter: FilterBody = Field(default_factory=FilterBody)
    as_of: AwareDatetime | None = None
    explain: bool = False
    session_id: str | None = None
    messages: tuple[MessageBody, ...] = Field(default=(), max_length=MESSAGES_AT_MOST)

    def as_request(self) -> ContextRequest:
        return ContextRequest(
            query=self.query,
            max_tokens=self.max_tokens,
            profile=self.profile,
            style=self.style,
            filter=self.filter.as_filter(),
            as_of=self.as_of,
            messages=_messages(self.messages),
            session_id=self.session_id,
            explain=self.explain,
        )


class TurnBody(Body):
    session_id: str
    turn_number: int | None = None
    user_id: str | None = None
    user_input: str | None = None
    tool_calls: JsonValue = None
    llm_output: str | None = None
    internal_state: JsonValue = None
    occurred_at: AwareDatetime | None = None
    visibility: Visibility = Visibility.PRIVATE

    def as_turn(self) -> NewTurn:
        return NewTurn(
            session_id=self.session_id,
            turn_number=self.turn_number,
            user_id=self.user_id,
            user_input=self.user_input,
            tool_calls=cast("CleanableJson", self.tool_calls),
            llm_output=self.llm_output,
            internal_state=cast("CleanableJson", self.internal_state),
            occurred_at=self.occurred_at,
            visibility=self.visibility,
        )


class RememberBody(Body):
    text: str
    kind: Kind | None = None
    category: str | None = None
    service: str | None = None
    confidence: float | None = None
    strength: Strength | None = None
    entities: tuple[str, ...] | None = None
    user_id: str | None = None
    session_id: str | None = None
    visibility: Visibility = Visibility.PRIVATE
    occurred_at: AwareDatetime | None = None
    valid_from: AwareDatetime | None = None
    valid_until: AwareDatetime | None = None
    external_id: str | None = None

    def as_new(self) -> NewMemory:
        return NewMemory(
            text=self.text,
            kind=self.kind,
            category=self.category,
            service=self.service,
            confidence=self.confidence,
            strength=self.strength,
            entities=self.entities,
            user_id=self.user_id,
            session_id=self.session_id,
            visibility=self.visibility,
            occurred_at=self.occurred_at,
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            external_id=self.external_id,
        )


class SharedMemoryBody(Body):
    """A fact for all agents of the tenant."""

    text: str
    domain: str | None = Field(
        default=None, description="A category; default and, but for admins, only the agent's own."
    )
    kind: Kind | None = None
    service: str | None = None
    confidence: float | None = None
    strength: Strength | None = None
    entities: tuple[str, ...] | None = None
    user_id: str | None = None
    occurred_at: AwareDatetime | None = None
    valid_from: AwareDatetime | None = None
    valid_until: AwareDatetime | None = None
    external_id: str | None = None

    def as_new(self) -> NewMemory:
        return NewMemory(
            category=self.domain, visibility=Visibility.SHARED, **{name: getattr(self, name) for name in _OWN_WORDS}
        )


_OWN_WORDS = SharedMemoryBody.model_fields.keys() - {"domain"}


class SharedQuery(UserQuery):
    """The query string of a question to shared memory."""

    query: str
    domain: str | None = None
    limit: int | None = Field(default=None, ge=1, le=MAXIMUM_LIMIT)

    def as_request(self) -> RecallRequest:
        return RecallRequest(query=self.query, limit=self.limit, filter=Filter(domain=self.domain))


class RejectionsQuery(PageQuery):
    """The query string of a list of rejections; `turn` is a number within the session."""

    session_id: str | None = None
    turn: int | None = None
    stage: str | None = None
    reason: str | None = None

    def as_filter(self) -> RejectionFilter:
        return RejectionFilter(self.session_id, self.turn, self.stage, self.reason)


class ShareBody(Body):
    domain: str | None = Field(default=None, description="A category; default: the agent's own, else the memory's.")


class EntityQuery(UserQuery):
    """The query string of an entity by name."""

    name: str
    as_of: AwareDatetime | None = None


class EntitiesQuery(PageQuery):
    """The query string of a list of entities; `search` finds part of a name."""

    search: str | None = None
    type: EntityType | None = None


class EntityByIdQuery(UserQuery):
    """The query string of an entity by id."""

    as_of: AwareDatetime | None = None


class PathQuery(UserQuery):
    """The query string of a way between two entities."""

    start: UUID = Field(alias="from")
    end: UUID = Field(alias="to")
    max_depth: int = Field(default=MAXIMUM_DEPTH, ge=1, le=MAXIMUM_DEPTH)
    as_of: AwareDatetime | None = None

    def as_way(self) -> Way:
        return Way(self.start, self.end, self.max_depth, self.as_of)


class MergeBody(Body):
    """The entities that become one with the one in the address."""

    from_ids: tuple[UUID, ...] = Field(alias="from")


class SplitBody(Body):
    """The names that get an entity of their own."""

    aliases: tuple[str, ...]


class CorrectBody(Body):
    text: str
    reason: str = ""


class ForgetBody(Body):
    """By ids, by user_id or by query: exactly one of the three."""

    ids: tuple[UUID, ...] | None = None
    user_id: str | None = None
    query: str | None = None
    filter: FilterBody = Field(default_factory=FilterBody)
    limit: int = Field(default=DEFAULT_FOUND, ge=1, le=MOST_FOUND)
    dry_run: bool = False
    reason: str = ""

    def as_request(self) -> WhatToForget:
        return WhatToForget(
            ids=self.ids,
            user_id=self.user_id,
            query=self.query,
            filter=self.filter.as_filter(),
            limit=self.limit,
            dry_run=self.dry_run,
            reason=self.reason,
        )


class RestoreBody(Body):
    batch_id: UUID


class OutputBody(Body):
    output: str


class LogBody(Body):
    action: str = Field(min_length=1, max_length=64)
    tool: str = Field(default="", max_length=128)
    detail: str = ""
    reason: str = ""


class KeyBody(Body):
    scopes: tuple[ApiKey.Scope, ...] = Field(min_length=1)
    agent_id: str | None = Field(default=None, description="The agent's own name, created when new; default: yours.")
    domain: str | None = Field(default=None, description="The agent's home category from now on.")
    name: str = Field(default="", max_length=200)
    expires_at: AwareDatetime | None = None
    user_id: str | None = Field(
        default=None, description="Binds it to one user: it reaches no other's memories. Scopes: read, write, share."
    )


class RotateBody(Body):
    overlap_seconds: int = Field(default=0, ge=0, le=30 * 86_400, description="How much longer the old key works.")


def _messages(given: tuple[MessageBody, ...]) -> tuple[Message, ...]:
    return tuple(Message(each.role, each.content) for each in given)


def _tuple(values: list[Each] | None) -> tuple[Each, ...] | None:
    return None if values is None else tuple(values)
