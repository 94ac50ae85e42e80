"""Recall: question → candidates → score → floor → hits → trace."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from apps.budgets.prices import priced
from apps.budgets.services import spending
from apps.core import scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.core.scope import Scope
from apps.index.search import Candidates
from apps.retrieval.requests import MAXIMUM_LIMIT, MAXIMUM_QUERY_CHARACTERS, ContextRequest, RecallRequest
from apps.retrieval.results import (
    Arm,
    Hit,
    LeftOut,
    RecallExplanation,
    RecallResult,
    SessionChange,
    StageTime,
    TimeSpan,
)
from apps.retrieval.services import answers, arms, currentness, questions, sessions, summed, traces
from apps.retrieval.services.answers import Ranked, RankingContext
from apps.retrieval.services.questions import Question, Telemetry
from apps.retrieval.services.sessions import GivenSoFar
from apps.retrieval.services.traces import Trace
from apps.tenants import selectors as tenants
from apps.tenants import trying
from apps.tenants.models import Policy
from memory_platform.errors import Invalid
from memory_platform.extraction.sentiment import sentiment_of
from memory_platform.model import Pressure, Role, Sentiment, SummariesFirst
from memory_platform.retrieval import collapsing, fusion
from memory_platform.retrieval.collapsing import Saying
from memory_platform.retrieval.context import EMPTY, Block, Omission
from memory_platform.retrieval.fusion import FusionForm, Scores
from memory_platform.retrieval.query import Plan
from memory_platform.retrieval.ranking import Asking, Multipliers
from memory_platform.text.terms import terms
from memory_platform.text.tokens import count as count_tokens

TIER: Final = 2
"""Of what is searched for: everything below the summaries."""
SHOWN_CHARACTERS: Final = 200
"""Of a text that was left out."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What answers, and how it was found: the hits above the floor and, when they were asked for, those below.

    Without a `question` nothing was searched for.
    """

    plan: Plan
    rewritten: str
    hits: Sequence[Hit]
    available: int
    candidates: int
    floor: float
    least: float
    arms: tuple[Arm, ...]
    tier: int = TIER
    gate: float = 0.0
    below: tuple[Hit, ...] = ()
    question: Question | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """The hits that are handed out, best first, and how many tokens of each; what was left out and why, what else the
    session is told, and the block that a context packs them into.
    """

    hits: Sequence[Hit]
    tokens: Sequence[int]
    left_out: tuple[LeftOut, ...] = ()
    changes: tuple[SessionChange, ...] = ()
    block: Block = EMPTY

    @property
    def already_given(self) -> int:
        return sum(one.reason is Omission.ALREADY_GIVEN for one in self.left_out)

    @property
    def told(self) -> tuple[UUID, ...]:
        return tuple(change.replaced_by or change.id for change in self.changes)


Keep = Callable[[Question | None, Sequence[Hit], GivenSoFar], Kept]
"""Chooses the hits that are handed out, from those that were found and what the session has; called in the scope. No
question: nothing was searched for.
"""


def recall(request: RecallRequest, *, within: Scope, domain: str = "", keep: Keep | None = None) -> RecallResult:
    """Answer a question with the few memories that matter, best first; nothing relevant is an empty answer.

    Called without an open scope: models are asked first, then `within` is opened once for everything else. `domain` is
    the category the asking agent is at home in, `keep` what bounds the answer, `max_tokens` if nothing else does. Only
    what is handed out counts as recalled. Raises Invalid for a request that cannot be answered.
    """
    _check(request)
    with spending(operation=traces.OPERATION, within=within, agent_id=within.agent_id) as asked:
        telemetry = replace(Telemetry.under(asked.hold.pressure), usages=asked.usages)
        return _recall(request, within=within, domain=domain, keep=keep, telemetry=telemetry)


def _recall(
    request: RecallRequest, *, within: Scope, domain: str, keep: Keep | None, telemetry: Telemetry
) -> RecallResult:
    now = clock_now()
    policy = numbers_for(request, within)
    is_pressed = telemetry.pressure is not Pressure.OK
    if is_pressed and policy.tier1 != SummariesFirst.OFF:
        summed_up = _summed_up(request, within=within, policy=policy, now=now, keep=keep, telemetry=telemetry)
        if summed_up is not None:
            return summed_up
    question = questions.prepare(request, policy=policy, within=within, now=now, telemetry=telemetry)
    with scope.enter(within):
        search = partial(_search, request, question, policy=policy, domain=domain, now=now, telemetry=telemetry)
        asks_first = policy.tier1 == SummariesFirst.ALWAYS and not is_pressed
        found = (_of_summaries(request, question, policy, search) if asks_first else None) or search()
        suspected = {} if _is_historical(request) else currentness.suspects(found.hits, question)
    settled = currentness.settled(found.hits, suspected, telemetry, tenant_id=within.tenant_id)
    found = replace(found, hits=settled[: question.plan.hits])
    with scope.enter(within):
        kept, trace = _handed_out(request, found, keep=keep, telemetry=telemetry)
    return _result(request, found, kept=kept, trace=trace, telemetry=telemetry)


def _is_historical(request: RecallRequest) -> bool:
    """Whether it asks what was known, or true, at another time."""
    return request.as_of is not None or request.valid_at is not None


def _summed_up(
    request: RecallRequest, *, within: Scope, policy: Policy, now: datetime, keep: Keep | None, telemetry: Telemetry
) -> RecallResult | None:
    """The answer of tier 1 without a model; None when the summaries do not suffice."""
    plan = questions.planned(request, policy=policy, within=within, now=now, telemetry=telemetry)
    with scope.enter(within):
        with telemetry.stage("summaries"):
            answering = summed.answers(request, plan, policy=policy, now=now)
        if not answering:
            return None
        hits = answering[: plan.hits]
        found = _Found(
            plan,
            request.query,
            hits,
            available=len(hits),
            candidates=len(answering),
            floor=policy.summary_sufficient,
            least=policy.summary_sufficient,
            arms=(Arm("summaries", len(answering)),),
            tier=summed.TIER,
        )
        kept, trace = _handed_out(request, found, keep=keep, telemetry=telemetry)
    return _result(request, found, kept=kept, trace=trace, telemetry=telemetry)


def _handed_out(
    request: RecallRequest, found: _Found, *, keep: Keep | None, telemetry: Telemetry
) -> tuple[Kept, Trace]:
    """What the caller gets of it, and the trace that is stored of that."""
    given = sessions.given(request.session_id)
    hits = given.marked(found.hits)
    kept = keep(found.question, hits, given) if keep else _kept(request, hits, given)
    kept = replace(kept, hits=_ranked(kept.hits))
    trace = _trace(request, found, kept=kept, telemetry=telemetry)
    with telemetry.stage("trace"):
        traces.store(trace, kept.hits, tokens=kept.tokens)
    return kept, trace


def _check(request: RecallRequest) -> None:
    if not request.query.strip():
        raise Invalid("The query is empty.", field="query", hint="Ask something, or use `context` without a query.")
    if len(request.query) > MAXIMUM_QUERY_CHARACTERS:
        raise Invalid(f"A query has at most {MAXIMUM_QUERY_CHARACTERS} characters.", field="query")
    if request.limit is not None and not 1 <= request.limit <= MAXIMUM_LIMIT:
        raise Invalid(f"limit lies between 1 and {MAXIMUM_LIMIT}.", field="limit")
    if request.max_tokens is not None and request.max_tokens < 1:
        raise Invalid("maxTokens is at least 1.", field="maxTokens")


def numbers_for(request: RecallRequest | ContextRequest, within: Scope) -> Policy:
    """The tenant's numbers, of a trial with those it tries; a scope is opened only when they are not cached."""
    policy = tenants.cached_policy(within.tenant_id)
    if policy is None:
        with scope.enter(within):
            policy = tenants.policy(within.tenant_id)
    return policy if request.trial is None else trying.policy_with(policy, request.trial)


