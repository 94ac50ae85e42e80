"""Context: the block for the prompt, from a question or, at the start of a session, from what matters most."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.core import scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.core.paging import Page
from apps.core.scope import Scope
from apps.memory import selectors as memory
from apps.memory.requests import ItemFilter, ItemOrder
from apps.memory.results import ItemView
from apps.retrieval.requests import ContextRequest, RecallRequest
from apps.retrieval.results import ContextResult, Hit, HitScores, Source
from apps.retrieval.services import periods, traces
from apps.retrieval.services.questions import Journey
from apps.retrieval.services.recalling import agent_id_of, current_policy, recall
from apps.retrieval.services.traces import Trace
from apps.tenants import selectors as tenants
from memory_platform import context as packing
from memory_platform import trust
from memory_platform.context import Memory
from memory_platform.errors import Invalid
from memory_platform.model import Intent, Profile, Status, TrustTag, Unit
from memory_platform.tokens import count as count_tokens

# Looked at for a block; it holds at most Policy.context_limit of them.
CONSIDERED: Final = 30
SMALLEST_BUDGET: Final = 16


def context(request: ContextRequest, *, within: Scope, domain: str = "") -> ContextResult:
    """Fill a block of at most `max_tokens`. Called without an open scope, as `recall` is. Raises Invalid."""
    if request.max_tokens < SMALLEST_BUDGET:
        raise Invalid(f"maxTokens is at least {SMALLEST_BUDGET}.", field="maxTokens")
    limit = current_policy(within).context_limit
    if request.query and request.query.strip():
        answer = recall(_question(request), within=within, domain=domain)
        return _packed(request, answer.hits, recall_id=answer.id, available=answer.available, limit=limit)
    journey = Journey()
    with scope.enter(within):
        hits = _opening(request)
        trace = _trace(journey)
        traces.store(trace, hits, tokens=[count_tokens(hit.text) for hit in hits])
    return _packed(request, hits, recall_id=trace.recall_id, available=len(hits), limit=limit)


def _question(request: ContextRequest) -> RecallRequest:
    return RecallRequest(
        query=request.query or "",
        profile=request.profile,
        limit=CONSIDERED,
        filter=request.filter,
        as_of=request.as_of,
        messages=request.messages,
        session_id=request.session_id,
    )


def _packed(
    request: ContextRequest, hits: Sequence[Hit], *, recall_id: UUID, available: int, limit: int
) -> ContextResult:
    block = packing.pack(
        [_memory(hit) for hit in hits],
        max_tokens=request.max_tokens,
        count_tokens=count_tokens,
        style=request.style,
        limit=limit,
    )
    included = tuple(hits[place] for place in block.included)
    return ContextResult(recall_id, block.text, block.tokens, len(included), available, included)


def _memory(hit: Hit) -> Memory:
    """An episode's words need their speaker in a prompt; an item's text names its own."""
    speaker = hit.sources[0].speaker if hit.unit is Unit.EPISODE and hit.sources else None
    return Memory(
        text=f"{speaker}: {hit.text}" if speaker else hit.text,
        unit=hit.unit,
        age_days=hit.age_days,
        confidence=hit.confidence,
        category=hit.category,
        service=hit.service,
        tags=hit.tags,
        event_time=hit.event_time if hit.unit is Unit.EPISODE else None,
        said_by=hit.said_by or "",
        said_at=hit.said_at,
    )


def _opening(request: ContextRequest) -> list[Hit]:
    """The surest current items: what to know before anything is asked."""
    now = clock_now()
    surest = memory.items(
        filter=_item_filter(request, now), order=ItemOrder.MOST_CONFIDENT, page=Page(first=CONSIDERED)
    )
    agents = tenants.agent_slugs({item.agent_id for item in surest.rows})
    hits = {item.id: replace(_hit(item, now), said_by=agents.get(item.agent_id)) for item in surest.rows}
    ordered = trust.side_by_side(list(hits), contradicts={item.id: item.contradicted_by for item in surest.rows})
    return [replace(hits[item_id], rank=rank) for rank, item_id in enumerate(ordered, start=1)]


def _item_filter(request: ContextRequest, now: datetime) -> ItemFilter:
    wanted = request.filter
    return ItemFilter(
        kinds=wanted.kinds,
        categories=wanted.domain_categories,
        services=wanted.services,
        user_id=wanted.user_id,
        agent_id=agent_id_of(wanted),
        session_id=wanted.session_id,
        entity=wanted.entity,
        statuses=wanted.statuses or (Status.ACTIVE,),
        verdicts=wanted.verdicts,
        minimum_confidence=wanted.minimum_confidence,
        visibility=wanted.visibility,
        after=periods.moment(wanted.after, now=now, field="after"),
        before=periods.moment(wanted.before, now=now, field="before"),
    )


def _hit(item: ItemView, now: datetime) -> Hit:
    return Hit(
        rank=0,
        unit=Unit.ITEM,
        id=item.id,
        text=item.text,
        score=item.confidence,
        relevance=item.confidence,
        scores=HitScores(),
        item_id=item.id,
        episode_id=None,
        category=item.category,
        service=item.service,
        confidence=item.confidence,
        age_days=max((now - item.said_at).total_seconds() / 86_400, 0.0),
        event_time=item.event_time,
        tags=(TrustTag.CONFLICT,) if item.contradicted_by else (),
        said_at=item.said_at,
        sources=tuple(Source(s.resource_id, s.external_id, s.speaker, s.said_at, s.quote) for s in item.sources),
    )


def _trace(journey: Journey) -> Trace:
    return Trace(
        recall_id=new_id(),
        query="",
        rewritten="",
        profile=Profile.LEAN.value,
        intent=Intent.GENERAL.value,
        tier=1,
        degraded=(),
        stages={},
        candidates=0,
        usages=(),
        milliseconds=journey.milliseconds,
    )
