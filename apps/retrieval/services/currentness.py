"""Which hits of an answer say what another of them has probably replaced. Judged when they are asked for: a change that
is told in words of its own is seen only beside what it changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

import structlog

from apps.core import providers
from apps.index import embeddings
from apps.memory import selectors as memory
from apps.memory.judging import judged
from apps.retrieval.results import Hit
from apps.retrieval.services.questions import Question, Telemetry
from memory_platform.errors import ProviderError
from memory_platform.model import Profile, Role, TrustTag, Unit, in_context
from memory_platform.ports import ClaimPair
from memory_platform.retrieval import currentness
from memory_platform.retrieval.currentness import LOOKED_AT, ComparedHit, Pair

log = structlog.get_logger(__name__)

TOLD = frozenset({Unit.ITEM, Unit.EPISODE})
KNOWN = frozenset({TrustTag.SUPERSEDED, TrustTag.PROBABLY_SUPERSEDED})


def considered(question: Question) -> int:
    """How many hits to find: one that is not handed out may be what replaced one that is."""
    return max(question.plan.hits, LOOKED_AT) if _compares(question) else question.plan.hits


def suspects(hits: Sequence[Hit], question: Question) -> dict[Pair, ClaimPair]:
    """Hits that may tell of one matter at two times, by their places (older, newer).

    None in the lean profile, nor where a time is asked about. At most three statements.
    """
    if not _compares(question):
        return {}
    statements = [_statement(place, hit) for place, hit in enumerate(hits[:LOOKED_AT]) if hit.unit in TOLD]
    near = _near([hits[one.place] for one in statements], question)
    places = {hit.id: place for place, hit in enumerate(hits)}
    return currentness.pairs(statements, {frozenset(places[one] for one in pair) for pair in near})


def settled(
    hits: Sequence[Hit], suspected: Mapping[Pair, ClaimPair], telemetry: Telemetry, *, tenant_id: UUID
) -> list[Hit]:
    """The hits, with what is probably replaced marked and behind what replaced it. Asks a model about pairs
    that were not judged lately: no transaction is open.
    """
    if not suspected:
        return list(hits)
    with telemetry.stage("currentness"):
        try:
            relations = judged(providers.relator(), list(suspected.values()), tenant_id=tenant_id)
        except ProviderError as error:
            telemetry.degraded.append("currentness")
            log.warning("hits not compared", error=type(error).__name__)
            return list(hits)
    found = dict(zip(suspected, relations, strict=True))
    outdated = currentness.outdated(found)
    marked = [_marked(hit) if place in outdated else hit for place, hit in enumerate(hits)]
    return [marked[place] for place in currentness.order([hit.score for hit in hits], found)]


def _compares(question: Question) -> bool:
    return question.plan.profile is not Profile.LEAN and question.plan.ages


def _statement(place: int, hit: Hit) -> ComparedHit:
    return ComparedHit(
        place=place,
        text=in_context(hit.text, hit.lead_in),
        said_at=hit.said_at,
        confirmed_at=hit.confirmed_at,
        sources=frozenset(source.resource_id for source in hit.sources),
        author=hit.said_by,
        slot=hit.slot,
        is_outdated_echo=hit.role is Role.ASSISTANT and not KNOWN.isdisjoint(hit.tags),
    )


def _near(hits: Sequence[Hit], question: Question) -> set[frozenset[UUID]]:
    """Hits that lie near each other, unless it was said already how their items relate."""
    near = _neighbours([hit.id for hit in hits], question) if len(hits) > 1 else set()
    items = {hit.id: hit.item_id for hit in hits}
    known = memory.compared([one for one in items.values() if one]) if near else frozenset()
    return {pair for pair in near if frozenset(items[one] for one in pair) not in known}


def _neighbours(unit_ids: Sequence[UUID], question: Question) -> set[frozenset[UUID]]:
    """By the question's model, and by the one that reads other languages where it read the question, too."""
    least = currentness.nearness(question.thresholds)
    asked = [] if question.vector is None else [(question.model, len(question.vector), least)]
    if (other := question.other) is not None:
        asked.append((other.model, len(other.vector), (least - other.shift) / other.slope))
    return {
        frozenset(pair)
        for model, dimension, from_cosine in asked
        for pair in embeddings.near_each_other(unit_ids, model=model, dimension=dimension, from_cosine=from_cosine)
    }


def _marked(hit: Hit) -> Hit:
    if KNOWN.intersection(hit.tags):
        return hit
    tags = {*hit.tags, TrustTag.PROBABLY_SUPERSEDED}
    return replace(hit, tags=tuple(tag for tag in TrustTag if tag in tags))
