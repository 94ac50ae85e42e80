"""What an audience already knows near a batch of candidates, kept current while the batch is decided.

The dear part, the search for neighbours, is done before the lock; under it only what changed since is read again.
"""

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import or_
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import Q

from apps.core import clock, scope
from apps.core.sql import statement
from apps.index import embeddings
from apps.index.nearest import nearest
from apps.memory import cold
from apps.memory.confidence import Confidence
from apps.memory.documents import FRESHER_WORDING, MERGED, has_document, is_comparable
from apps.memory.models import DECAYED, Item, ItemLink, ItemSource
from apps.memory.services import audience as audiences
from apps.memory.services.candidates import Candidate
from apps.memory.services.embedding import Embedded
from apps.memory.voices import Spoken, voices
from apps.tenants import selectors as tenants
from memory_platform.consolidation.authority import Voice, word_of
from memory_platform.consolidation.claims import (
    Claim,
    Neighbour,
    is_record,
    record_one_state,
    relation_of_records,
)
from memory_platform.consolidation.operational import ServiceObservation
from memory_platform.consolidation.states import StatedValue, are_one_state, with_states
from memory_platform.model import (
    Audience,
    ClaimRelation,
    Fact,
    RelationThresholds,
    Role,
    Slot,
    Standing,
    Status,
    Strength,
    Unit,
    in_context,
)
from memory_platform.ports import Vectors

NEIGHBOURS = 10
FOREMOST = 2
"""Neighbours that must have been judged; with fewer the comparison is made up for by a job."""
REPLACED = 1_000
"""Items that newer ones replaced, of which a late claim may have been the first: more are not looked through."""
UNJUDGED = RelationThresholds(merge=1.0, close=1.0, doubt=1.0, conflict=1.0)
_OPEN = frozenset({Status.ACTIVE, Status.STALE})


@dataclass(slots=True)
class KnownItem:
    """A stored item, the resources it rests on and who says it; all change as decisions fall."""

    item: Item
    source_ids: set[UUID]
    voices: set[Voice]

    @property
    def role(self) -> Role:
        """On whose word it is held."""
        return word_of(self.voices)


