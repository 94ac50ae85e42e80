"""From a request to a question that the index can answer: the plan, the rewrite, the vector. No transaction is open."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog

from apps.core import providers
from apps.retrieval.requests import RecallRequest
from apps.retrieval.services import intents
from apps.tenants.models import Policy
from memory_platform.errors import ProviderError
from memory_platform.model import Message, ModelUsage
from memory_platform.ports import Embedder, Vectors
from memory_platform.retrieval import query
from memory_platform.retrieval.query import Plan, PlanLimits
from memory_platform.text import temporal, terms

EMBEDDING_SECONDS = 1.0
REWRITE_SECONDS = 2.0

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Journey:
    """What happened on the way to an answer: milliseconds by stage, what did not take part, what models cost."""

    began: float = field(default_factory=time.perf_counter)
    stages: dict[str, float] = field(default_factory=dict)
    degraded: list[str] = field(default_factory=list)
    usages: list[ModelUsage] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.stages[name] = self.stages.get(name, 0.0) + (time.perf_counter() - started) * 1000

    @property
    def milliseconds(self) -> float:
        return (time.perf_counter() - self.began) * 1000


@dataclass(frozen=True, slots=True)
class Question:
    """A message ready to be searched for. `lexemes` hash the distinct terms of message and rewrite together."""

    plan: Plan
    text: str
    lexemes: tuple[int, ...]
    vector: Vectors | None
    model: str
    spread: float
    relevance_floor: float


def prepare(request: RecallRequest, *, policy: Policy, now: datetime, journey: Journey) -> Question:
    """Plan on the original message, rewrite it, embed the rewrite within a second."""
    with journey.stage("plan"):
        time_range = temporal.time_range(request.query, now)
        plan = query.plan(
            request.query,
            profile=request.profile,
            limit=request.limit,
            max_tokens=request.max_tokens,
            time_range=time_range,
            as_of=request.as_of,
            limits=limits(policy),
        )
    with journey.stage("rewrite"):
        by_rules = query.rewrite_by_rules(request.query, history=request.messages, now=now, time_range=time_range)
        text = _by_model(request, plan=plan, now=now, journey=journey) or by_rules.query
    embedder = providers.embedder()
    with journey.stage("embed"):
        vector = _embedded(text, embedder=embedder, journey=journey)
    with journey.stage("intent"):
        asked = intents.of(request.query, vector, embedder=embedder, threshold=policy.intent_threshold)
        plan = replace(plan, intent=asked)
    distinct = dict.fromkeys([*terms.terms(request.query), *terms.terms(text)])
    return Question(
        plan=plan,
        text=text,
        lexemes=tuple(terms.lexeme_hash(term) for term in distinct),
        vector=vector,
        model=embedder.model,
        spread=embedder.thresholds.spread,
        relevance_floor=embedder.thresholds.relevance_floor,
    )


def limits(policy: Policy) -> PlanLimits:
    return PlanLimits(
        lean_hits=policy.lean_limit,
        balanced_hits=policy.balanced_limit,
        deep_hits=policy.deep_limit,
        context_memories=policy.context_limit,
        simple_tokens=policy.simple_tokens,
        complex_tokens=policy.complex_tokens,
        simple_depth=policy.simple_depth,
        complex_depth=policy.complex_depth,
        simple_seeds=policy.simple_seeds,
        complex_seeds=policy.complex_seeds,
    )


def _by_model(request: RecallRequest, *, plan: Plan, now: datetime, journey: Journey) -> str | None:
    """Ask the LLM, when there is one, a conversation to resolve and a profile that may wait; None: it did not help."""
    rewriter = providers.rewriter()
    if rewriter is None or not request.messages or not plan.may_rewrite_by_model:
        return None
    try:
        text, usage = rewriter.rewrite(
            request.query, history=_recent(request.messages), now=now, timeout=REWRITE_SECONDS
        )
    except ProviderError as error:
        journey.degraded.append("rewrite")
        log.warning("rewrite failed", error=type(error).__name__)
        return None
    journey.usages.append(usage)
    return text.strip() or None


def _recent(messages: Sequence[Message]) -> Sequence[Message]:
    return messages[-query.HISTORY_MESSAGES :]


def _embedded(text: str, *, embedder: Embedder, journey: Journey) -> Vectors | None:
    try:
        vectors, usage = embedder.embed([text], timeout=EMBEDDING_SECONDS)
    except ProviderError as error:
        journey.degraded.append("vector")
        log.warning("query not embedded", error=type(error).__name__)
        return None
    journey.usages.append(usage)
    first: Vectors = vectors[0]
    return first
