"""A fact on its way to become an item, with everything the later stages ask about it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.memory.models import Item
from apps.memory.requests import NOTHING_CARRIED, CarriedState, Condensed, Former, SeenItem
from apps.tenants.models import Policy
from memory_platform.consolidation import gating
from memory_platform.consolidation.claims import Claim, claim_hash
from memory_platform.consolidation.gating import GateDecision
from memory_platform.model import Audience, Fact, Role, Strength, Verdict


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a fact comes from: a captured message (`resource_id`, `extraction_id`) or a caller's own words.

    `ordinal` orders facts said at the same time; `role` says who speaks, a caller being a user.
    """

    audience: Audience
    said_at: datetime
    session_id: UUID | None = None
    resource_id: UUID | None = None
    extraction_id: UUID | None = None
    ordinal: int = 0
    role: Role = Role.USER


@dataclass(frozen=True, slots=True)
class News:
    """Said just now: it becomes an item, or part of one."""


@dataclass(frozen=True, slots=True)
class Correction:
    """It explicitly replaces an item, for the reason `why` in a caller's words, who had `seen` what is there."""

    item_id: UUID
    why: str
    seen: tuple[SeenItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Shared:
    """It makes a private item known to all agents."""

    item: Item


@dataclass(frozen=True, slots=True)
class Late:
    """It is an item already, stored before it could be compared."""

    item_id: UUID


Purpose = News | Correction | Shared | Late | Former | Condensed
NEWS: Final = News()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A judged fact. `pending`: it could not be compared yet, so it is stored now and compared later."""

    fact: Fact
    origin: Origin
    gate: GateDecision
    confidence: float
    claim_hash: str
    external_id: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    purpose: Purpose = NEWS
    pending: bool = False
    carried: CarriedState = NOTHING_CARRIED

    @property
    def corrects(self) -> UUID | None:
        return self.purpose.item_id if isinstance(self.purpose, Correction) else None

    @property
    def existing(self) -> UUID | None:
        return self.purpose.item_id if isinstance(self.purpose, Late) else None

    @property
    def is_held(self) -> bool:
        return self.gate.verdict is Verdict.HOLD

    @property
    def claim(self) -> Claim:
        return Claim(
            text=self.fact.text,
            said_at=self.origin.said_at,
            strength=self.fact.strength,
            confidence=self.confidence,
            session_id=self.origin.session_id,
            source_id=self.origin.resource_id,
            author=self.origin.audience.agent_id,
            lead_in=self.fact.lead_in,
            said_by=self.fact.said_by,
            role=self.origin.role,
            slot=self.fact.slot,
            is_negated=self.fact.is_negated,
        )


def judge(fact: Fact, origin: Origin, policy: Policy) -> Candidate:
    """Put a fact through the gate under the tenant's numbers."""
    return Candidate(fact, origin, gate(fact, policy), confidence(fact, policy), claim_hash(fact.in_context))


def gate(fact: Fact, policy: Policy) -> GateDecision:
    return gating.decide(
        fact,
        minimum_length=policy.gate_minimum_length,
        allow_above=policy.gate_allow_above,
        discard_below=policy.gate_discard_below,
    )


def confidence(fact: Fact, policy: Policy) -> float:
    """What the extractor says, else by how directly it was said."""
    if fact.confidence is not None:
        return min(1.0, max(0.0, fact.confidence))
    by_strength = {
        Strength.EXPLICIT: policy.confidence_explicit,
        Strength.IMPLIED: policy.confidence_implied,
        Strength.INFERRED: policy.confidence_inferred,
    }
    return by_strength[fact.strength]
