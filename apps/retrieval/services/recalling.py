"""Recall: question → candidates → score → floor → hits → trace."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np

from apps.budgets.prices import priced
from apps.budgets.services import spending
from apps.core import scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.core.scope import Scope
from apps.index.search import Candidates
from apps.retrieval.requests import MAXIMUM_LIMIT, MAXIMUM_QUERY_CHARACTERS, RecallRequest
from apps.retrieval.results import (
    Arm,
    Hit,
    LeftOut,
    RecallExplanation,
    RecallResult,
    SessionChange,
    Stage,
    TimeSpan,
)
from apps.retrieval.services import answers, arms, questions, sessions, summed, traces
from apps.retrieval.services.answers import Ranked, RankingContext
from apps.retrieval.services.questions import Question, Telemetry
from apps.retrieval.services.sessions import GivenSoFar
from apps.retrieval.services.traces import Trace
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Invalid
from memory_platform.extraction.sentiment import sentiment_of
from memory_platform.model import Pressure, Role, Sentiment
from memory_platform.retrieval import collapsing, fusion
from memory_platform.retrieval.collapsing import Saying
from memory_platform.retrieval.context import Omission
from memory_platform.retrieval.fusion import Form, Scores
from memory_platform.retrieval.ranking import Asking, Multipliers
from memory_platform.text.terms import terms
from memory_platform.text.tokens import count as count_tokens

TIER: Final = 2
"""Of what is searched for: everything below the summaries, which answer first only once a budget presses."""
SHOWN_CHARACTERS: Final = 200
"""Of a text that was left out."""


@dataclass(frozen=True, slots=True)
class _Searched:
    """What a search found, with the hits above the floor and, when they were asked for, those below."""

    found: Candidates
    scores: Scores
    hits: list[Hit]
    below: list[Hit]
    floor: float
    available: int


@dataclass(frozen=True, slots=True)
class Kept:
    """The hits that are handed out, best first, and how many tokens of each; what was left out and why, and what else
    the session is told.
    """

    hits: Sequence[Hit]
    tokens: Sequence[int]
    left_out: tuple[LeftOut, ...] = ()
    changes: tuple[SessionChange, ...] = ()

    @property
    def told(self) -> tuple[UUID, ...]:
        return tuple(change.replaced_by for change in self.changes)


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
    policy = current_policy(within)
    if telemetry.pressure is not Pressure.OK:
        summed_up = _summed_up(request, within=within, policy=policy, now=now, keep=keep, telemetry=telemetry)
        if summed_up is not None:
            return summed_up
    question = questions.prepare(request, policy=policy, within=within, now=now, telemetry=telemetry)
    with scope.enter(within):
        searched = _search(request, question, policy=policy, domain=domain, now=now, telemetry=telemetry)
        given = sessions.given(request.session_id)
        hits = given.marked(searched.hits)
        kept = keep(question, hits, given) if keep else _kept(request, hits, given)
        kept = replace(kept, hits=_ranked(kept.hits))
        trace = _trace(request, question, searched, kept=kept, telemetry=telemetry)
        with telemetry.stage("trace"):
            traces.store(trace, kept.hits, tokens=kept.tokens)
    return _result(request, question, searched, kept=kept, trace=trace, telemetry=telemetry)


def _summed_up(
    request: RecallRequest, *, within: Scope, policy: Policy, now: datetime, keep: Keep | None, telemetry: Telemetry
) -> RecallResult | None:
    """The answer of tier 1; None when the summaries do not suffice."""
    plan = questions.planned(request, policy=policy, now=now, telemetry=telemetry)
    with scope.enter(within):
        with telemetry.stage("summaries"):
            found = summed.answers(request, plan, policy=policy, now=now)
        if not found:
            return None
        given = sessions.given(request.session_id)
        hits = given.marked(found[: plan.hits])
        kept = keep(None, hits, given) if keep else _cap(hits, maximum=request.max_tokens)
        kept = replace(kept, hits=_ranked(kept.hits))
        trace = Trace(
            recall_id=new_id(),
            query=request.query,
            rewritten=request.query,
            profile=plan.profile.value,
            intent=plan.intent.value,
            tier=summed.TIER,
            degraded=tuple(telemetry.degraded),
            stages=dict(telemetry.stages),
            candidates=len(found),
            usages=(),
            milliseconds=telemetry.milliseconds,
            session_id=request.session_id,
            changed=kept.told,
        )
        traces.store(trace, kept.hits, tokens=kept.tokens)
    explanation = RecallExplanation(
        statement=plan.statement,
        complexity=plan.complexity.value,
        gate=0.0,
        floor=policy.summary_sufficient,
        candidates=len(found),
        time_range=None,
        stages=_stages(telemetry),
        arms=(Arm("summaries", len(found)),),
        below_floor=(),
        left_out=kept.left_out,
    )
    return RecallResult(
        id=trace.recall_id,
        hits=tuple(kept.hits),
        rewritten_query=request.query,
        intent=plan.intent,
        profile=plan.profile,
        tier=summed.TIER,
        degraded=trace.degraded,
        cost_usd=trace.cost_usd,
        took_ms=telemetry.milliseconds,
        available=len(hits),
        explanation=explanation if request.explain else None,
    )


def _stages(telemetry: Telemetry) -> tuple[Stage, ...]:
    return tuple(Stage(name, spent) for name, spent in telemetry.stages.items())


def _check(request: RecallRequest) -> None:
    if not request.query.strip():
        raise Invalid("The query is empty.", field="query", hint="Ask something, or use `context` without a query.")
    if len(request.query) > MAXIMUM_QUERY_CHARACTERS:
        raise Invalid(f"A query has at most {MAXIMUM_QUERY_CHARACTERS} characters.", field="query")
    if request.limit is not None and not 1 <= request.limit <= MAXIMUM_LIMIT:
        raise Invalid(f"limit lies between 1 and {MAXIMUM_LIMIT}.", field="limit")
    if request.max_tokens is not None and request.max_tokens < 1:
        raise Invalid("maxTokens is at least 1.", field="maxTokens")


def current_policy(within: Scope) -> Policy:
    """The tenant's numbers; a scope is opened only when they are not cached."""
    held = tenants.cached_policy(within.tenant_id)
    if held is not None:
        return held
    with scope.enter(within):
        return tenants.policy(within.tenant_id)


