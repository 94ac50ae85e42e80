"""The graph: who and what is spoken of, how they are connected, and the copy another server keeps."""

from datetime import datetime
from uuid import UUID

from pydantic import ConfigDict, Field

from apps.api.contract import Answer, ForUser, Input, Name, PageOf
from apps.api.descriptions import ARGUMENTS
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
    type: EntityType | None = Field(default=None, description=ARGUMENTS["type"])


class PathInput(ForUser):
    """Which way: between two entities, within `max_depth` hops."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    start: UUID = Field(alias="from", description=ARGUMENTS["from_"])
    end: UUID = Field(alias="to", description=ARGUMENTS["to"])
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
    subject: str = Field(description="Whom or what it is said of, by name.")
    object: str = Field(description="Its other end, by name or in words.")
    object_id: UUID | None = Field(description="The entity at the other end; null: it is only words.")
    negated: bool = Field(description="It is said not to be so.")
    confidence: float
    valid_from: datetime
    valid_until: datetime | None
    memory_id: UUID | None = Field(validation_alias="item_id", description="The memory that says so.")
    resource_id: UUID | None = Field(description="The message that says so; null: none does, or it is gone.")
    quote: str = Field(description="The words that say so.")


class RelatedEntity(Answer):
    id: UUID
    name: str
    type: EntityType
    predicate: str
    outgoing: bool = Field(description="The relation runs from the entity asked for to this one.")
    weight: float = Field(
        description="How close the two are, 0 to 1: it grows with how often they are told of together."
    )


class Tie(Answer):
    """What connects two entities of a neighbourhood: a statement, or (`predicate` empty) being spoken of together."""

    start: UUID = Field(description="The entity it begins at, by its id.")
    end: UUID = Field(description="The entity it ends at, by its id.")
    kind: RelationKind
    predicate: str
    count: int = Field(description="How many memories and messages say so.")
    confidence: float = Field(description="How sure the surest that says so is, 0 to 1.")
    valid_from: datetime
    valid_until: datetime | None
    memory_id: UUID | None = Field(validation_alias="item_id", description="The last memory that says so.")


class Neighbourhood(Answer):
    """An entity with those around it at a moment, the closest first, and every tie between any two of them."""

    center: NamedEntity = Field(description="The entity that was asked for.")
    first_seen_at: datetime = Field(description="The earliest event time of what mentions that entity.")
    neighbours: list[NamedEntity] = Field(description="The entities around it, the closest first.")
    ties: list[Tie] = Field(
        description="What connects any two of them: statements first, the most often said before others."
    )
    truncated: bool = Field(description="There are more than were asked for.")


class Speaker(Answer):
    """Who spoke of it, in how many messages."""

    name: str | None = Field(description="Who spoke of it; null: no name is known.")
    count: int = Field(description="In how many of the newest messages that mention it.")


class EntityProfile(Entity):
    """What is known of an entity at a moment."""

    summary: str = Field(description="Who or what it is, in a few sentences.")
    facts: list[Memory] = Field(description="What is true of it at the time asked for.")
    timeline: list[Statement] = Field(description="What was said of it, by time; what is no longer true included.")
    related: list[RelatedEntity] = Field(
        description="Whom and what it is related to: by statements first, the closest first."
    )
    said_by: list[Speaker] = Field(validation_alias="who_said", description="Who spoke of it.")


class PathNode(Answer):
    """An entity by its name, a memory or a message by its text."""

    kind: NodeKind
    id: UUID = Field(description="The entity's, the memory's or the message's id.")
    text: str = Field(description="The entity's name, or what the memory or message says.")


class PathStep(Answer):
    kind: RelationKind
    predicate: str = Field(description="What relates the two, such as works_at; empty where the kind says it all.")
    start: PathNode = Field(description="Where the step begins.")
    end: PathNode = Field(description="Where the step ends.")
    forward: bool = Field(description="The relation runs from start to end.")
    fact: str = Field(description="What it rests on.")
    sources: list[Source]


class Path(Answer):
    """`connected` false: not within max_depth hops."""

    connected: bool = Field(description="There is a way within max_depth hops.")
    steps: list[PathStep] = Field(description="The steps of the way, in order.")


class GraphStatus(Answer):
    """How the graph's copy on another server stands. ABSENT: never begun; LAGGING: changes have waited too long."""

    server: str | None = Field(description="What keeps the copy, such as neo4j; null: no server is configured.")
    breaker: BreakerState | None = Field(
        description="OPEN: the server is left alone after failures; null: no server is configured."
    )
    state: ProjectionState = Field(description="How the copy stands.")
    completed_at: datetime | None = Field(description="When the copy became complete; null: it is not.")
    waiting_jobs: int = Field(description="Changes, and steps of a rebuild, that are not copied yet.")
    oldest_waiting_seconds: float = Field(description="Seconds that the oldest of them has waited; 0: none does.")


class StartedJob(Answer):
    """The job that does it: `jobs` tells its state and outcome."""

    job_id: UUID


class Backfill(Answer):
    """How many jobs read everything again."""

    jobs: int = Field(description="How many jobs were started.")
