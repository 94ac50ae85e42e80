"""Context: the block for the prompt, from a question or, at the start of a session, from what matters most."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final
from uuid import UUID

from apps.budgets import balances
from apps.core import scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.core.paging import PageRequest
from apps.core.scope import Scope
from apps.memory import selectors as memory
from apps.memory.requests import ItemFilter, ItemOrder
from apps.memory.results import ItemView
from apps.retrieval.requests import ContextRequest, RecallRequest
from apps.retrieval.results import ContextResult, Hit, LeftOut, RecallExplanation, SessionChange, StageTime
from apps.retrieval.services import sections, sessions, traces
from apps.retrieval.services.answers import item_tags
from apps.retrieval.services.filtering import item_filter
from apps.retrieval.services.items import hit_of
from apps.retrieval.services.questions import Question, Telemetry
from apps.retrieval.services.recalling import Keep, Kept, numbers_for, omitted, recall
from apps.retrieval.services.sections import SectionLine
from apps.retrieval.services.sessions import GivenSoFar
from apps.retrieval.services.traces import Trace
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Invalid
from memory_platform.extraction.observing import is_brief
from memory_platform.model import (
    ContextStyle,
    Intent,
    Pressure,
    Profile,
    Status,
)
from memory_platform.retrieval import context as packing
from memory_platform.retrieval import trust
from memory_platform.retrieval.context import Block, ContextMemory, Omission, excerpt
from memory_platform.retrieval.query import Complexity
from memory_platform.text.terms import terms
from memory_platform.text.tokens import count as count_tokens

OPENING_TIER: Final = 0
"""Of an answer to no question: no tier was asked."""
CONSIDERED: Final = 60
"""Hits looked at for a block."""
SMALLEST_BUDGET: Final = 16
TOKENS_A_MEMORY: Final = 25
"""What a line costs at least: a caller who names a budget gets as many memories as it pays for."""
SHORTEST_EXCERPT: Final = 40
"""A memory may take its share of the budget (Policy, `excerpt_share`), but always as many tokens as this."""


def context(request: ContextRequest, *, within: Scope, domain: str = "") -> ContextResult:
    """Fill a block of at most `max_tokens`. Called without an open scope, as `recall` is. Raises Invalid."""
    if request.max_tokens is not None and request.max_tokens < SMALLEST_BUDGET:
        raise Invalid(f"maxTokens is at least {SMALLEST_BUDGET}.", field="maxTokens")
    pressure = balances.hold(within).pressure
    policy = numbers_for(request, within)
    packed = partial(pack, request=request, policy=policy, pressure=pressure)
    if request.query and request.query.strip():
        answer = recall(_question(request), within=within, domain=domain, keep=packed)
        return _result(
            answer.block,
            recall_id=answer.id,
            hits=answer.hits,
            changed=answer.changed,
            available=answer.available - answer.already_given,
            degraded=answer.degraded,
            explanation=answer.explanation,
        )
    return _opened(request, policy, keep=packed, within=within, telemetry=Telemetry.under(pressure))


def _question(request: ContextRequest) -> RecallRequest:
    return RecallRequest(
        query=request.query or "",
        profile=request.profile,
        limit=CONSIDERED,
        filter=request.filter,
        as_of=request.as_of,
        messages=request.messages,
        session_id=request.session_id,
        explain=request.explain,
        trial=request.trial,
    )


def pack(
    question: Question | None,
    hits: Sequence[Hit],
    given: GivenSoFar,
    *,
    request: ContextRequest,
    policy: Policy,
    pressure: Pressure = Pressure.OK,
) -> Kept:
    """Pack hits into a block: which of them are in it, best first, and why others are not. Needs an open scope."""
    withheld = () if request.repeat else tuple(hit for hit in hits if hit.already_given)
    fresh = [hit for hit in hits if request.repeat or not hit.already_given]
    tokens = max((request.max_tokens or policy.context_tokens) - request.reserved, 0)
    limit = _limit(request, policy, pressure, tokens) + sum(hit.id in request.preload for hit in fresh)
    excerpts = _excerpts(question, fresh, longest=max(int(tokens * policy.excerpt_share), SHORTEST_EXCERPT))
    lines = _lines(question, fresh, excerpts, request, policy)
    memories = [line.memory for line in lines]
    block = packing.pack(
        memories,
        max_tokens=tokens,
        count_tokens=count_tokens,
        style=request.style,
        limit=limit,
        shares=sections.shares(policy),
    )
    included = {lines[place].hit for place in block.included}
    places = [place for place in range(len(fresh)) if place in included]
    omissions = packing.omissions(memories, block.included, limit=limit)
    return Kept(
        hits=[fresh[place] for place in places],
        tokens=[count_tokens(excerpts[place]) for place in places],
        left_out=(
            *_left_out(fresh, omissions, included),
            *(omitted(hit, Omission.ALREADY_GIVEN) for hit in withheld),
        ),
        changes=tuple(given.changes()) if request.as_of is None else (),
        block=block,
    )


def _left_out(
    hits: Sequence[Hit], omissions: Mapping[int, Omission], included: Collection[int | None]
) -> Iterator[LeftOut]:
    """The lines of hits come first, in their order: a place below `len(hits)` is a hit's."""
    for place, reason in omissions.items():
        if place < len(hits) and place not in included:
            yield omitted(hits[place], reason)


def _limit(request: ContextRequest, policy: Policy, pressure: Pressure, tokens: int) -> int:
    """How many memories at most."""
    paid_for = 0 if request.max_tokens is None else tokens // TOKENS_A_MEMORY
    most = max(policy.context_limit, paid_for)
    return most if pressure is Pressure.OK else min(most, policy.pressed_context_limit)


