"""What an audience already knows near a batch of candidates, kept current while the batch is decided.

The dear part, the search for neighbours, is done before the lock; under it only what changed since is read again.
"""

import heapq
from collections.abc import Mapping, Sequence
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
from apps.memory.confidence import Confidence
from apps.memory.documents import MERGED, has_document
from apps.memory.models import Item, ItemSource
from apps.memory.services import audience as audiences
from apps.memory.services.candidates import Candidate
from apps.memory.services.embedding import Embedded
from memory_platform.consolidation.claims import (
    Neighbour,
    is_record,
    record_one_state,
    relation_of_records,
)
from memory_platform.model import Audience, Relation, RelationThresholds, Slot, Status, Strength, Unit, in_context
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
    """A stored item and the resources it rests on; both change as decisions fall."""

    item: Item
    source_ids: set[UUID]


@dataclass(slots=True)
class Neighbourhood:
    """Neighbours per candidate. `seen` is the change number up to which the audience's items were read.

    `relations` holds what was judged of the candidate at a position and an item, or an earlier candidate by its
    position; `positions` says which items the batch's own candidates became.
    """

    embedded: Embedded
    seen: int
    thresholds: RelationThresholds = UNJUDGED
    relations: dict[tuple[int, UUID | int], Relation] = field(default_factory=dict)
    positions: dict[UUID, int] = field(default_factory=dict)
    known: dict[UUID, KnownItem] = field(default_factory=dict)
    cosines: list[dict[UUID, float]] = field(default_factory=list)

    def neighbours(self, position: int, confidence: Confidence) -> list[Neighbour]:
        """The nearest of what is known to the candidate at `position`, with the confidence each had at its time."""
        near = [(self.known[item_id], cosine) for item_id, cosine in self.cosines[position].items()]
        # A fact that was said and unsaid often has many closed rows; they may not crowd out the open one.
        nearest_first = heapq.nlargest(NEIGHBOURS, near, key=lambda one: (one[0].item.status in _OPEN, one[1]))
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
            if record_one_state(own.text, own.slot, earlier.fact.text, earlier.fact.slot):
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
        return thresholds.related if is_late or item.status in _OPEN else thresholds.duplicate

    def said(self, other: UUID | int) -> tuple[str, datetime]:
        """The words of an item or an earlier candidate, with the question they answer, and when they were said."""
        if isinstance(other, int):
            claim = self.embedded.candidates[other].claim
            return claim.in_context, claim.said_at
        item = self.known[other].item
        return in_context(item.text, item.lead_in), item.said_at

    def relation_of_records(self, position: int, other: UUID | int) -> Relation | None:
        """How a candidate relates to an item or an earlier candidate where both are records; else None."""
        claim = self.embedded.candidates[position].claim
        if isinstance(other, int):
            earlier = self.embedded.candidates[other].claim
            return relation_of_records(claim, earlier.text, earlier.slot, {earlier.source_id})
        known = self.known[other]
        return relation_of_records(claim, known.item.text, _slot(known.item), known.source_ids)

    def is_judged(self, position: int) -> bool:
        """Whether the nearest things it is compared with were judged: others may have stored more meanwhile."""
        return all(
            self._relation(position, self.known[item_id]) is not None
            for item_id in self._foremost(position)
            if self.known[item_id].item.status in _OPEN
        )

    def _foremost(self, position: int) -> list[UUID]:
        near = self._comparable(position)
        return heapq.nlargest(FOREMOST, near, key=lambda item_id: near[item_id])

    def _relation(self, position: int, known: KnownItem) -> Relation | None:
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
            if item.status == Status.DELETED or not has_document(item):
                continue
            if _is_at_hand(self.embedded.candidates[position], item):
                near[item.id] = 1.0
            elif similarity is None and before is not None:
                near[item.id] = before
            elif similarity is not None and similarity[position] >= self.embedded.thresholds[position].related:
                near[item.id] = float(similarity[position])

    def _similarity(self, position: int) -> Vectors:
        """The cosine of every candidate with the one at `position`."""
        held = self.embedded.vector(position)
        return self.embedded.cosines(*held) if held else np.full(len(self.cosines), -1.0, dtype=np.float32)


