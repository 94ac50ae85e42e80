"""What callers ask of retrieval."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from apps.tenants.trying import TriedNumbers
from memory_platform.model import ContextStyle, Kind, Message, Profile, Status, Unit, Verdict, Visibility

MAXIMUM_LIMIT = 100
MAXIMUM_QUERY_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows may answer. An empty tuple is a filter that nothing passes; None is no filter at all.

    Whose rows they are is for the scope to say.
    """

    kinds: tuple[Kind, ...] | None = None
    categories: tuple[str, ...] | None = None
    services: tuple[str, ...] | None = None
    agent_id: str | None = None
    session_id: str | None = None
    entity: str | None = None
    statuses: tuple[Status, ...] | None = None
    verdicts: tuple[Verdict, ...] = (Verdict.ALLOW,)
    minimum_confidence: float | None = None
    visibility: Visibility | None = None
    domain: str | None = None
    after: str | None = None
    before: str | None = None
    id_part: str | None = None

    @property
    def domain_categories(self) -> tuple[str, ...] | None:
        """A domain is a category: with both, what lies in either alone does not pass."""
        if self.domain is None:
            return self.categories
        return (self.domain,) if self.categories is None or self.domain in self.categories else ()


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question. `after`/`before` of the filter are ISO dates or words such as last_week, of event time.

    `session_id`: the conversation it is asked in, in the caller's own words. Its hits are remembered and marked when
    they come again, or without `repeat` left out; its last messages are read where the question leans on them and no
    `messages` are sent. A `trial` is answered with its numbers: nothing but what it spent is kept, and no memory counts
    as used by it.
    """

    query: str
    profile: Profile = Profile.AUTO
    limit: int | None = None
    max_tokens: int | None = None
    filter: Filter = field(default_factory=Filter)
    as_of: datetime | None = None
    valid_at: datetime | None = None
    units: tuple[Unit, ...] = (Unit.ITEM, Unit.EPISODE)
    messages: tuple[Message, ...] = ()
    session_id: str | None = None
    explain: bool = False
    repeat: bool = True
    trial: TriedNumbers | None = None


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """A block for the prompt; without a query: what to know at the start of a session.

    Without `max_tokens`: Policy's context_tokens and context_limit memories at most; with it as many as fit. What
    `session_id` was already given is left out unless it changed since, or `repeat` asks for it. `reserved` tokens of
    the budget are another's, which tells the items `told`: without a query they are left out, and the items `preload`
    come first, even stale ones, beside as many as there may be. Of a `trial` see RecallRequest.
    """

    query: str | None = None
    max_tokens: int | None = None
    profile: Profile = Profile.AUTO
    style: ContextStyle = ContextStyle.FACTS
    filter: Filter = field(default_factory=Filter)
    as_of: datetime | None = None
    messages: tuple[Message, ...] = ()
    session_id: str | None = None
    explain: bool = False
    repeat: bool = False
    reserved: int = 0
    told: frozenset[UUID] = frozenset()
    preload: tuple[UUID, ...] = ()
    trial: TriedNumbers | None = None
