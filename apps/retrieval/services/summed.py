"""Tier 1: an answer from the memories of the best summaries, when the policy says so.

It answers plain questions only: what leans on a talk, names a time or is filtered is searched. Once a budget presses it
needs no model: words that the question and a memory share decide.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.core import scope
from apps.memory import selectors as memory
from apps.memory.results import ItemView
from apps.retrieval.requests import Filter, RecallRequest
from apps.retrieval.results import Hit
from apps.retrieval.services.answers import item_tags
from apps.retrieval.services.items import hit_of
from apps.summaries import selectors as summaries
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.model import Status, Unit, Verdict, in_context
from memory_platform.retrieval import query
from memory_platform.retrieval.query import Plan
from memory_platform.text.terms import terms

TIER: Final = 1
_PLAIN: Final = Filter()


def answers(request: RecallRequest, plan: Plan, *, policy: Policy, now: datetime) -> list[Hit]:
    """The memories of the best summaries that hold enough of what is asked, the fullest first, of those the last said.

    None of them: the summaries do not suffice. Needs an open scope.
    """
    asked = terms(request.query).keys()
    if not asked:
        return []
    found = memory.hydrate(asked_of(request, plan, policy=policy))
    shares = {item.id: _share(asked, item) for item in found.values() if _stands(item, now)}
    enough = [found[item_id] for item_id, share in shares.items() if share >= policy.summary_sufficient]
    ordered = sorted(enough, key=lambda item: (shares[item.id], item.said_at, str(item.id)), reverse=True)
    return [replace(hit, score=shares[hit.id], probability=shares[hit.id]) for hit in _hits(ordered, policy, now)]


def asked_of(request: RecallRequest, plan: Plan, *, policy: Policy) -> tuple[UUID, ...]:
    """The memories among which a question is looked for first; none where it is no plain one. Needs an open scope."""
    if not _is_plain(request, plan):
        return ()
    return summaries.best(terms(request.query).keys(), most=policy.summaries_asked)


def _is_plain(request: RecallRequest, plan: Plan) -> bool:
    asks_of_now = request.as_of is None and request.valid_at is None and plan.time_range is None
    return (
        asks_of_now
        and not plan.statement
        and not request.messages
        and not query.leans_on_history(request.query)
        and request.filter == _PLAIN
        and Unit.ITEM in request.units
        and not scope.current().whose.everyone
    )


def _stands(item: ItemView, now: datetime) -> bool:
    """A summary may be some time behind."""
    is_over = item.valid_until is not None and item.valid_until <= now
    return item.status is Status.ACTIVE and item.verdict is Verdict.ALLOW and item.retracted_at is None and not is_over


def _share(asked: Collection[str], item: ItemView) -> float:
    """How much of what is asked a memory holds."""
    held = terms(f"{item.slot.subject} {in_context(item.text, item.lead_in)}").keys()
    return len(set(asked) & held) / len(asked)


def _hits(items: Sequence[ItemView], policy: Policy, now: datetime) -> list[Hit]:
    rules = {rule.slug: rule for rule in tenants.category_rules(policy.tenant_id)}
    agents = tenants.agent_slugs({item.agent_id for item in items})
    return [
        replace(
            hit_of(item, now, tags=item_tags(item, rules.get(item.category), policy=policy, now=now)),
            said_by=agents.get(item.agent_id),
        )
        for item in items
    ]
