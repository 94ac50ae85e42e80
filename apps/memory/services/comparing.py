"""Late comparison: what was stored while the embedder was away is deduplicated and conflict-checked after all; and by
night what came in by day, whose vectors are stored and whose judgements are remembered.
"""

from collections.abc import Sequence
from itertools import groupby
from uuid import UUID

from apps.budgets.services import meter, spending
from apps.core import providers, scope
from apps.core.scope import Scope
from apps.index import embeddings
from apps.index import services as index
from apps.memory.documents import CONDENSED
from apps.memory.models import Item
from apps.memory.services import audience as audiences
from apps.memory.services import neighbourhood
from apps.memory.services.arbitrating import arbitrate
from apps.memory.services.candidates import Candidate, Late, Origin
from apps.memory.services.embedding import Embedded, Held, Part, embed
from apps.memory.services.relating import relate
from apps.memory.services.storing import store
from apps.tenants import selectors as tenants
from memory_platform.consolidation.gating import GateDecision, GateReason
from memory_platform.model import (
    Fact,
    FiledBy,
    Kind,
    Mood,
    Priority,
    Role,
    Sentiment,
    Status,
    Strength,
    Unit,
    Verdict,
)


def compare(item_ids: Sequence[UUID], *, within: Scope) -> int:
    """Compare active items with the rest of their audience as if they came in now; returns how many were.

    Called without an open scope. Raises ProviderRetryable; running it twice changes nothing.
    """
    with scope.enter(within):
        policy = tenants.policy(within.tenant_id)
        candidates = _candidates(item_ids)
        held = _held(candidates)
    compared = 0
    for audience, own in groupby(candidates, key=lambda one: one.origin.audience):
        with spending(operation="dedup", within=within, agent_id=audience.agent_id) as asked:
            embedded = embed(list(own), policy, required=True, held=held)
            asked.usages.extend(embedded.usages)
            with scope.enter(within):
                near = neighbourhood.read(embedded, audience)
            relate(near, policy=policy, required=True)
            arbitrate(near, within=within)
            with scope.enter(within):
                store(audience, near)
                _embed(embedded, held)
        compared += len(embedded.candidates)
    return compared


def _candidates(item_ids: Sequence[UUID]) -> list[Candidate]:
    rows = Item.objects.filter(
        tenant_id=scope.current().tenant_id, id__in=item_ids, status__in=(Status.ACTIVE, Status.STALE)
    )
    claims = rows.exclude(verdict_reason=CONDENSED)
    known = neighbourhood.known_items(list(claims.order_by("agent_id", "user_id", "visibility", "said_at", "id")))
    return [candidate_of(each.item, each.role) for each in known]


def candidate_of(item: Item, role: Role = Role.USER) -> Candidate:
    """A stored item, held on the word of `role`, as a candidate for comparison: judged already, and to stay the item it
    is.
    """
    origin = Origin(audiences.of(item), item.said_at, item.session_id, role=role)
    gate = GateDecision(Verdict(item.verdict), _reason(item.verdict_reason), 1.0)
    return Candidate(_fact(item), origin, gate, item.confidence, item.claim_hash, purpose=Late(item.id))


def _reason(code: str) -> GateReason:
    return GateReason(code) if code in set(GateReason) else GateReason.USEFUL


def _fact(item: Item) -> Fact:
    return Fact(
        text=item.text,
        quote="",
        kind=Kind(item.kind),
        category=item.category,
        strength=Strength(item.strength),
        sentiment=Sentiment(item.sentiment),
        priority=Priority(item.priority),
        entities=tuple(item.entity_names),
        service=item.service or None,
        event_time=item.event_time,
        lead_in=item.lead_in,
        slot=item.slot,
        mood=Mood(item.mood),
        is_negated=item.is_negated,
        said_by=item.said_by,
        reported_by=item.reported_by,
        language=item.language,
        filed_by=FiledBy(item.filed_by),
    )


def _held(candidates: Sequence[Candidate]) -> Held:
    """The candidates' vectors that are stored: of the words they have now, for a document loses those of others."""
    item_ids = [one.existing for one in candidates if one.existing is not None]
    return {
        (embedder.model, item_id): vector
        for embedder in (providers.embedder(), providers.multilingual_embedder())
        if embedder is not None
        for item_id, vector in embeddings.vectors_of(
            Unit.ITEM, item_ids, model=embedder.model, dimension=embedder.dimension
        ).items()
    }


def _embed(embedded: Embedded, held: Held) -> None:
    """Store the vectors that are new, where the documents are still there, and what they cost."""
    if not embedded.parts:
        return
    for part in embedded.parts:
        _store(part, embedded.candidates, held)
    meter(operation="dedup", usages=embedded.usages, agent_id=embedded.candidates[0].origin.audience.agent_id)


def _store(part: Part, candidates: Sequence[Candidate], held: Held) -> None:
    item_ids = [candidates[position].existing for position in part.positions]
    rows = {
        item_id: row
        for row, item_id in enumerate(item_ids)
        if item_id is not None and (part.model, item_id) not in held
    }
    if rows and (found := index.documents_of(Unit.ITEM, rows)):
        vectors = part.vectors[[rows[unit_id] for unit_id in found.values()]]
        index.store_embeddings(list(found), vectors, part.model)
