"""Forget by query: what surely answers it, memory forgets; what a user set goes and comes back with the user's rest."""

from dataclasses import dataclass, field, replace
from uuid import UUID

from apps.core import scope
from apps.core.scope import Scope
from apps.memory import services as memory
from apps.memory.requests import ForgetRequest, SeenItem
from apps.memory.results import Forgotten
from apps.retrieval import services as retrieval
from apps.retrieval.requests import Filter, RecallRequest
from apps.tenants.trying import TriedNumbers
from apps.triggers import services as triggers
from memory_platform.errors import Invalid
from memory_platform.model import Profile, Relevance, Status, SummariesFirst, Unit

MOST_FOUND = 100
DEFAULT_FOUND = 20
# A context's budget is no reason to forget less than was asked for.
TOKENS_AT_MOST = 100_000


@dataclass(frozen=True, slots=True)
class WhatToForget:
    """By `ids`, by `user_id` or by `query`: exactly one. `limit` bounds what a query may take."""

    ids: tuple[UUID, ...] | None = None
    user_id: str | None = None
    query: str | None = None
    filter: Filter = field(default_factory=Filter)
    limit: int = DEFAULT_FOUND
    dry_run: bool = False
    reason: str = ""
    seen: tuple[SeenItem, ...] = ()


def forget(what: WhatToForget, *, within: Scope, domain: str) -> Forgotten:
    """Called without an open scope: a query asks a model first.

    Raises Invalid unless exactly one way is given and only a query is narrowed, NotFound when an id names nothing,
    Conflict when one that was `seen` has changed.
    """
    if sum(way is not None for way in (what.ids, what.user_id, what.query)) != 1:
        raise Invalid("Say what to forget: ids, userId or query, exactly one of them.", field="input")
    if what.ids is not None and not 1 <= len(what.ids) <= MOST_FOUND:
        raise Invalid(f"Between 1 and {MOST_FOUND} ids can be forgotten at once.", field="ids")
    if what.query is None and (what.filter, what.limit) != (Filter(), DEFAULT_FOUND):
        raise Invalid("filter and limit narrow a query; with ids or userId all of it would go.", field="filter")
    if what.query is None:
        request = ForgetRequest(item_ids=what.ids or (), user_id=what.user_id)
    else:
        request = surely(what.query, filter=what.filter, limit=what.limit, within=within, domain=domain)
    with scope.enter(within):
        gone = memory.forget(replace(request, dry_run=what.dry_run, reason=what.reason, seen=what.seen))
        if what.user_id is not None and not what.dry_run:
            triggers.forget_of_user(what.user_id, batch_id=gone.batch_id)
        return gone


def restore(batch_id: UUID) -> Forgotten:
    """Give back what a batch took. Needs an open scope; raises as `memory.restore` does."""
    back = memory.restore(batch_id)
    triggers.restore(batch_id)
    return back


def surely(query: str, *, filter: Filter, limit: int, within: Scope, domain: str) -> ForgetRequest:  # noqa: A002  as above
    """The items and the episodes that surely answer the query, deepest profile: LOW is to read, not to lose.

    Who looks for what is to go uses nothing and leaves no words of theirs. Called without an open scope.
    """
    held = (Status.ACTIVE, Status.STALE, Status.ARCHIVED)
    question = RecallRequest(
        query=query,
        profile=Profile.DEEP,
        limit=limit,
        max_tokens=TOKENS_AT_MOST,
        filter=filter if filter.statuses is not None else replace(filter, statuses=held),
        units=(Unit.ITEM, Unit.EPISODE),
        # The summaries hold some of it.
        trial=TriedNumbers(policy={"tier1": SummariesFirst.OFF}),
    )
    found = retrieval.recall(question, within=within, domain=domain)
    hits = [hit for hit in found.hits if hit.relevance is Relevance.HIGH]
    return ForgetRequest(
        item_ids=tuple(hit.item_id for hit in hits if hit.item_id is not None),
        episode_ids=tuple(hit.episode_id for hit in hits if hit.episode_id is not None),
        by_query=True,
        # What fills the limit may hide more, and so do hits of the same words, which come as one.
        truncated=len(found.hits) >= limit or found.available > len(found.hits),
    )
