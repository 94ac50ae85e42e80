"""What an audience already knows near a batch of candidates, kept current while the batch is decided.

The dear part, the search for neighbours, is done before the lock; under it only what changed since is read again.
"""

import heapq
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import Q

from apps.core import clock, scope
from apps.index import embeddings
from apps.index.nearest import nearest
from apps.memory.confidence import Confidence
from apps.memory.documents import MERGED, has_document
from apps.memory.models import Item, ItemSource
from apps.memory.services import audience as audiences
from apps.memory.services.embedding import Embedded
from memory_platform.consolidation.claims import Neighbour
from memory_platform.model import Audience, Status, Strength, Unit
from memory_platform.ports import Vectors

NEIGHBOURS = 10
_OPEN = frozenset({Status.ACTIVE, Status.STALE})


@dataclass(slots=True)
class Known:
    """A stored item and the resources it rests on; both change as decisions fall."""

    item: Item
    source_ids: set[UUID]


@dataclass(slots=True)
class Landscape:
    """Neighbours per candidate. `seen` is the change number up to which the audience's items were read."""

    embedded: Embedded
    seen: int
    known: dict[UUID, Known] = field(default_factory=dict)
    cosines: list[dict[UUID, float]] = field(default_factory=list)

    def neighbours(self, position: int, confidence: Confidence) -> list[Neighbour]:
        """The nearest of what is known to the candidate at `position`, with the confidence each item has today."""
        near = [(self.known[item_id], cosine) for item_id, cosine in self.cosines[position].items()]
        # A fact that was said and unsaid often has many closed rows; they may not crowd out the open one.
        nearest_first = heapq.nlargest(NEIGHBOURS, near, key=lambda one: (one[0].item.status in _OPEN, one[1]))
        return [_neighbour(known, cosine, confidence) for known, cosine in nearest_first]

    def admit(self, known: Known, position: int) -> None:
        """Let the rest of the batch see what the candidate at `position` became."""
        self._place(known, self._similarity([position])[:, 0])

    def replace(self, rows: Sequence[Known], vectors: Mapping[UUID, Vectors]) -> None:
        """Take in items that changed since the landscape was read; `vectors` of those that have one."""
        for known in rows:
            vector = vectors.get(known.item.id)
            mine = self.embedded.vectors
            self._place(known, mine @ vector if mine is not None and vector is not None else None)

    def _place(self, known: Known, similarity: Vectors | None) -> None:
        item = known.item
        self.known[item.id] = known
        floor = min(self.embedded.thresholds.related, self.embedded.thresholds.duplicate)
        for position, near in enumerate(self.cosines):
            before = near.pop(item.id, None)
            if item.status == Status.DELETED or not has_document(item):
                continue
            if item.claim_hash == self.embedded.candidates[position].claim_hash:
                near[item.id] = 1.0
            elif similarity is None and before is not None:
                near[item.id] = before
            elif similarity is not None and similarity[position] >= floor:
                near[item.id] = float(similarity[position])

    def _similarity(self, positions: Sequence[int]) -> Vectors:
        if self.embedded.vectors is None:
            return np.full((len(self.cosines), len(positions)), -1.0, dtype=np.float32)
        return self.embedded.vectors @ self.embedded.vectors[list(positions)].T


def read(embedded: Embedded, audience: Audience) -> Landscape:
    """Search the audience for what is near each candidate, or named by one. Needs an open scope, no lock."""
    seen = audiences.changes_seen(audience)
    found: list[dict[UUID, float]] = [{} for _ in embedded.candidates]
    if embedded.vectors is not None:
        near_each = nearest(
            embedded.vectors, audience=audience, model=embedded.model, now=clock.now(), k=NEIGHBOURS, unit=Unit.ITEM
        )
        found = [{neighbour.unit_id: neighbour.cosine for neighbour in near} for near in near_each]
    ids = {item_id for near in found for item_id in near}
    ids.update(item_id for one in embedded.candidates for item_id in (one.corrects, one.existing) if item_id)
    rows = _load(audience, Q(id__in=ids) | Q(claim_hash__in=embedded.hashes))
    landscape = Landscape(embedded, seen, cosines=[{} for _ in embedded.candidates])
    for known in rows:
        landscape.known[known.item.id] = known
        for candidate, near, cosines in zip(embedded.candidates, found, landscape.cosines, strict=True):
            if known.item.claim_hash == candidate.claim_hash:
                cosines[known.item.id] = 1.0
            elif known.item.id in near:
                cosines[known.item.id] = near[known.item.id]
    return landscape


def catch_up(landscape: Landscape, audience: Audience) -> None:
    """Under the lock: read what others changed since."""
    rows = _load(audience, Q(change_number__gt=landscape.seen), gone=True)
    if not rows:
        return
    landscape.replace(rows, _vectors([known.item.id for known in rows], landscape.embedded))


def _vectors(item_ids: Sequence[UUID], embedded: Embedded) -> dict[UUID, Vectors]:
    """The stored vectors of items, of the batch's model."""
    if embedded.vectors is None:
        return {}
    table = embeddings.table(embedded.vectors.shape[1])
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT d.unit_id, e.vector::text FROM index_document d"  # noqa: S608  a table of the index
            f" JOIN {table} e ON e.tenant_id = %(tenant)s AND e.document_id = d.id"
            " WHERE d.tenant_id = %(tenant)s AND d.unit = 'item' AND d.unit_id = ANY(%(ids)s) AND e.model = %(model)s",
            {"tenant": scope.current().tenant_id, "ids": list(item_ids), "model": embedded.model},
        )
        return {unit_id: np.array(json.loads(text), dtype=np.float32) for unit_id, text in cursor.fetchall()}


def _load(audience: Audience, which: Q, *, gone: bool = False) -> list[Known]:
    tenant_id = scope.current().tenant_id
    rows = Item.objects.filter(audiences.matching(audience), which, tenant_id=tenant_id)
    items = list(rows if gone else rows.exclude(status=Status.DELETED).exclude(status_reason=MERGED))
    sources: dict[UUID, set[UUID]] = {item.id: set() for item in items}
    pairs = ItemSource.objects.filter(tenant_id=tenant_id, item_id__in=list(sources))
    for item_id, resource_id in pairs.values_list("item_id", "resource_id") if items else ():
        sources[item_id].add(resource_id)
    return [Known(item, sources[item.id]) for item in items]


def _neighbour(known: Known, cosine: float, confidence: Confidence) -> Neighbour:
    item = known.item
    has_ended = item.valid_until is not None and item.valid_until <= confidence.now
    return Neighbour(
        id=item.id,
        text=item.text,
        said_at=item.said_at,
        cosine=cosine,
        strength=Strength(item.strength),
        confidence=confidence.effective(item),
        session_id=item.session_id,
        source_ids=frozenset(known.source_ids),
        entities=tuple(item.entity_names),
        service=item.service or None,
        status=Status(item.status),
        valid_until=item.valid_until if has_ended else None,
        author=item.agent_id,
    )