def read(embedded: Embedded, audience: Audience) -> Neighbourhood:
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
    ids.update(item_id for one in embedded.candidates for item_id in (one.corrects, one.existing) if item_id)
    rows = _load(audience, Q(id__in=ids) | Q(claim_hash__in=embedded.hashes) | _of_recorded_states(embedded))
    neighbourhood = Neighbourhood(embedded, seen, cosines=[{} for _ in embedded.candidates])
    for known in rows:
        neighbourhood.known[known.item.id] = known
        for candidate, near, cosines in zip(embedded.candidates, found, neighbourhood.cosines, strict=True):
            if _is_at_hand(candidate, known.item):
                cosines[known.item.id] = 1.0
            elif known.item.id in near:
                cosines[known.item.id] = near[known.item.id]
    _follow_replaced(neighbourhood, audience)
    return neighbourhood


def _follow_replaced(neighbourhood: Neighbourhood, audience: Audience) -> None:
    """Take in what gave way to newer neighbours: the search finds what holds now, not what ended a late claim."""
    earliest = min((one.origin.said_at for one in neighbourhood.embedded.candidates), default=None)
    newer = [one.item.id for one in neighbourhood.known.values() if earliest and one.item.said_at > earliest]
    unknown = _replaced(newer, after=earliest) - set(neighbourhood.known) if earliest and newer else set()
    rows = _load(audience, Q(id__in=unknown)) if unknown else []
    if rows:
        neighbourhood.replace(rows, _vectors([one.item.id for one in rows], neighbourhood.embedded))


def _replaced(item_ids: list[UUID], *, after: datetime) -> set[UUID]:
    """Items said after a time, and what they and those they replaced took the place of since then."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "replaced_items"),
            {"tenant": scope.current().tenant_id, "ids": item_ids, "after": after, "most": len(item_ids) + REPLACED},
        )
        return {row[0] for row in cursor.fetchall()}


def catch_up(neighbourhood: Neighbourhood, audience: Audience) -> None:
    """Under the lock: read what others changed since."""
    rows = _load(audience, Q(change_number__gt=neighbourhood.seen), gone=True)
    if not rows:
        return
    neighbourhood.replace(rows, _vectors([known.item.id for known in rows], neighbourhood.embedded))


def fetch(neighbourhood: Neighbourhood, audience: Audience, which: Q) -> list[KnownItem]:
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


def _of_recorded_states(embedded: Embedded) -> Q:
    """Open items of the states that candidates record: among many records of a kind the nearest may be others."""
    slots = {one.fact.slot for one in embedded.candidates if is_record(one.fact.text, one.fact.slot)}
    states = sorted({(slot.subject, slot.attribute) for slot in slots})
    return reduce(or_, (Q(subject=thing, attribute=name, status__in=_OPEN) for thing, name in states), Q())


def _is_at_hand(candidate: Candidate, item: Item) -> bool:
    """Whether an item is to be compared with a candidate however near it lies: the same words, or a record's state."""
    fact = candidate.fact
    return item.claim_hash == candidate.claim_hash or record_one_state(fact.text, fact.slot, item.text, _slot(item))


def _slot(item: Item) -> Slot:
    return Slot(item.subject, item.attribute, item.value, item.qualifier)


def _load(audience: Audience, which: Q, *, gone: bool = False) -> list[KnownItem]:
    tenant_id = scope.current().tenant_id
    rows = Item.objects.filter(audiences.matching(audience), which, tenant_id=tenant_id)
    items = list(rows if gone else rows.exclude(status=Status.DELETED).exclude(status_reason=MERGED))
    sources: dict[UUID, set[UUID]] = {item.id: set() for item in items}
    pairs = ItemSource.objects.filter(tenant_id=tenant_id, item_id__in=list(sources))
    for item_id, resource_id in pairs.values_list("item_id", "resource_id") if items else ():
        sources[item_id].add(resource_id)
    return [KnownItem(item, sources[item.id]) for item in items]


def neighbour(
    known: KnownItem,
    confidence: Confidence,
    *,
    said_at: datetime,
    cosine: float = 0.0,
    relation: Relation | None = None,
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
        slot=_slot(item),
        is_negated=item.is_negated,
        status=Status(item.status),
        valid_until=item.valid_until if has_ended else None,
        valid_from=item.valid_from,
        author=item.agent_id,
    )