def _search(
    request: RecallRequest, question: Question, *, policy: Policy, domain: str, now: datetime, telemetry: Telemetry
) -> _Searched:
    found, scores = arms.ask(request, question, policy=policy, now=now, telemetry=telemetry)
    floor = policy.relevance_floor
    passes = fusion.relevant(scores.probability, floor=floor)
    passes |= fusion.bridging(scores, passes)
    reading = _reading(request, question, policy=policy, domain=domain, now=now)
    with telemetry.stage("rank"):
        rows = answers.best_rows(scores, np.flatnonzero(passes), limit=question.plan.hits)
        placed = answers.ranked(found, scores, rows, reading=reading)
        if policy.fusion == Form.DUAL:
            placed = _collapsed(placed)
    limit = question.plan.hits
    with telemetry.stage("sources"):
        hits = answers.hits(placed, query=request.query, limit=limit, found=found, scores=scores, reading=reading)
        below = []
        if request.explain:
            missed = answers.best_rows(scores, np.flatnonzero(~passes), limit=question.plan.hits)
            others = answers.ranked(found, scores, missed, reading=reading)
            below = answers.hits(others, query="", limit=limit, found=found, scores=scores, reading=reading)
    return _Searched(found, scores, hits, below, floor, available=len(placed))


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


def _reading(
    request: RecallRequest, question: Question, *, policy: Policy, domain: str, now: datetime
) -> RankingContext:
    asking = Asking(now=now, domain=domain, sentiment=_mood(request), ages=question.plan.ages)
    return RankingContext(
        policy=policy,
        rules={rule.slug: rule for rule in tenants.category_rules(policy.tenant_id)},
        multipliers=Multipliers(
            stale=policy.stale_multiplier,
            off_domain=policy.off_domain_multiplier,
            sentiment=policy.sentiment_multiplier,
            priority_clamp=policy.priority_clamp,
        ),
        asking=asking,
        filter=request.filter,
        is_historical=request.as_of is not None or request.valid_at is not None,
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
    is_now = request.as_of is None and request.valid_at is None
    return replace(kept, left_out=(*kept.left_out, *withheld), changes=tuple(given.changes()) if is_now else ())


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


def _trace(
    request: RecallRequest, question: Question, searched: _Searched, *, kept: Kept, telemetry: Telemetry
) -> Trace:
    return Trace(
        recall_id=new_id(),
        query=request.query,
        rewritten=question.text,
        profile=question.plan.profile.value,
        intent=question.plan.intent.value,
        tier=TIER,
        degraded=tuple(telemetry.degraded),
        stages=dict(telemetry.stages),
        candidates=len(searched.found.unit),
        usages=priced(tuple(telemetry.usages)),
        milliseconds=telemetry.milliseconds,
        session_id=request.session_id,
        changed=kept.told,
    )


def _result(
    request: RecallRequest,
    question: Question,
    searched: _Searched,
    *,
    kept: Kept,
    trace: Trace,
    telemetry: Telemetry,
) -> RecallResult:
    return RecallResult(
        id=trace.recall_id,
        hits=tuple(kept.hits),
        rewritten_query=question.text,
        intent=question.plan.intent,
        profile=question.plan.profile,
        tier=TIER,
        degraded=trace.degraded,
        cost_usd=trace.cost_usd,
        took_ms=telemetry.milliseconds,
        available=searched.available,
        explanation=_explanation(question, searched, kept=kept, telemetry=telemetry) if request.explain else None,
        already_given=sum(one.reason is Omission.ALREADY_GIVEN for one in kept.left_out),
        changed=kept.changes,
    )


def _explanation(question: Question, searched: _Searched, *, kept: Kept, telemetry: Telemetry) -> RecallExplanation:
    span = question.plan.time_range
    return RecallExplanation(
        statement=question.plan.statement,
        complexity=question.plan.complexity.value,
        gate=searched.scores.gate,
        floor=searched.floor,
        candidates=len(searched.found.unit),
        time_range=TimeSpan(span.start, span.end, span.phrase) if span else None,
        stages=_stages(telemetry),
        arms=(
            Arm("keyword", searched.found.keyword_hits),
            Arm("vector", searched.found.vector_hits),
            Arm("graph", searched.found.proposed_hits),
            Arm("time", searched.found.window_hits),
        ),
        below_floor=tuple(searched.below),
        left_out=kept.left_out,
    )