@dataclass(slots=True)
class CandidateNeighbours:
    """Neighbours per candidate. `seen` is the change number up to which the audience's items were read.

    `relations` holds what was judged of the candidate at a position and an item, or an earlier candidate by its
    position; `positions` says which items the batch's own candidates became. `operational` are the categories in which
    one state of a service is known at a time. `parted` are the pairs of items whose merge somebody undid.
    """

    embedded: Embedded
    seen: int
    thresholds: RelationThresholds = UNJUDGED
    operational: frozenset[str] = frozenset()
    parted: frozenset[tuple[UUID, UUID]] = frozenset()
    relations: dict[tuple[int, UUID | int], ClaimRelation] = field(default_factory=dict)
    positions: dict[UUID, int] = field(default_factory=dict)
    known: dict[UUID, KnownItem] = field(default_factory=dict)
    cosines: list[dict[UUID, float]] = field(default_factory=list)

    def neighbours(self, position: int, confidence: Confidence) -> list[Neighbour]:
        """The nearest of what is known to the candidate at `position`, with the confidence each had at its time."""
        near = [(self.known[item_id], cosine) for item_id, cosine in self.cosines[position].items()]
        # A fact that was said and unsaid often has many closed rows; they may not crowd out the open one.
        nearest_first = heapq.nlargest(NEIGHBOURS, near, key=lambda one: (stands(one[0].item), one[1]))
        then = self.embedded.candidates[position].origin.said_at
        return [
            neighbour(known, confidence, said_at=then, cosine=cosine, relation=self._relation(position, known))
            for known, cosine in nearest_first
        ]

    def nearest(self, position: int, wanted: int) -> list[UUID | int]:
        """Which items, by id, and which earlier candidates of the batch, by position, are nearest to a candidate."""
        near: list[tuple[float, UUID | int]] = [
            (cosine, item_id) for item_id, cosine in self._comparable(position).items()
        ]
        related = self.embedded.thresholds[position].related
        own = self.embedded.candidates[position].fact
        cosines = self._similarity(position)
        for other, earlier in enumerate(self.embedded.candidates[:position]):
            if _tell_of_one_state(own.text, own.slot, earlier.fact.text, earlier.fact.slot) or _are_of_one_state(
                self._observed(own), self._observed(earlier.fact)
            ):
                near.append((1.0, other))
            elif cosines[other] >= related:
                near.append((float(cosines[other]), other))
        return [other for _, other in heapq.nlargest(wanted, near, key=lambda one: one[0])]

    def _comparable(self, position: int) -> dict[UUID, float]:
        """The items near enough to a candidate to be compared with it, with their cosines."""
        candidate = self.embedded.candidates[position]
        return {
            item_id: cosine
            for item_id, cosine in self.cosines[position].items()
            if item_id not in {candidate.existing, candidate.corrects} and cosine >= self._floor_for(position, item_id)
        }

    def _floor_for(self, position: int, item_id: UUID) -> float:
        """A closed item is worth comparing only where the claim may repeat it, or came late and may end with it."""
        thresholds, item = self.embedded.thresholds[position], self.known[item_id].item
        is_late = self.embedded.candidates[position].origin.said_at < item.said_at
        return thresholds.related if is_late or stands(item) else thresholds.duplicate

    def said(self, other: UUID | int) -> tuple[str, datetime]:
        """The words of an item or an earlier candidate, with the question they answer, and when they were said."""
        if isinstance(other, int):
            claim = self.embedded.candidates[other].claim
            return claim.in_context, claim.said_at
        item = self.known[other].item
        return in_context(item.text, item.lead_in), item.said_at

    def structural_relation(self, position: int, other: UUID | int) -> ClaimRelation | None:
        """How a candidate relates to an item or an earlier candidate where their form tells: both are records, or give
        one state of a service. Else None.
        """
        candidate = self.embedded.candidates[position]
        claim, own = candidate.claim, self._observed(candidate.fact)
        if isinstance(other, int):
            earlier = self.embedded.candidates[other]
            text, slot, seen = earlier.fact.text, earlier.fact.slot, self._observed(earlier.fact)
            sources: Collection[UUID | None] = {earlier.claim.source_id}
        else:
            known = self.known[other]
            text, slot, seen = known.item.text, known.item.slot, self._observed(known.item)
            sources = known.source_ids
        recorded = relation_of_records(claim, text, slot, sources)
        is_side_by_side = claim.source_id is not None and claim.source_id in sources
        if recorded is not None or own is None or seen is None or is_side_by_side:
            return recorded
        return own.relation_to(seen, self.thresholds)

    def is_at_hand(self, candidate: Candidate, item: Item) -> bool:
        """Whether an item is to be compared with a candidate however near it lies: the same words, or one state."""
        fact = candidate.fact
        return (
            item.claim_hash == candidate.claim_hash
            or _tell_of_one_state(fact.text, fact.slot, item.text, item.slot)
            or _are_of_one_state(self._observed(fact), self._observed(item))
        )

    def is_parted(self, candidate: Candidate, item_id: UUID) -> bool:
        """Whether somebody said of a stored candidate and an item that they are two."""
        return (candidate.existing, item_id) in self.parted or (item_id, candidate.existing) in self.parted

    def is_operational(self, candidate: Candidate) -> bool:
        return self._observed(candidate.fact) is not None

    def _observed(self, of: Fact | Item) -> ServiceObservation | None:
        """What is filed under a service and an operational category; None where it is not."""
        if not of.service or of.category not in self.operational:
            return None
        return ServiceObservation(of.service, of.category, of.text, of.slot)

    def with_states(self, position: int, other: UUID | int, relation: ClaimRelation) -> ClaimRelation:
        """A judged relation with what the grammar of both says of it."""
        claim = self.embedded.candidates[position].claim
        own, (stated, source_ids) = _stated_by(claim), self._stated(other)
        if claim.source_id is not None and claim.source_id in source_ids:
            return relation
        older, newer = (stated, own) if stated.said_at <= own.said_at else (own, stated)
        return with_states(relation, older, newer, self.thresholds)

    def _stated(self, other: UUID | int) -> tuple[StatedValue, Collection[UUID | None]]:
        """What an item or an earlier candidate states, and in which messages."""
        if isinstance(other, int):
            claim = self.embedded.candidates[other].claim
            return _stated_by(claim), {claim.source_id}
        known = self.known[other]
        item = known.item
        return StatedValue(item.slot, item.said_at, item.said_by, item.is_negated), known.source_ids

    def is_judged(self, position: int) -> bool:
        """Whether the nearest things it is compared with were judged: others may have stored more meanwhile."""
        return all(
            self._relation(position, self.known[item_id]) is not None
            for item_id in self._foremost(position)
            if stands(self.known[item_id].item)
        )

    def _foremost(self, position: int) -> list[UUID]:
        near = self._comparable(position)
        return heapq.nlargest(FOREMOST, near, key=lambda item_id: near[item_id])

    def _relation(self, position: int, known: KnownItem) -> ClaimRelation | None:
        own = self.positions.get(known.item.id)
        return self.relations.get((position, known.item.id if own is None else own))

    def admit(self, known: KnownItem, position: int) -> None:
        """Let the rest of the batch see what the candidate at `position` became."""
        self.positions.setdefault(known.item.id, position)
        self._place(known, self._similarity(position))

    def replace(self, rows: Sequence[KnownItem], vectors: Mapping[UUID, tuple[str, Vectors]]) -> None:
        """Take in items that changed since they were read; `vectors` of those that have one, and its model."""
        for known in rows:
            held = vectors.get(known.item.id)
            self._place(known, self.embedded.cosines(*held) if held else None)

    def _place(self, known: KnownItem, similarity: Vectors | None) -> None:
        item = known.item
        self.known[item.id] = known
        for position, near in enumerate(self.cosines):
            before = near.pop(item.id, None)
            if item.status == Status.DELETED or not (has_document(item) and is_comparable(item)):
                continue
            if self.is_at_hand(self.embedded.candidates[position], item):
                near[item.id] = 1.0
            elif similarity is None and before is not None:
                near[item.id] = before
            elif similarity is not None and similarity[position] >= self.embedded.thresholds[position].related:
                near[item.id] = float(similarity[position])

    def _similarity(self, position: int) -> Vectors:
        """The cosine of every candidate with the one at `position`."""
        held = self.embedded.vector(position)
        return self.embedded.cosines(*held) if held else np.full(len(self.cosines), -1.0, dtype=np.float32)


