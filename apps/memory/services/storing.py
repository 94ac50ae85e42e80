"""The short transaction in which an audience's batch is decided and written, under the audience's lock."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from apps.core import clock, scope
from apps.memory.confidence import Confidence
from apps.memory.documents import MERGED
from apps.memory.models import Item, RejectionStage, Suppression
from apps.memory.services import audience as audiences
from apps.memory.services import neighbourhood as neighbourhoods
from apps.memory.services.candidates import Candidate, Origin
from apps.memory.services.changes import Changes
from apps.memory.services.deciding import ECHO, MADE, CandidateDecision, Decider
from apps.memory.services.neighbourhood import CandidateNeighbours
from apps.memory.services.rows import left_out, rejected
from apps.tenants import selectors as tenants
from memory_platform.consolidation.claims import claim_hash
from memory_platform.model import Audience, Dropped, Status


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of each candidate (None: suppressed, or another run's) and the extractions that were this run's."""

    settled: tuple[CandidateDecision | None, ...]
    counts: Counter[str]
    extraction_ids: frozenset[UUID]

    @property
    def memories(self) -> int:
        """How many of the candidates became items."""
        return sum(one is not None and one.outcome in MADE for one in self.settled)


@dataclass(frozen=True, slots=True)
class Discards:
    """What becomes no item, for its Rejection rows, and the extractions this run means to store: facts the gate threw
    away, and what the extractor left out of each extraction.
    """

    candidates: tuple[Candidate, ...] = ()
    extraction_ids: tuple[UUID, ...] = ()
    dropped: tuple[tuple[UUID, Origin, Dropped], ...] = ()


NOTHING = Discards()


def store(audience: Audience, neighbourhood: CandidateNeighbours, discards: Discards = NOTHING) -> Stored:
    """Decide on the neighbourhood's candidates in order and write what follows. Needs an open scope."""
    opened = scope.current()
    number = audiences.lock(audience)
    mine = _claim(opened.tenant_id, discards.extraction_ids, clock.now())
    neighbourhoods.catch_up(neighbourhood, audience)
    changes = Changes(now=clock.now(), number=number)
    decider = _decider(opened.tenant_id, neighbourhood, changes)
    candidates = neighbourhood.embedded.candidates
    origins = [one.origin for one in (*candidates, *discards.candidates)]
    suppressed = _suppressed(opened.tenant_id, [*origins, *(origin for _, origin, _ in discards.dropped)])
    settled: list[CandidateDecision | None] = []
    for position, candidate in enumerate(candidates):
        if candidate.origin.extraction_id is not None and candidate.origin.extraction_id not in mine:
            settled.append(None)
        elif _is_suppressed(candidate.origin, candidate.claim_hash, suppressed):
            decider.counts["suppressed"] += 1
            settled.append(None)
        else:
            decider.counts["held" if candidate.is_held else "allowed"] += 1
            settled.append(decider.settle(position))
    discarded = [one for one in discards.candidates if one.origin.extraction_id in mine]
    others = [one for one in discarded if not _is_suppressed(one.origin, one.claim_hash, suppressed)]
    _reject(changes, decider.counts, others)
    dropped = [
        (origin, each)
        for extraction_id, origin, each in discards.dropped
        if extraction_id in mine and not _is_suppressed(origin, claim_hash(each.text), suppressed)
    ]
    changes.rejections.extend(left_out(origin, each) for origin, each in dropped)
    _note_quotes(changes, audience, dropped)
    changes.write()
    return Stored(tuple(settled), decider.counts, mine)


def _note_quotes(changes: Changes, audience: Audience, dropped: Sequence[tuple[Origin, Dropped]]) -> None:
    """What became of a memory that a message quotes line by line becomes of the quote."""
    quotes = [(origin.resource_id, claim_hash(each.text)) for origin, each in dropped if each.reason == ECHO]
    if not quotes:
        return
    rows = Item.objects.filter(
        audiences.matching(audience),
        tenant_id=scope.current().tenant_id,
        claim_hash__in={claim for _, claim in quotes},
        status__in=(Status.ACTIVE, Status.STALE, Status.SUPERSEDED),
    ).exclude(status_reason=MERGED)
    items = {item.claim_hash: item for item in sorted(rows, key=lambda item: (item.valid_until is None, item.said_at))}
    for resource_id, claim in quotes:
        if resource_id is not None and claim in items:
            changes.echo(resource_id, items[claim])


def _decider(tenant_id: UUID, neighbourhood: CandidateNeighbours, changes: Changes) -> Decider:
    policy = tenants.policy(tenant_id)
    confidence = Confidence.at(changes.now, policy, tenants.category_rules(tenant_id))
    return Decider(neighbourhood, changes, policy, confidence)


def _claim(tenant_id: UUID, extraction_ids: Sequence[UUID], now: datetime) -> frozenset[UUID]:
    """Take the extractions no run has stored, of whichever extractor: the audience's lock makes this a safe check."""
    if not extraction_ids:
        return frozenset()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memory_extraction AS mine SET stored_at = %s WHERE tenant_id = %s AND id = ANY(%s)"
            " AND NOT EXISTS (SELECT 1 FROM memory_extraction AS other WHERE other.tenant_id = mine.tenant_id"
            " AND other.resource_id = mine.resource_id AND other.stored_at IS NOT NULL) RETURNING id",
            [now, tenant_id, list(extraction_ids)],
        )
        return frozenset(row[0] for row in cursor.fetchall())


def _suppressed(tenant_id: UUID, origins: Sequence[Origin]) -> frozenset[tuple[UUID, str]]:
    resource_ids = {one.resource_id for one in origins if one.resource_id is not None}
    if not resource_ids:
        return frozenset()
    rows = Suppression.objects.filter(tenant_id=tenant_id, resource_id__in=resource_ids)
    return frozenset(rows.values_list("resource_id", "claim_hash"))


def _is_suppressed(origin: Origin, claim: str, suppressed: frozenset[tuple[UUID, str]]) -> bool:
    """Whether what was said there, or the claim of this hash, was forgotten."""
    if origin.resource_id is None:
        return False
    return (origin.resource_id, claim) in suppressed or (origin.resource_id, "") in suppressed


def _reject(changes: Changes, counts: Counter[str], discarded: Sequence[Candidate]) -> None:
    counts["discarded"] += len(discarded)
    changes.rejections.extend(
        rejected(candidate, stage=RejectionStage.GATE, reason=candidate.gate.reason, detail=candidate.gate.detail)
        for candidate in discarded
    )
