"""Operations in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import mutation, query
from apps.api.operations import handlers
from apps.api.operations.contract import Job, JournalEntry, JournalFilter, LogInput, Stats, Viewer
from apps.core.paging import page


@strawberry.type
class Query:
    @query(verbs.VIEWER)
    def viewer(self, info: Info) -> Viewer:
        return handlers.viewer(info.context.gateway)

    @query(verbs.STATS)
    def stats(self, info: Info, user_id: str | None = None) -> Stats:
        return handlers.stats(info.context.ask(info, user_id))

    @query(verbs.JOBS)
    def jobs(self, info: Info, ids: list[strawberry.ID]) -> list[Job]:
        return handlers.jobs(info.context.gateway, [uuid_of(each, field="ids") for each in ids])

    @query(verbs.JOURNAL)
    def journal(
        self,
        info: Info,
        filter: JournalFilter | None = None,  # noqa: A002  the API's word
        user_id: str | None = None,
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[JournalEntry]:
        gateway = info.context.ask(info, user_id)
        cut = handlers.journal(gateway, filter or JournalFilter(), page(first, after))
        return connection(cut, after=after)


@strawberry.type
class Mutation:
    @mutation(verbs.RETRY_JOB)
    def retry_job(self, info: Info, id: strawberry.ID) -> Job:  # noqa: A002  the API's word
        return handlers.retry_job(info.context.gateway, uuid_of(id, field="id"))

    @mutation(verbs.LOG_ACTION)
    def log_action(self, info: Info, input: LogInput) -> JournalEntry:  # noqa: A002  the API's word
        return handlers.log_action(info.context.gateway, input)
