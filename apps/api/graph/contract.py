"""The graph: who and what is spoken of, how they are connected, and the copy another server keeps."""

from datetime import datetime
from uuid import UUID

from pydantic import ConfigDict, Field

from apps.api.contract import Answer, ForUser, Input, Name, PageOf
from apps.api.flows.entities import MERGED_AT_ONCE, NAMES_AT_ONCE, PathRequest
from apps.api.memories.contract import Memory
from apps.api.recall.contract import AsOf, Source, ValidAt
from apps.graph.neighbourhoods import MOST_NEIGHBOURS
from apps.graph.stores import BreakerState, ProjectionState
from memory_platform.knowledge.graph import MAXIMUM_DEPTH, EntityType, NodeKind, RelationKind


class EntityByIdInput(ForUser):
    as_of: AsOf = None


class EntityByNameInput(EntityByIdInput):
    name: Name = Field(description="A name or alias of the entity.")


class EntityInput(EntityByIdInput):
    """By id or by name, exactly one of them."""

    id: UUID | None = None
    name: Name | None = Field(default=None, description="A name or alias of the entity.")


class EntitiesInput(PageOf):
    search: Name | None = Field(default=None, description="Part of a name.")
    type: EntityType | None = None


class PathInput(ForUser):
    """Which way: between two entities, within `max_depth` hops."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    start: UUID = Field(alias="from")
    end: UUID = Field(alias="to")
    max_depth: int = Field(default=MAXIMUM_DEPTH, ge=1, le=MAXIMUM_DEPTH, description="Of how many hops a way may be.")
    as_of: AsOf = None

    def as_way(self) -> PathRequest:
        return PathRequest(self.start, self.end, self.max_depth, self.as_of)


class NeighbourhoodInput(EntityByIdInput):
    valid_at: ValidAt = None
    limit: int = Field(default=MOST_NEIGHBOURS, ge=1, le=MOST_NEIGHBOURS, description="Entities beside it at most.")


class MergeInput(Input):
    """The entities that become one with another."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    from_ids: tuple[UUID, ...] = Field(
        validation_alias="from",
        min_length=1,
        max_length=MERGED_AT_ONCE,
        description="The entities that go; their names and mentions move.",
    )


class SplitInput(Input):
    """The names that get an entity of their own."""

    aliases: tuple[Name, ...] = Field(
        min_length=1, max_length=NAMES_AT_ONCE, description="Names of the entity as they are written there."
    )


class NamedEntity(Answer):
    """Somebody or something that a memory names."""

    id: UUID
    name: str
    type: EntityType
    mention_count: int


class Entity(Answer):
    """Somebody or something that is spoken of."""

    id: UUID
    name: str
    type: EntityType
    mention_count: int
    aliases: list[str] = Field(validation_alias="other_names", description="The other names it goes by.")
    first_seen_at: datetime
    last_seen_at: datetime


class Statement(Answer):
    """What was said of an entity, and when it was true."""

    kind: RelationKind
    predicate: str
    subject: str
    object: str
    object_id: UUID | None
    negated: bool
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    memory_id: UUID | None = Field(validation_alias="item_id", description="The memory that says so.")
    resource_id: UUID | None
    quote: str


class RelatedEntity(Answer):
    id: UUID
    name: str
    type: EntityType
    predicate: str = Field(description="Empty: the two are mentioned together.")
    outgoing: bool
    weight: float


class Tie(Answer):
    """What connects two entities of a neighbourhood: a statement, or (`predicate` empty) being spoken of together."""

    start: UUID
    end: UUID
    kind: RelationKind
    predicate: str
    count: int = Field(description="How many memories and messages say so.")
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    memory_id: UUID | None = Field(validation_alias="item_id", description="The last memory that says so.")


class Neighbourhood(Answer):
    """An entity with those around it at a moment, the closest first, and every tie between any two of them."""

    center: NamedEntity
    first_seen_at: datetime
    neighbours: list[NamedEntity]
    ties: list[Tie]
    truncated: bool = Field(description="There are more than were asked for.")


class Speaker(Answer):
    """Who spoke of it, in how many messages."""

    name: str | None
    count: int


class EntityProfile(Entity):
    """What is known of an entity at a moment."""

    summary: str
    facts: list[Memory] = Field(description="What is true of it at the time asked for.")
    timeline: list[Statement] = Field(description="What was said of it, by time; what is no longer true included.")
    related: list[RelatedEntity]
    said_by: list[Speaker] = Field(validation_alias="who_said")


class PathNode(Answer):
    """An entity by its name, a memory or a message by its text."""

    kind: NodeKind
    id: UUID
    text: str


class PathStep(Answer):
    kind: RelationKind
    predicate: str
    start: PathNode
    end: PathNode
    forward: bool = Field(description="The relation runs from start to end.")
    fact: str = Field(description="What it rests on.")
    sources: list[Source]


class Path(Answer):
    """`connected` false: not within max_depth hops."""

    connected: bool
    steps: list[PathStep]


class GraphStatus(Answer):
    """How the graph's copy on another server stands. ABSENT: never begun; LAGGING: changes have waited too long."""

    server: str | None
    breaker: BreakerState | None
    state: ProjectionState
    completed_at: datetime | None
    waiting_jobs: int
    oldest_waiting_seconds: float


class StartedJob(Answer):
    """The job that does it: `jobs` tells its state and outcome."""

    job_id: UUID


class Backfill(Answer):
    """How many jobs read everything again."""

    jobs: int