def _of_summaries(
    request: RecallRequest, question: Question, policy: Policy, search: Callable[..., _Found]
) -> _Found | None:
    """What is found among the memories of the best summaries; None where none of them answers surely enough."""
    among = summed.asked_of(request, question.plan, policy=policy)
    found = search(among=among) if among else None
    if found is None or not any(hit.probability >= policy.tier1_sufficient for hit in found.hits):
        return None
    return replace(found, tier=summed.TIER)


def _search(
    request: RecallRequest,
    question: Question,
    *,
    policy: Policy,
    domain: str,
    now: datetime,
    telemetry: Telemetry,
    among: tuple[UUID, ...] | None = None,
) -> _Found:
    """`among`: only of these items, and of them alone."""
    found, scores = arms.ask(request, question, policy=policy, now=now, telemetry=telemetry, among=among)
    least = fusion.least(scores.probability, floor=policy.relevance_floor)
    passes = _passing(scores, floor=policy.relevance_floor)
    context = _ranking_context(request, question, policy=policy, domain=domain, now=now)
    limit = question.plan.hits
    with telemetry.stage("rank"):
        placed = answers.ranked(found, scores, passes, limit=limit, context=context)
        if policy.fusion == FusionForm.DUAL:
            placed = _collapsed(placed)
    with telemetry.stage("sources"):
        considered = currentness.considered(question)
        hits = answers.hits(placed, query=request.query, limit=considered, found=found, scores=scores, context=context)
        told = _missed(found, scores, ~passes, limit=limit, context=context) if request.explain else ()
    return _Found(
        question.plan,
        question.text,
        hits,
        available=len(placed),
        candidates=len(found.unit),
        floor=policy.relevance_floor,
        least=least,
        arms=_arms(found),
        gate=scores.gate,
        # What missed may stand for a message that did not, which is a hit already.
        below=tuple(hit for hit in told if hit.probability < least),
        question=question,
    )


