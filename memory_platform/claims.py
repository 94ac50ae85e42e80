"""What dedup and conflict compare: a claim that wants in, the neighbours that are already there, and what a text asserts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory_platform.model import Status, Strength


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact that passed the gate and is about to be stored. `said_at` is when its source said it, not when we heard."""

    text: str
    said_at: datetime
    strength: Strength = Strength.EXPLICIT
    confidence: float = 0.9
    session_id: UUID | None = None
    source_id: UUID | None = None
    entities: tuple[str, ...] = ()
    service: str | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A stored item of the claim's audience near it in meaning.

    `confidence` is the effective one (decay.effective_confidence), `said_at` when the item was last said, `valid_until`
    when it stopped being true (None: still true), `source_ids` the resources it rests on.
    """

    id: UUID
    text: str
    said_at: datetime
    cosine: float
    strength: Strength = Strength.EXPLICIT
    confidence: float = 0.9
    session_id: UUID | None = None
    source_ids: frozenset[UUID] = field(default_factory=frozenset)
    entities: tuple[str, ...] = ()
    service: str | None = None
    status: Status = Status.ACTIVE
    valid_until: datetime | None = None
    protected: bool = False


def normalised(text: str) -> str:
    """Case folded, punctuation and repeated white space removed: two texts with the same result are the same claim."""
    raise NotImplementedError


def claim_hash(text: str) -> str:
    """SHA-256 in hexadecimal of the normalised text: the claim's half of a suppressed (source, claim hash)."""
    raise NotImplementedError


def same_place(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two lists of entity names share one, case-insensitively."""
    return not {name.casefold() for name in first}.isdisjoint(name.casefold() for name in second)
