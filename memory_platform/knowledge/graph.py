"""The vocabulary of the knowledge graph: nodes, edges, who reads, as of when, and what travels to a projection.

Entities belong to one audience. Those a reader sees whose `name_key` is equal act as one node when it reads: the node
that stands for them is the one with the smallest id. Nothing of one audience is ever written into another's rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Final
from uuid import UUID

from memory_platform.model import EVERYONE, Visibility, Whose

MAXIMUM_DEPTH: Final = 4
"""Hops beyond which no store goes: DESIGN's depth for complex questions."""


class EntityType(StrEnum):
    PERSON = "person"
    """Somebody, by a name or a role."""
    PROJECT = "project"
    """Something that people work on."""
    ORGANIZATION = "organization"
    """A company, a team, an authority."""
    PLACE = "place"
    """Somewhere."""
    CONCEPT = "concept"
    """A subject or an idea."""
    TOOL = "tool"
    """A program, a service or a device."""


class RelationKind(StrEnum):
    """How two nodes relate. The first three are stored, the others follow from other rows."""

    ENTITY = "entity"
    """A lasting tie of two entities, such as sister of or part of."""
    FACT = "fact"
    """A statement about an entity that may change, such as works at."""
    CAUSAL = "causal"
    """From a cause to its effect."""
    TEMPORAL = "temporal"
    """From an episode to the next of its session."""
    DERIVED_FROM = "derived_from"
    """From an item to the episode it rests on."""
    SUPERSEDES = "supersedes"
    """From an item to the one that gave way to it."""
    CONTRADICTS = "contradicts"
    """Between two items of which one must be wrong."""
    MENTIONS = "mentions"
    """From an item or episode to an entity it names."""


SAID: Final = "said"
"""Predicate of the mention of whoever spoke, as opposed to the empty one of what is spoken of."""
KIND_WEIGHTS: Final[Mapping[RelationKind, float]] = {
    RelationKind.ENTITY: 1.0,
    RelationKind.FACT: 1.0,
    RelationKind.CAUSAL: 1.0,
    RelationKind.TEMPORAL: 0.5,
    RelationKind.DERIVED_FROM: 1.0,
    RelationKind.SUPERSEDES: 0.5,
    RelationKind.CONTRADICTS: 0.5,
    RelationKind.MENTIONS: 1.0,
}
"""Edge.weight of each kind, in every store: what follows in time or was replaced is a weaker tie."""
SAID_WEIGHT: Final = 0.5
"""Edge.weight of a mention that is only the speaker's name."""


def weight_of(kind: RelationKind, predicate: str) -> float:
    """Edge.weight of an edge, the same in every store."""
    return SAID_WEIGHT if kind is RelationKind.MENTIONS and predicate == SAID else KIND_WEIGHTS[kind]


class NodeKind(StrEnum):
    ENTITY = "entity"
    """Somebody or something that is spoken of."""
    ITEM = "item"
    """A memory."""
    EPISODE = "episode"
    """A captured message."""


class AliasKind(StrEnum):
    """Where a name of an entity comes from: its own name, a role ("my boss"), or initials."""

    CANONICAL = "canonical"
    ALIAS = "alias"
    ROLE = "role"
    INITIALS = "initials"


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """`id` is the entity's, the item's or the resource's."""

    kind: NodeKind
    id: UUID

    @property
    def key(self) -> str:
        """As text, for job arguments: `episode:<uuid>`."""
        return f"{self.kind}:{self.id}"

    @classmethod
    def parse(cls, key: str) -> "Node":
        """The node of a `key`. Raises ValueError."""
        kind, _, node_id = key.partition(":")
        return cls(NodeKind(kind), UUID(node_id))


