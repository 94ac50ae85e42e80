"""What the verb of simulation does, once the gateway has let the caller in."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from apps.api import verbs
from apps.api.gateway import Gateway
from apps.api.recall.contract import ContextBlock, Recall
from apps.api.simulation.contract import ContextTrialInput, PolicyChange, RecallTrialInput, SimulationInput
from apps.api.simulation.contract import Simulation as Simulated
from apps.core import clock
from apps.memory.services import simulating as memory
from apps.memory.services.ageing import Ages
from apps.retrieval import services as retrieval
from apps.retrieval.services import simulating
from apps.tenants import trying
from memory_platform.model import CategoryRule
from memory_platform.retrieval.simulation import Reweighing


def simulate_policy(gateway: Gateway, given: SimulationInput) -> Simulated:
    """Over what the caller may read. Raises Invalid for a category that there is not, or thresholds that cross."""
    now = clock.now()
    since = now - timedelta(days=given.days)
    with gateway.open(verbs.SIMULATE_POLICY):
        was = Ages.at(now)
        numbers = given.policy.as_numbers()
        would_be = replace(
            was, policy=trying.policy_with(was.policy, numbers), rules=trying.rules_with(was.rules, numbers)
        )
        change = _reweighing(given.policy, was)
        simulated = {
            "since": since,
            "recalls": simulating.retell_recalls(change, since=since, samples=given.samples),
            "captures": memory.regate(was.policy, would_be.policy, since=since, samples=given.samples),
            "memories": memory.reage(was, would_be),
            "unknown": list(_unknown(was, would_be)),
        }
        return gateway.answer(Simulated, simulated)


def try_recall(gateway: Gateway, asked: RecallTrialInput) -> Recall:
    """Raises as `recall` does, and as `simulate_policy`."""
    with gateway.admit(verbs.TRY_RECALL, whose=gateway.content_of) as within:
        found = retrieval.recall(asked.as_request(), within=within, domain=gateway.principal.domain)
    return gateway.answer(Recall, found)


def try_context(gateway: Gateway, asked: ContextTrialInput) -> ContextBlock:
    """Raises as `context` does, and as `simulate_policy`."""
    with gateway.admit(verbs.TRY_CONTEXT, whose=gateway.content_of) as within:
        found = retrieval.context(asked.as_request(), within=within, domain=gateway.principal.domain)
    return gateway.answer(ContextBlock, found)


def _reweighing(change: PolicyChange, was: Ages) -> Reweighing:
    were = {rule.slug: rule.decay_lambda for rule in was.rules}
    decay = {
        each.slug: each.decay_lambda / were[each.slug]
        for each in change.categories
        if each.decay_lambda is not None and were[each.slug]
    }
    return Reweighing(
        floor=change.relevance_floor,
        stale=change.stale_multiplier,
        domain=change.off_domain_multiplier,
        sentiment=change.sentiment_multiplier,
        priority_clamp=change.priority_clamp,
        decay=decay,
        least_recency=was.policy.least_recency,
    )


def _unknown(was: Ages, would_be: Ages) -> Iterator[str]:
    if would_be.policy.relevance_floor < was.policy.relevance_floor:
        yield "What a lower floor would have let in: only hits are kept."
    if would_be.policy.priority_clamp > was.policy.priority_clamp:
        yield "How far a wider clamp would have reached: priorities are kept as clamped."
    if any(_fades_slower(old, new) for old, new in zip(was.rules, would_be.rules, strict=True)):
        yield "What a smaller λ would have made of hits whose age had taken all it takes, or of a λ of 0."
    if would_be.policy.gate_discard_below < was.policy.gate_discard_below:
        yield "What dedup would have made of facts that are discarded now."
    yield "Hits that would have come up from below the last one that was answered."


def _fades_slower(old: CategoryRule, new: CategoryRule) -> bool:
    return new.decay_lambda < old.decay_lambda or (old.decay_lambda == 0 and new.decay_lambda > 0)