def read(embedded: Embedded, audience: Audience) -> CandidateNeighbours:
    """Search the audience for what is near each candidate, or named by one. Needs an open scope, no lock."""
    seen = audiences.changes_seen(audience)
    found: list[dict[UUID, float]] = [{} for _ in embedded.candidates]
    for part in embedded.parts:
        near_each = nearest(
            part.vectors, audience=audience, model=part.model, now=clock.now(), k=NEIGHBOURS, unit=Unit.ITEM
        )
        for position, neighbours in zip(part.positions, near_each, strict=True):
            found[position] = {neighbour.unit_id: neighbour.cosine for neighbour in neighbours}
    ids = {item_id for near in found for item_id in near}
    stored = [one.existing for one in embedded.candidates if one.existing]
    ids.update(stored, (one.corrects for one in embedded.candidates if one.corrects))
    operational = tenants.operational_categories(scope.current().tenant_id)
    same = Q(id__in=ids) | Q(claim_hash__in=embedded.hashes)
    rows = _load(audience, same | _of_their_states(embedded) | _of_observed_states(embedded, operational))
    neighbourhood = CandidateNeighbours(
        embedded, seen, operational=operational, parted=_parted(stored), cosines=[{} for _ in embedded.candidates]
    )
    for known in rows:
        neighbourhood.known[known.item.id] = known
        if not is_comparable(known.item):
            continue
        for candidate, near, cosines in zip(embedded.candidates, found, neighbourhood.cosines, strict=True):
            if neighbourhood.is_at_hand(candidate, known.item):
                cosines[known.item.id] = 1.0
            elif known.item.id in near:
                cosines[known.item.id] = near[known.item.id]
    _follow_replaced(neighbourhood, audience)
    if any(one.origin.role is Role.ASSISTANT for one in embedded.candidates):
        _recollect(neighbourhood, audience)
    return neighbourhood


