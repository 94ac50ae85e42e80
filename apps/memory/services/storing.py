"""The short transaction in which an audience's batch is decided and written, under the audience's lock."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from apps.core import clock, scope
from apps.memory.confidence import Confidence
from apps.memory.models import Suppression
from apps.memory.services import audience as audiences
from apps.memory.services import landscape as landscapes
from apps.memory.services.candidates import Candidate
from apps.memory.services.changes import Changes
from apps.memory.services.deciding import Decider, Settled, rejected
from apps.memory.services.landscape import Landscape
from apps.tenants import selectors as tenants
from memory_platform.model import Audience


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of each candidate (None: suppressed, or another run's) and the extractions that were this run's."""

    settled: tuple[Settled | None, ...]
    counts: Counter[str]
    extraction_ids: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class Discards:
    """Facts the gate threw away, for their Rejection rows, and the extractions this run means to store."""

    candidates: tuple[Candidate, ...] = ()
    extraction_ids: tuple[UUID, ...] = ()


NOTHING = Discards()


def store(audience: Audience, landscape: Landscape, discards: Discards = NOTHING) -> Stored:
    """Decide on the landscape's candidates in order and write what follows. Needs an open scope."""
    opened = scope.current()
    number = audiences.lock(audience)
    mine = _claim(opened.tenant_id, discards.extraction_ids, clock.now())
    landscapes.catch_up(landscape, audience)
    changes = Changes(now=clock.now(), number=number, model=landscape.embedded.model)
    decider = _decider(opened.tenant_id, landscape, changes)
    candidates = landscape.embedded.candidates
    suppressed = _suppressed(opened.tenant_id, [*candidates, *discards.candidates])
    settled: list[Settled | None] = []
    for position, candidate in enumerate(candidates):
        if candidate.origin.extraction_id is not None and candidate.origin.extraction_id not in mine:
            settled.append(None)
        elif _is_suppressed(candidate, suppressed):
            decider.counts["suppressed"] += 1
            settled.append(None)
        else:
            decider.counts["held" if candidate.is_held else "allowed"] += 1
            settled.append(decider.settle(position))
    discarded = [one for one in discards.candidates if one.origin.extraction_id in mine]
    _reject(changes, decider.counts, [one for one in discarded if not _is_suppressed(one, suppressed)])
    changes.write()
    return Stored(tuple(settled), decider.counts, mine)


def _decider(tenant_id: UUID, landscape: Landscape, changes: Changes) -> Decider:
    policy = tenants.policy(tenant_id)
    confidence = Confidence.at(changes.now, policy, tenants.category_rules(tenant_id))
    return Decider(landscape, changes, policy, confidence)


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


def _suppressed(tenant_id: UUID, candidates: Sequence[Candidate]) -> frozenset[tuple[UUID, str]]:
    resource_ids = {one.origin.resource_id for one in candidates if one.origin.resource_id is not None}
    if not resource_ids:
        return frozenset()
    rows = Suppression.objects.filter(tenant_id=tenant_id, resource_id__in=resource_ids)
    return frozenset(rows.values_list("resource_id", "claim_hash"))


def _is_suppressed(candidate: Candidate, suppressed: frozenset[tuple[UUID, str]]) -> bool:
    resource_id = candidate.origin.resource_id
    if resource_id is None:
        return False
    return (resource_id, candidate.claim_hash) in suppressed or (resource_id, "") in suppressed


def _reject(changes: Changes, counts: Counter[str], discarded: Sequence[Candidate]) -> None:
    counts["discarded"] += len(discarded)
    changes.rejections.extend(
        rejected(candidate, stage="gate", reason=candidate.gate.reason, detail=candidate.gate.detail)
        for candidate in discarded
    )