def _passing(scores: Scores, *, floor: float) -> NDArray[np.bool_]:
    """Which candidates may answer: the relevant ones, and what completes the answer that they give."""
    relevant = fusion.relevant(scores.probability, floor=floor)
    return relevant | fusion.bridging(scores, relevant)


def _missed(
    found: Candidates, scores: Scores, missed: NDArray[np.bool_], *, limit: int, context: RankingContext
) -> list[Hit]:
    """The best of what did not pass."""
    placed = answers.ranked(found, scores, missed, limit=limit, context=context)
    return answers.hits(placed, query="", limit=limit, found=found, scores=scores, context=context)


def _arms(found: Candidates) -> tuple[Arm, ...]:
    return (
        Arm("keyword", found.keyword_hits),
        Arm("vector", found.vector_hits),
        Arm("graph", found.proposed_hits),
        Arm("time", found.window_hits),
    )


def _collapsed(placed: Sequence[Ranked]) -> list[Ranked]:
    """The hits without those that say of the same entities what a better one says."""
    sayings = [
        Saying(
            frozenset(name.casefold() for name in each.item.entity_names) if each.item else frozenset(),
            frozenset(terms(each.item.text)) if each.item else frozenset(),
        )
        for each in placed
    ]
    return [placed[place] for place in collapsing.distinct(sayings)]


def _ranking_context(
    request: RecallRequest, question: Question, *, policy: Policy, domain: str, now: datetime
) -> RankingContext:
    asking = Asking(now=now, domain=domain, sentiment=_mood(request), ages=question.plan.ages)
    rules = tenants.category_rules(policy.tenant_id)
    if request.trial is not None:
        rules = trying.rules_with(rules, request.trial)
    return RankingContext(
        policy=policy,
        rules={rule.slug: rule for rule in rules},
        multipliers=Multipliers(
            stale=policy.stale_multiplier,
            off_domain=policy.off_domain_multiplier,
            sentiment=policy.sentiment_multiplier,
            priority_clamp=policy.priority_clamp,
            least_recency=policy.least_recency,
        ),
        asking=asking,
        filter=request.filter,
        is_historical=_is_historical(request),
        as_of=request.as_of,
        sure_from=policy.relevance_sure,
    )