def _parted(item_ids: Sequence[UUID]) -> frozenset[tuple[UUID, UUID]]:
    """Pairs of items, of which one is among these, that were merged until somebody undid it."""
    if not item_ids:
        return frozenset()
    rows = ItemLink.objects.filter(
        Q(from_item_id__in=item_ids) | Q(to_item_id__in=item_ids),
        Q(kind=ItemLink.Kind.MERGED_INTO) | Q(kind=ItemLink.Kind.SUPERSEDES, reason=FRESHER_WORDING),
        tenant_id=scope.current().tenant_id,
        closed_at__isnull=False,
    )
    return frozenset((one, other) for one, other in rows.values_list("from_item_id", "to_item_id") if one)


def _recollect(neighbourhood: CandidateNeighbours, audience: Audience) -> None:
    """Take in what near items replaced, which an assistant may go on saying."""
    unknown = _replaced(list(neighbourhood.known)) - set(neighbourhood.known)
    rows = _load(audience, Q(id__in=unknown)) if unknown else []
    neighbourhood.known |= {one.item.id: one for one in rows}


def _follow_replaced(neighbourhood: CandidateNeighbours, audience: Audience) -> None:
    """Take in what gave way to newer neighbours: the search finds what holds now, not what ended a late claim."""
    earliest = min((one.origin.said_at for one in neighbourhood.embedded.candidates), default=None)
    newer = [one.item.id for one in neighbourhood.known.values() if earliest and one.item.said_at > earliest]
    unknown = _replaced(newer, after=earliest) - set(neighbourhood.known) if earliest and newer else set()
    rows = _load(audience, Q(id__in=unknown)) if unknown else []
    if rows:
        neighbourhood.replace(rows, _vectors([one.item.id for one in rows], neighbourhood.embedded))


def _replaced(item_ids: list[UUID], *, after: datetime | None = None) -> set[UUID]:
    """Items, and what they and those they replaced took the place of; `after`: since then, else ever."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "replaced_items"),
            {"tenant": scope.current().tenant_id, "ids": item_ids, "after": after, "most": len(item_ids) + REPLACED},
        )
        return {row[0] for row in cursor.fetchall()}


def catch_up(neighbourhood: CandidateNeighbours, audience: Audience) -> None:
    """Under the lock: read what others changed since."""
    rows = _load(audience, Q(change_number__gt=neighbourhood.seen), gone=True)
    if not rows:
        return
    neighbourhood.replace(rows, _vectors([known.item.id for known in rows], neighbourhood.embedded))


def fetch(neighbourhood: CandidateNeighbours, audience: Audience, which: Q) -> list[KnownItem]:
    """Under the lock: more of the audience's items, as the neighbourhood knows them where it does."""
    return [neighbourhood.known.setdefault(one.item.id, one) for one in _load(audience, which)]


def _vectors(item_ids: Sequence[UUID], embedded: Embedded) -> dict[UUID, tuple[str, Vectors]]:
    """The stored vectors of items, of the batch's models."""
    return {
        item_id: (part.model, vector)
        for part in embedded.parts
        for item_id, vector in embeddings.vectors_of(
            Unit.ITEM, item_ids, model=part.model, dimension=part.vectors.shape[1]
        ).items()
    }


