"""Reading the search index: the candidates of a query with all that fusion needs, and the nearest documents for dedup."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory_platform import fusion
from memory_platform.model import Unit, Visibility
from memory_platform.ports import Vectors


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents may answer, beside what the open scope may read. None is no filter; an empty tuple lets nothing pass.

    `after` (inclusive) and `before` (exclusive) bound the event time, or when it was recorded if that is unknown.
    `as_of`: believed and true at that moment; `valid_at` overrides when it must be true. `include_superseded` asks for
    neither. Hidden documents never pass.
    """

    units: tuple[Unit, ...] | None = None
    kinds: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    services: tuple[str, ...] | None = None
    user_id: str | None = None
    agent_id: UUID | None = None
    session_id: UUID | None = None
    visibility: Visibility | None = None
    after: datetime | None = None
    before: datetime | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    include_superseded: bool = False


@dataclass(frozen=True, slots=True)
class CandidateRequest:
    """A query as the index needs it: distinct lexeme hashes, and its vector of shape (dimension,) if there is one.

    The limits are RECALL.md's: the best of each arm, and the units within `neighbour_distance` of the first
    `neighbours_of` keyword hits.
    """

    lexemes: tuple[int, ...]
    vector: Vectors | None
    model: str
    now: datetime
    filters: Filters = field(default_factory=Filters)
    keyword_limit: int = 200
    vector_limit: int = 200
    neighbours_of: int = 100
    neighbour_distance: int = 2


@dataclass(frozen=True, slots=True)
class Candidates:
    """The inputs of `fusion.score`, and what each unit is; lists run parallel to the arrays of `units`.

    `keyword_hits` and `vector_hits` say how many units each arm found.
    """

    query: fusion.QueryTerms
    units: fusion.Units
    postings: fusion.Postings
    unit: list[Unit]
    unit_id: list[UUID]
    category: list[str]
    event_time: list[datetime | None]
    recorded_at: list[datetime]
    keyword_hits: int
    vector_hits: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A document near a vector; `cosine` in -1..1."""

    document_id: int
    unit_id: UUID
    cosine: float