def _excerpts(question: Question | None, hits: Sequence[Hit], *, longest: int) -> list[str]:
    asked = terms(question.text).keys() if question else ()
    return [excerpt(_told(hit), asked=asked, max_tokens=longest, count_tokens=count_tokens) for hit in hits]


def _told(hit: Hit) -> str:
    """Its text; a brief answer behind its question, without which "Never." tells nothing."""
    return f"{hit.lead_in} {hit.text}" if hit.lead_in.endswith("?") and is_brief(hit.text) else hit.text


def _lines(
    question: Question | None, hits: Sequence[Hit], excerpts: Sequence[str], request: ContextRequest, policy: Policy
) -> list[SectionLine]:
    shown = zip(hits, excerpts, strict=True)
    told = [SectionLine(_memory(hit, text), place) for place, (hit, text) in enumerate(shown)]
    if request.style is not ContextStyle.SECTIONS:
        return told
    return sections.arranged(told, hits, question=question, request=request, policy=policy)


def _opened(
    request: ContextRequest, policy: Policy, *, keep: Keep, within: Scope, telemetry: Telemetry
) -> ContextResult:
    """The block before anything is asked."""
    with scope.enter(within):
        given = sessions.given(request.session_id)
        with telemetry.stage("opening"):
            hits = given.marked(_opening(request, policy))
        with telemetry.stage("pack"):
            kept = keep(None, hits, given)
        trace = _trace(request, kept, telemetry)
        traces.store(trace, kept.hits, tokens=kept.tokens)
    return _result(
        kept.block,
        recall_id=trace.recall_id,
        hits=kept.hits,
        changed=kept.changes,
        available=len(hits) - kept.already_given,
        degraded=trace.degraded,
        explanation=_explanation(hits, kept, telemetry) if request.explain else None,
    )


def _result(
    block: Block,
    *,
    recall_id: UUID,
    hits: Sequence[Hit],
    changed: tuple[SessionChange, ...],
    available: int,
    degraded: tuple[str, ...],
    explanation: RecallExplanation | None,
) -> ContextResult:
    return ContextResult(
        recall_id=recall_id,
        text=block.text,
        tokens=block.tokens,
        included=len(block.included),
        available=available,
        included_hits=tuple(hits),
        changed=changed,
        degraded=degraded,
        explanation=explanation,
    )


def _memory(hit: Hit, text: str) -> ContextMemory:
    return ContextMemory(
        text=text,
        unit=hit.unit,
        age_days=hit.age_days,
        confidence=hit.confidence,
        category=hit.category,
        service=hit.service,
        tags=hit.tags,
        said_by=(hit.said_by or "") if hit.is_shared else "",
        said_at=hit.said_at,
        says=hit.id,
        voice=hit.voice,
    )


def _opening(request: ContextRequest, policy: Policy) -> list[Hit]:
    """The current items that weigh most, rules and preferences first: what to know before anything is asked."""
    now = clock_now()
    wanted = item_filter(request.filter, now=now, as_of=request.as_of, statuses=(Status.ACTIVE,))
    weightiest = memory.items(filter=wanted, order=ItemOrder.WEIGHTIEST, page=PageRequest(first=CONSIDERED)).rows
    items = {item.id: item for item in (*_preloaded(request, wanted), *weightiest) if item.id not in request.told}
    agents = tenants.agent_slugs({item.agent_id for item in items.values()})
    rules = {rule.slug: rule for rule in tenants.category_rules(policy.tenant_id)}
    hits = {
        item.id: replace(
            hit_of(
                item,
                now,
                tags=item_tags(item, rules.get(item.category), policy=policy, now=request.as_of or now),
                as_of=request.as_of,
            ),
            said_by=agents.get(item.agent_id),
        )
        for item in items.values()
    }
    ordered = trust.side_by_side(list(hits), contradicts={item.id: item.contradicted_by for item in items.values()})
    return [replace(hits[item_id], rank=rank) for rank, item_id in enumerate(ordered, start=1)]


def _preloaded(request: ContextRequest, wanted: ItemFilter) -> list[ItemView]:
    """Those of them that can be read and hold, in the order they are named."""
    if not request.preload:
        return []
    named = replace(wanted, ids=request.preload, statuses=(Status.ACTIVE, Status.STALE))
    found = {item.id: item for item in memory.items(filter=named, page=PageRequest(first=len(request.preload))).rows}
    return [found[item_id] for item_id in request.preload if item_id in found]


def _explanation(hits: Sequence[Hit], kept: Kept, telemetry: Telemetry) -> RecallExplanation:
    return RecallExplanation(
        statement=False,
        complexity=Complexity.SIMPLE.value,
        gate=0.0,
        floor=0.0,
        least=0.0,
        candidates=len(hits),
        time_range=None,
        stages=tuple(StageTime(name, spent) for name, spent in telemetry.stages.items()),
        arms=(),
        below_floor=(),
        left_out=kept.left_out,
    )


def _trace(request: ContextRequest, kept: Kept, telemetry: Telemetry) -> Trace:
    return Trace(
        recall_id=new_id(),
        query="",
        rewritten="",
        profile=Profile.LEAN.value,
        intent=Intent.GENERAL.value,
        tier=OPENING_TIER,
        degraded=tuple(telemetry.degraded),
        stages={},
        candidates=0,
        usages=(),
        milliseconds=telemetry.milliseconds,
        session_id=request.session_id,
        changed=kept.told,
        is_trial=request.trial is not None,
    )
