"""Billing in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.billing import handlers
from apps.api.billing.contract import UsageGroup, UsageInput
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.shapes import query
from apps.core.paging import page


@strawberry.type
class Query:
    @query(verbs.USAGE)
    def usage(
        self,
        info: Info,
        input: UsageInput | None = None,  # noqa: A002  the API's word
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[UsageGroup]:
        cut = handlers.usage(info.context.gateway, input or UsageInput(), page(first, after))
        return connection(cut, after=after)
