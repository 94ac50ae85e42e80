"""Summaries in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.graphql.context import Info
from apps.api.graphql.shapes import query
from apps.api.summaries import handlers
from apps.api.summaries.contract import Summary, SummaryListed, SummaryVersion
from memory_platform.model import Visibility


@strawberry.type
class Query:
    @query(verbs.SUMMARIES)
    def summaries(self, info: Info, user_id: str | None = None, *, all_users: bool = False) -> list[SummaryListed]:
        return handlers.summaries(info.context.ask(info, user_id, all_users=all_users))

    @query(verbs.SUMMARY)
    def summary(
        self, info: Info, category: str, user_id: str | None = None, visibility: Visibility = Visibility.PRIVATE
    ) -> Summary | None:
        return handlers.summary(info.context.ask(info, user_id), category, visibility)

    @query(verbs.SUMMARY_VERSIONS)
    def summary_versions(
        self, info: Info, category: str, user_id: str | None = None, visibility: Visibility = Visibility.PRIVATE
    ) -> list[SummaryVersion]:
        return handlers.summary_versions(info.context.ask(info, user_id), category, visibility)