def _mood(request: RecallRequest) -> Sentiment:
    """The tone of the question; where it shows none, that of what the user said last."""
    said = [message.content for message in request.messages if message.role is Role.USER]
    tones = (sentiment_of(text) for text in (request.query, *said[-1:]))
    return next((tone for tone in tones if tone is not Sentiment.NEUTRAL), Sentiment.NEUTRAL)


def _kept(request: RecallRequest, hits: Sequence[Hit], given: GivenSoFar) -> Kept:
    """What the budget allows, of what the session does not have unless it is to be repeated, and what replaced that."""
    fresh = [hit for hit in hits if request.repeat or not hit.already_given]
    kept = _cap(fresh, maximum=request.max_tokens)
    withheld = tuple(omitted(hit, Omission.ALREADY_GIVEN) for hit in hits if hit not in fresh)
    changes = () if _is_historical(request) else tuple(given.changes())
    return replace(kept, left_out=(*kept.left_out, *withheld), changes=changes)


def _cap(hits: Sequence[Hit], *, maximum: int | None) -> Kept:
    """The hits that the token budget allows; one that does not fit makes room for the next."""
    kept: list[Hit] = []
    tokens: list[int] = []
    left_out: list[LeftOut] = []
    for hit in hits:
        count = count_tokens(hit.text)
        if maximum is None or sum(tokens) + count <= maximum:
            kept.append(hit)
            tokens.append(count)
        else:
            left_out.append(omitted(hit, Omission.BUDGET))
    return Kept(kept, tokens, tuple(left_out))


def omitted(hit: Hit, reason: Omission) -> LeftOut:
    text = textwrap.shorten(hit.text, SHOWN_CHARACTERS, placeholder=" …")
    return LeftOut(hit.unit, hit.id, text, hit.role, reason)


def _ranked(hits: Sequence[Hit]) -> list[Hit]:
    return [replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1)]


def _trace(request: RecallRequest, found: _Found, *, kept: Kept, telemetry: Telemetry) -> Trace:
    return Trace(
        recall_id=new_id(),
        query=request.query,
        rewritten=found.rewritten,
        profile=found.plan.profile.value,
        intent=found.plan.intent.value,
        tier=found.tier,
        degraded=tuple(telemetry.degraded),
        stages=dict(telemetry.stages),
        candidates=found.candidates,
        usages=priced(tuple(telemetry.usages)),
        milliseconds=telemetry.milliseconds,
        session_id=request.session_id,
        changed=kept.told,
        is_trial=request.trial is not None,
    )


def _result(request: RecallRequest, found: _Found, *, kept: Kept, trace: Trace, telemetry: Telemetry) -> RecallResult:
    return RecallResult(
        id=trace.recall_id,
        hits=tuple(kept.hits),
        rewritten_query=found.rewritten,
        intent=found.plan.intent,
        profile=found.plan.profile,
        tier=found.tier,
        degraded=trace.degraded,
        cost_usd=trace.cost_usd,
        took_ms=telemetry.milliseconds,
        available=found.available,
        explanation=_explanation(found, kept=kept, telemetry=telemetry) if request.explain else None,
        already_given=kept.already_given,
        changed=kept.changes,
        block=kept.block,
    )


def _explanation(found: _Found, *, kept: Kept, telemetry: Telemetry) -> RecallExplanation:
    span = found.plan.time_range
    return RecallExplanation(
        statement=found.plan.statement,
        complexity=found.plan.complexity.value,
        gate=found.gate,
        floor=found.floor,
        least=found.least,
        candidates=found.candidates,
        time_range=TimeSpan(span.start, span.end, span.phrase) if span else None,
        stages=tuple(StageTime(name, spent) for name, spent in telemetry.stages.items()),
        arms=found.arms,
        below_floor=found.below,
        left_out=kept.left_out,
    )
