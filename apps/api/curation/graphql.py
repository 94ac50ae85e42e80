"""Curation in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.curation import handlers
from apps.api.curation.contract import (
    CuratedCommit,
    CuratedMemory,
    CuratedRepository,
    DecisionInput,
    Proposal,
    ProposalFilter,
    QueueEntry,
    QueueFilter,
    RestoreCuratedInput,
)
from apps.api.graph.contract import StartedJob
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import mutation, query
from apps.core.paging import page
from apps.curation.requests import ProposalOrder


@strawberry.type
class Query:
    @query(verbs.CURATED_MEMORY)
    def curated_memory(self, info: Info) -> CuratedMemory:
        return handlers.curated_memory(info.context.gateway)

    @query(verbs.CURATED_HISTORY)
    def curated_history(
        self, info: Info, first: int | None = None, after: str | None = None
    ) -> Connection[CuratedCommit]:
        return connection(handlers.curated_history(info.context.gateway, page(first, after)), after=after)

    @query(verbs.PROPOSALS)
    def proposals(
        self,
        info: Info,
        filter: ProposalFilter | None = None,  # noqa: A002  the API's word
        order_by: ProposalOrder = ProposalOrder.OLDEST,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Proposal]:
        wanted = (filter or ProposalFilter()).as_filter()
        cut = handlers.proposals(info.context.gateway, wanted, page(first, after), order_by)
        return connection(cut, after=after)

    @query(verbs.REVIEW_QUEUE)
    def review_queue(
        self,
        info: Info,
        filter: QueueFilter | None = None,  # noqa: A002  the API's word
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[QueueEntry]:
        wanted = filter or QueueFilter()
        gateway = info.context.ask_named(info, wanted)
        return connection(handlers.review_queue(gateway, wanted.kinds, page(first, after)), after=after)

    @query(verbs.CHECK_CURATED_MEMORY)
    def check_curated_memory(self, info: Info) -> CuratedRepository:
        return handlers.check(info.context.gateway)


@strawberry.type
class Mutation:
    @mutation(verbs.DECIDE_PROPOSAL)
    def decide_proposal(self, info: Info, id: strawberry.ID, input: DecisionInput) -> Proposal:  # noqa: A002
        return handlers.decide_proposal(info.context.gateway, uuid_of(id, field="id"), input)

    @mutation(verbs.REFLECT)
    def reflect(self, info: Info) -> StartedJob:
        return handlers.reflect(info.context.gateway)

    @mutation(verbs.REBUILD_CURATED_MEMORY)
    def rebuild_curated_memory(self, info: Info) -> CuratedRepository:
        return handlers.rebuild(info.context.gateway)

    @mutation(verbs.RESTORE_CURATED_MEMORY)
    def restore_curated_memory(self, info: Info, input: RestoreCuratedInput) -> CuratedRepository:  # noqa: A002
        return handlers.restore(info.context.gateway, input)