def _of_their_states(embedded: Embedded) -> Q:
    """Open items of the states that candidates record or give their one value: among many alike the nearest may be
    others.
    """
    facts = (one.fact for one in embedded.candidates)
    slots = {
        fact.slot for fact in facts if is_record(fact.text, fact.slot) or fact.slot.standing is not Standing.UNKNOWN
    }
    states = sorted({(slot.subject, slot.attribute) for slot in slots})
    return reduce(or_, (Q(subject=thing, attribute=name, status__in=_OPEN) for thing, name in states), Q())


def _are_of_one_state(own: ServiceObservation | None, other: ServiceObservation | None) -> bool:
    return own is not None and other is not None and own.is_of_one_state(other)


def _of_observed_states(embedded: Embedded, operational: Collection[str]) -> Q:
    """What is known of the attributes of services that candidates tell of, faded or not."""
    facts = [one.fact for one in embedded.candidates]
    told = {(fact.service, fact.category, fact.slot.attribute) for fact in facts if fact.category in operational}
    states = sorted((service, category, name) for service, category, name in told if service and name)
    faded = Q(status=Status.ARCHIVED, status_reason=DECAYED)
    return reduce(
        or_,
        (
            Q(Q(status__in=_OPEN) | faded, service=service, category=category, attribute__iexact=name)
            for service, category, name in states
        ),
        Q(),
    )


def stands(item: Item) -> bool:
    """Whether a claim may be merged into it, or end it: an operational memory that faded comes back when it is said
    again.
    """
    return item.status in _OPEN or item.is_dormant


def _stated_by(claim: Claim) -> StatedValue:
    return StatedValue(claim.slot, claim.said_at, claim.said_by, claim.is_negated)


def _tell_of_one_state(text: str, slot: Slot, other_text: str, other: Slot) -> bool:
    return record_one_state(text, slot, other_text, other) or are_one_state(slot, other)


def _load(audience: Audience, which: Q, *, gone: bool = False) -> list[KnownItem]:
    tenant_id = scope.current().tenant_id
    rows = Item.objects.filter(audiences.matching(audience), which, tenant_id=tenant_id).order_by("id")
    items = list(rows if gone else rows.exclude(status=Status.DELETED).exclude(status_reason=MERGED))
    cold.fill(items)
    return known_items(items)


def known_items(items: Sequence[Item]) -> list[KnownItem]:
    """Items with what they rest on and who says them; one statement."""
    if not items:
        return []
    sources: dict[UUID, dict[UUID, Spoken]] = {item.id: {} for item in items}
    rows = ItemSource.objects.filter(tenant_id=scope.current().tenant_id, item_id__in=list(sources))
    for row in rows.select_related("resource").only("item_id", "resource__role", "resource__speaker", "inherited"):
        sources[row.item_id][row.resource_id] = (Role(row.resource.role), row.resource.speaker, row.inherited)
    return [KnownItem(item, set(sources[item.id]), _voices(item, sources[item.id].values())) for item in items]


def _voices(item: Item, spoken: Iterable[Spoken]) -> set[Voice]:
    return set(voices(spoken, said_by=item.said_by, is_vouched=item.protected))


def neighbour(
    known: KnownItem,
    confidence: Confidence,
    *,
    said_at: datetime,
    cosine: float = 0.0,
    relation: ClaimRelation | None = None,
) -> Neighbour:
    """A known item as the core compares it, with the confidence it had when the claim was said."""
    item = known.item
    has_ended = item.valid_until is not None and item.valid_until <= confidence.now
    return Neighbour(
        id=item.id,
        text=item.text,
        said_at=item.said_at,
        cosine=cosine,
        relation=relation,
        strength=Strength(item.strength),
        confidence=confidence.when(said_at).effective(item),
        session_id=item.session_id,
        source_ids=frozenset(known.source_ids),
        lead_in=item.lead_in,
        said_by=item.said_by,
        voices=frozenset(known.voices),
        slot=item.slot,
        is_negated=item.is_negated,
        status=Status.STALE if item.is_dormant else Status(item.status),
        valid_until=item.valid_until if has_ended else None,
        valid_from=item.valid_from,
        author=item.agent_id,
    )
