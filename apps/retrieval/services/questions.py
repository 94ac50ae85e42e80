"""From a request to a question that the index can answer: the plan, the rewrite, the vector. No transaction is open."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog

from apps.core import providers, scope
from apps.core.providers import REWRITE_SECONDS
from apps.core.scope import Scope
from apps.index import readers
from apps.index.search import Probe
from apps.resources import selectors as resources
from apps.retrieval.requests import RecallRequest
from apps.retrieval.services import intents
from apps.tenants.models import Policy
from memory_platform.errors import ProviderError
from memory_platform.extraction.verifying import SpokenEvidence
from memory_platform.model import Message, ModelUsage, Pressure, Thresholds
from memory_platform.ports import Embedder, Vectors
from memory_platform.retrieval import query
from memory_platform.retrieval.query import Plan, PlanLimits
from memory_platform.text import terms, times
from memory_platform.text.languages import ENGLISH, language_of

EMBEDDING_SECONDS = 1.0

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Telemetry:
    """What happened on the way to an answer: milliseconds by stage, what did not take part, what models cost, and how
    the budgets press.
    """

    pressure: Pressure = Pressure.OK
    began: float = field(default_factory=time.perf_counter)
    stages: dict[str, float] = field(default_factory=dict)
    degraded: list[str] = field(default_factory=list)
    usages: list[ModelUsage] = field(default_factory=list)

    @classmethod
    def under(cls, pressure: Pressure) -> "Telemetry":
        """That of an answer held to budgets, which says so."""
        return cls(pressure, degraded=[] if pressure is Pressure.OK else [f"budget_{pressure}"])

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
    thresholds: Thresholds
    other: Probe | None = None


def prepare(request: RecallRequest, *, policy: Policy, within: Scope, now: datetime, telemetry: Telemetry) -> Question:
    """Plan on the original message, rewrite it, embed the rewrite within a second a model."""
    request = _in_conversation(request, policy=policy, within=within, telemetry=telemetry)
    plan = planned(request, policy=policy, within=within, now=now, telemetry=telemetry)
    with telemetry.stage("rewrite"):
        by_rules = query.rewrite_by_rules(request.query, history=request.messages, now=now, time_range=plan.time_range)
        text = _by_model(request, by_rules.query, plan=plan, now=now, telemetry=telemetry) or by_rules.query
    with telemetry.stage("embed"):
        embedder = readers.answering(within=within)
        vector = _embedded(text, embedder=embedder, telemetry=telemetry)
        other = None if vector is None else _multilingual(text, embedder.thresholds, within=within, telemetry=telemetry)
    with telemetry.stage("intent"):
        asked = intents.of(
            request.query,
            vector,
            embedder=embedder,
            threshold=policy.intent_threshold,
            usages=telemetry.usages,
        )
        plan = replace(plan, intent=asked)
    distinct = dict.fromkeys([*terms.terms(request.query), *terms.terms(text)])
    return Question(
        plan=plan,
        text=text,
        lexemes=tuple(terms.lexeme_hash(term) for term in distinct),
        vector=vector,
        model=embedder.model,
        thresholds=embedder.thresholds,
        other=other,
    )


def planned(request: RecallRequest, *, policy: Policy, within: Scope, now: datetime, telemetry: Telemetry) -> Plan:
    """How the message will be answered."""
    with telemetry.stage("plan"):
        language = _language(request.query, within=within)
        return query.plan(
            request.query,
            profile=request.profile,
            limit=request.limit,
            time_range=times.time_range(request.query, now, day_first=policy.day_first, language=language),
            as_of=request.as_of,
            limits=limits(policy),
            has_history=bool(request.messages),
            pressure=telemetry.pressure,
        )


def _language(text: str, *, within: Scope) -> str:
    """The language of a question, where the tenant has texts in others than English: to tell it takes a model."""
    return language_of(text) if readers.multilingual(within=within) is not None else ENGLISH


def _in_conversation(request: RecallRequest, *, policy: Policy, within: Scope, telemetry: Telemetry) -> RecallRequest:
    """The request with its session's last messages, where it leans on a conversation that was not sent along."""
    if request.messages or request.session_id is None or not query.leans_on_history(request.query):
        return request
    with telemetry.stage("history"), scope.enter(within):
        said = resources.last_messages(request.session_id, at_most=query.HISTORY_MESSAGES, policy=policy)
    return replace(request, messages=said)


def limits(policy: Policy) -> PlanLimits:
    return PlanLimits(
        lean_hits=policy.lean_limit,
        balanced_hits=policy.balanced_limit,
        deep_hits=policy.deep_limit,
        simple_depth=policy.simple_depth,
        complex_depth=policy.complex_depth,
        simple_seeds=policy.simple_seeds,
        complex_seeds=policy.complex_seeds,
    )


def _by_model(request: RecallRequest, by_rules: str, *, plan: Plan, now: datetime, telemetry: Telemetry) -> str | None:
    """Ask the LLM, when there is one and the plan wants it; None: it did not help.

    A rewrite that names what neither the message nor the conversation does would search for something else.
    """
    rewriter = providers.rewriter() if plan.may_rewrite_by_model else None
    if rewriter is None:
        return None
    recent = _recent(request.messages)
    try:
        text, usage = rewriter.rewrite(request.query, history=recent, now=now, timeout=REWRITE_SECONDS)
    except ProviderError as error:
        telemetry.degraded.append("rewrite")
        telemetry.usages += [error.usage] if error.usage else []
        log.warning("rewrite failed", error=type(error).__name__)
        return None
    telemetry.usages.append(usage)
    said = SpokenEvidence.of_texts([by_rules, request.query, *(message.content for message in recent)])
    if said.missing(text):
        telemetry.degraded.append("rewrite")
        log.warning("rewrite adds what nobody said")
        return None
    return text.strip() or None


def _recent(messages: Sequence[Message]) -> Sequence[Message]:
    return messages[-query.HISTORY_MESSAGES :]


def _embedded(text: str, *, embedder: Embedder, telemetry: Telemetry) -> Vectors | None:
    try:
        vectors, usage = embedder.embed([text], as_questions=True, timeout=EMBEDDING_SECONDS)
    except ProviderError as error:
        telemetry.degraded.append("vector")
        telemetry.usages += [error.usage] if error.usage else []
        log.warning("query not embedded", error=type(error).__name__)
        return None
    telemetry.usages.append(usage)
    first: Vectors = vectors[0]
    return first


def _multilingual(text: str, own: Thresholds, *, within: Scope, telemetry: Telemetry) -> Probe | None:
    """The question as the multilingual model reads it, where the tenant has documents of it."""
    embedder = readers.multilingual(within=within)
    if embedder is None:
        return None
    vector = _embedded(text, embedder=embedder, telemetry=telemetry)
    if vector is None:
        return None
    slope, shift = embedder.thresholds.scale_to(own)
    return Probe(vector, embedder.model, slope, shift)
