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
from apps.memory.requests import ItemOrder
from apps.memory.results import ItemView
from apps.retrieval.requests import ContextRequest, RecallRequest
from apps.retrieval.results import ContextResult, Hit, HitScores, HitSource
from apps.retrieval.services import sections, traces
from apps.retrieval.services.filtering import item_filter
from apps.retrieval.services.questions import Question, Telemetry
from apps.retrieval.services.recalling import current_policy, recall
from apps.retrieval.services.sections import SectionLine
from apps.retrieval.services.traces import Trace
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Invalid
from memory_platform.model import Intent, Profile, Relevance, Status, TrustTag, Unit, Visibility
from memory_platform.retrieval import context as packing
from memory_platform.retrieval import trust
from memory_platform.retrieval.context import Block, Memory, Style, excerpt
from memory_platform.text.terms import terms
from memory_platform.text.tokens import count as count_tokens

DEFAULT_TOKENS: Final = 2_000
CONSIDERED: Final = 60
"""Hits looked at for a block."""
SMALLEST_BUDGET: Final = 16
TOKENS_A_MEMORY: Final = 25
"""What a line costs at least: a caller who names a budget gets as many memories as it pays for."""
PAST_OR_PRESENT: Final = (Status.ACTIVE, Status.STALE, Status.ARCHIVED, Status.SUPERSEDED)
"""What may have held at a past moment, whatever became of it."""
LONGEST_SHARE: Final = 8
SHORTEST_EXCERPT: Final = 40
"""A memory may take an eighth of the budget, but always as many tokens as this."""


def context(request: ContextRequest, *, within: Scope, domain: str = "") -> ContextResult:
    """Fill a block of at most `max_tokens`. Called without an open scope, as `recall` is. Raises Invalid."""
    if request.max_tokens is not None and request.max_tokens < SMALLEST_BUDGET:
        raise Invalid(f"maxTokens is at least {SMALLEST_BUDGET}.", field="maxTokens")
    packer = Packer(request, current_policy(within))
    if request.query and request.query.strip():
        answer = recall(_question(request), within=within, domain=domain, keep=packer)
        return packer.result(recall_id=answer.id, available=answer.available)
    telemetry = Telemetry()
    with scope.enter(within):
        hits = _opening(request)
        kept = packer(None, hits)
        trace = _trace(telemetry)
        traces.store(trace, kept, tokens=[count_tokens(hit.text) for hit in kept])
    return packer.result(recall_id=trace.recall_id, available=len(hits))


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


class Packer:
    """Packs hits into a block, and says which of them are in it."""

    def __init__(self, request: ContextRequest, policy: Policy) -> None:
        self._request = request
        self._policy = policy
        self._max_tokens = request.max_tokens or DEFAULT_TOKENS
        self._block = Block("", 0, ())
        self._kept: tuple[Hit, ...] = ()

    def __call__(self, question: Question | None, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits the block holds, best first. Needs an open scope."""
        memories = self._memories(question, hits)
        self._block = packing.pack(
            [each.memory for each in memories],
            max_tokens=self._max_tokens,
            count_tokens=count_tokens,
            style=self._request.style,
            limit=self._limit,
            shares=sections.shares(self._policy),
        )
        places = {memories[place].hit for place in self._block.included} - {None}
        self._kept = tuple(hit for place, hit in enumerate(hits) if place in places)
        return list(self._kept)

    def result(self, *, recall_id: UUID, available: int) -> ContextResult:
        block = self._block
        return ContextResult(recall_id, block.text, block.tokens, len(block.included), available, self._kept)

    @property
    def _limit(self) -> int:
        if self._request.max_tokens is None:
            return self._policy.context_limit
        return max(self._policy.context_limit, self._max_tokens // TOKENS_A_MEMORY)

    def _memories(self, question: Question | None, hits: Sequence[Hit]) -> list[SectionLine]:
        asked = terms(question.text).keys() if question else ()
        longest = max(self._max_tokens // LONGEST_SHARE, SHORTEST_EXCERPT)
        told = [
            SectionLine(
                _memory(hit, excerpt(hit.text, asked=asked, max_tokens=longest, count_tokens=count_tokens)), place
            )
            for place, hit in enumerate(hits)
        ]
        if self._request.style is not Style.SECTIONS:
            return told
        return sections.arranged(told, hits, question=question, request=self._request)


def _memory(hit: Hit, text: str) -> Memory:
    """An episode's words need their speaker in a prompt; an item's text names its own."""
    speaker = hit.sources[0].speaker if hit.unit is Unit.EPISODE and hit.sources else None
    return Memory(
        text=f"{speaker}: {text}" if speaker else text,
        unit=hit.unit,
        age_days=hit.age_days,
        confidence=hit.confidence,
        category=hit.category,
        service=hit.service,
        tags=hit.tags,
        said_by=(hit.said_by or "") if hit.is_shared else "",
        said_at=hit.said_at,
        says=hit.id,
    )


def _opening(request: ContextRequest) -> list[Hit]:
    """The current items that weigh most, rules and preferences first: what to know before anything is asked."""
    now = clock_now()
    wanted = item_filter(
        request.filter, now=now, as_of=request.as_of, statuses=PAST_OR_PRESENT if request.as_of else (Status.ACTIVE,)
    )
    weightiest = memory.items(filter=wanted, order=ItemOrder.WEIGHTIEST, page=Page(first=CONSIDERED))
    agents = tenants.agent_slugs({item.agent_id for item in weightiest.rows})
    hits = {
        item.id: replace(_hit(item, now, as_of=request.as_of), said_by=agents.get(item.agent_id))
        for item in weightiest.rows
    }
    ordered = trust.side_by_side(list(hits), contradicts={item.id: item.contradicted_by for item in weightiest.rows})
    return [replace(hits[item_id], rank=rank) for rank, item_id in enumerate(ordered, start=1)]


def _hit(item: ItemView, now: datetime, *, as_of: datetime | None) -> Hit:
    heard = [source for source in item.sources if as_of is None or source.said_at <= as_of]
    return Hit(
        rank=0,
        unit=Unit.ITEM,
        id=item.id,
        text=item.text,
        score=item.confidence,
        probability=item.confidence,
        relevance=Relevance.HIGH,
        lead_in=item.lead_in,
        scores=HitScores(),
        item_id=item.id,
        episode_id=None,
        category=item.category,
        service=item.service,
        confidence=item.confidence,
        age_days=max((now - item.said_at).total_seconds() / 86_400, 0.0),
        event_time=item.event_time,
        tags=(TrustTag.CONFLICT,) if item.contradicted_by else (),
        is_shared=item.visibility is Visibility.SHARED,
        said_at=item.said_at,
        sources=tuple(HitSource(s.resource_id, s.external_id, s.speaker, s.said_at, s.quote) for s in heard),
    )


def _trace(telemetry: Telemetry) -> Trace:
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
        milliseconds=telemetry.milliseconds,
    )
