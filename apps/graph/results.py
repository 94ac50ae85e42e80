"""What the graph answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.memory.results import ItemView
from memory_platform.knowledge.graph import AliasKind, EntityType, NodeKind, RelationKind
from memory_platform.model import Role, Visibility


@dataclass(frozen=True, slots=True)
class SeedEntity:
    """Where a traversal starts: the entity that stands for all readable ones of its `name_key`.

    `similarity` (0..1) says how well the asked name fits: 1 for an exact alias.
    """

    id: UUID
    name_key: str
    mention_count: int
    name: str
    type: EntityType
    similarity: float = 1.0


@dataclass(frozen=True, slots=True)
class EntityView:
    """An entity in a list. `aliases` are all the names it goes by."""

    id: UUID
    name: str
    type: EntityType
    aliases: tuple[str, ...]
    mention_count: int
    first_seen_at: datetime
    last_seen_at: datetime
    visibility: Visibility
    user_id: str | None

    @property
    def other_names(self) -> list[str]:
        """What it is called besides its name."""
        return _besides(self.name, self.aliases)


@dataclass(frozen=True, slots=True)
class AliasView:
    name: str
    kind: AliasKind
    mention_count: int


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    """`predicate` is empty when the two are only mentioned together; `weight` (0..1) grows with how often."""

    id: UUID
    name: str
    type: EntityType
    predicate: str
    outgoing: bool
    weight: float


@dataclass(frozen=True, slots=True)
class EntityGroup:
    """All readable entities of one name: `ids` (the smallest stands for them), and what they add up to."""

    name_key: str
    ids: tuple[UUID, ...]
    name: str
    type: EntityType
    mention_count: int
    first_seen_at: datetime
    last_seen_at: datetime

    @property
    def id(self) -> UUID:
        return self.ids[0]


@dataclass(frozen=True, slots=True)
class Tie:
    """What connects two entities: a statement said `count` times, or (no predicate) being spoken of together."""

    start: UUID
    end: UUID
    kind: RelationKind
    predicate: str
    count: int
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    item_id: UUID | None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """An entity with those around it at a moment, the closest first. `truncated`: there are more."""

    center: EntityGroup
    neighbours: tuple[EntityGroup, ...]
    ties: tuple[Tie, ...]
    truncated: bool

    @property
    def first_seen_at(self) -> datetime:
        return self.center.first_seen_at


@dataclass(frozen=True, slots=True)
class StatementView:
    """A relation in the timeline: subject, predicate, object, and when it held. `item_id` is what says so."""

    kind: RelationKind
    predicate: str
    subject: str
    object: str
    object_id: UUID | None
    negated: bool
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    item_id: UUID | None
    resource_id: UUID | None
    quote: str


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who spoke of the entity, and in how many messages. `name` is None when no name is known."""

    name: str | None
    count: int


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """What is known about an entity at a moment. `facts` are true then, the most mentioned first; `timeline` goes by
    time, what is no longer true included.
    """

    id: UUID
    name: str
    type: EntityType
    aliases: tuple[AliasView, ...]
    summary: str
    mention_count: int
    first_seen_at: datetime
    last_seen_at: datetime
    facts: tuple[ItemView, ...]
    timeline: tuple[StatementView, ...]
    related: tuple[RelatedEntity, ...]
    who_said: tuple[Speaker, ...]

    @property
    def other_names(self) -> list[str]:
        """What it is called besides its name."""
        return _besides(self.name, [alias.name for alias in self.aliases])


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node on a path: an entity by its name, a unit by its text."""

    kind: NodeKind
    id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class PathSource:
    """A captured message behind a step; `external_id` is the caller's own, `role` as what it was said, if known."""

    resource_id: UUID
    external_id: str | None
    role: Role | None
    speaker: str | None
    said_at: datetime


@dataclass(frozen=True, slots=True)
class PathStep:
    """One hop. `forward`: the relation runs from `start` to `end`; `fact` is the text it rests on."""

    kind: RelationKind
    predicate: str
    start: NodeView
    end: NodeView
    forward: bool
    fact: str
    sources: tuple[PathSource, ...]


@dataclass(frozen=True, slots=True)
class Projected:
    """What a projection of units changed: counts only."""

    items: int = 0
    episodes: int = 0
    gone: int = 0
    entities: int = 0
    mentions: int = 0
    relations: int = 0
    milliseconds: int = 0


def _besides(name: str, others: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(other for other in others if other != name))