@dataclass(frozen=True, slots=True)
class Edge:
    """`weight` says how much passes along it (1: all), `evidence` the item or resource it rests on."""

    kind: RelationKind
    start: Node
    end: Node
    predicate: str = ""
    weight: float = 1.0
    confidence: float = 1.0
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    evidence: UUID | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """The time a reader asks about: what was believed at one time to be true at another."""

    believed_at: datetime
    true_at: datetime

    @classmethod
    def at(cls, time: datetime) -> "Moment":
        return cls(time, time)


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Who reads. `reach` is apps.core.scope's: `own` (the agent's rows), `shared` (and shared ones), `tenant` (all).

    `whose`: of a user's rows only these exist, beside those of no user.
    """

    tenant_id: UUID
    agent_id: UUID | None
    reach: str
    whose: Whose = EVERYONE


@dataclass(frozen=True, slots=True)
class SubgraphNode:
    """`degree` of an entity: how many units mention it, over all readable entities of its name (how much of a hub it
    is, whatever was fetched); of a unit: its edges in the subgraph. `label` is the entity's name, empty for units.
    """

    node: Node
    label: str
    degree: int


@dataclass(frozen=True, slots=True)
class Subgraph:
    """What lies around some entities. `truncated`: the limit cut something off."""

    nodes: tuple[SubgraphNode, ...] = ()
    edges: tuple[Edge, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class GraphChecksums:
    """How much a store holds of a tenant, and the sums of the digests, by kind: `node.entity`, `edge.fact`."""

    counts: Mapping[str, int]
    checksums: Mapping[str, int]


# What a projection is told.


@dataclass(frozen=True, slots=True)
class Stamp:
    """Whose a row is and when it holds. `agent_id` is None for entities that are shared."""

    tenant_id: UUID
    agent_id: UUID | None
    user_id: str | None
    visibility: Visibility
    valid_from: datetime
    valid_until: datetime | None
    recorded_at: datetime
    retracted_at: datetime | None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node as a projection holds it; name_key, type and mention_count are an entity's."""

    node: Node
    stamp: Stamp
    label: str = ""
    name_key: str = ""
    type: EntityType | None = None
    mention_count: int = 0

    @property
    def identity(self) -> int:
        """Tells the tenant's rows apart; 56 bits."""
        return _identity(self.node.key)

    @property
    def digest(self) -> int:
        """What drift checks add up; the mention count, which lags, is left out."""
        return _digest(self.node.key, self.label, self.name_key, self.type or "", self.stamp)


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge as a projection holds it; `key` is unique among the tenant's edges and never changes."""

    key: str
    edge: Edge
    stamp: Stamp

    @property
    def identity(self) -> int:
        """Tells the tenant's rows apart, and one that moved to other ends from what it was; 56 bits."""
        return _identity(f"{self.key} {self.edge.start.key} {self.edge.end.key}")

    @property
    def digest(self) -> int:
        """What drift checks add up."""
        edge = self.edge
        ends = f"{edge.start.key}>{edge.end.key}"
        return _digest(self.key, edge.kind.value, ends, edge.predicate, self.stamp)


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """Present rows: nodes and edges to put, and nodes (with all their edges) that are no more.

    The edges of a node are those that touch it and those whose evidence it is. `replaced` are nodes in `nodes` whose
    edges are all in `edges`: other edges a projection has of them are stale.
    `version` orders the reading of a tenant's batches: what was read later has the larger one. `continues`: others
    were put before, so a projection that knows nothing of the tenant has lost them.
    """

    tenant_id: UUID
    version: int = 0
    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()
    gone: tuple[Node, ...] = ()
    replaced: tuple[Node, ...] = ()
    continues: bool = False


BUCKETS: Final = 256


def bucket(identity: int) -> int:
    """Where a row is counted: what differs is looked for in the buckets that differ."""
    return identity % BUCKETS


@dataclass(frozen=True, slots=True)
class Held:
    """A row of a projection. `nodes` are those whose export mends it: itself, or an edge's ends and evidence."""

    digest: int
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Traces:
    """What is looked for in a projection: `nodes`, nodes of `user_id`, and nodes of `users` ("": of nobody) whose label
    matches the regular expression `words`, case ignored. Of the latter two only those with an id below `before`.
    """

    nodes: tuple[Node, ...] = ()
    user_id: str | None = None
    words: str | None = None
    users: tuple[str, ...] = ()
    before: UUID | None = None


def _identity(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big")


def _digest(*parts: str | Stamp) -> int:
    """32 bits, so that a sum over billions of rows fits into a signed 64-bit integer."""
    text = "\x1f".join(_plain(part) if isinstance(part, Stamp) else part for part in parts)
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=4).digest(), "big")


def _plain(stamp: Stamp) -> str:
    times = (stamp.valid_from, stamp.valid_until, stamp.recorded_at, stamp.retracted_at)
    moments = ",".join("" if time is None else str(int(time.timestamp() * 1000)) for time in times)
    owner = "" if stamp.agent_id is None else str(stamp.agent_id)
    user = "" if stamp.user_id is None else f"={stamp.user_id}"
    return f"{owner},{user},{stamp.visibility.value},{moments}"
