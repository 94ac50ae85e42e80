"""Billing in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.billing import handlers
from apps.api.billing.contract import Budget, BudgetInput, DeletedBudget, UsageGroup, UsageInput
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import mutation, query
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

    @query(verbs.BUDGETS)
    def budgets(self, info: Info) -> list[Budget]:
        return handlers.budgets(info.context.gateway)


@strawberry.type
class Mutation:
    @mutation(verbs.SET_BUDGET)
    def set_budget(self, info: Info, input: BudgetInput) -> Budget:  # noqa: A002  the API's word
        return handlers.set_budget(info.context.gateway, input)

    @mutation(verbs.DELETE_BUDGET)
    def delete_budget(self, info: Info, id: strawberry.ID) -> DeletedBudget:  # noqa: A002  the API's word
        return handlers.delete_budget(info.context.gateway, uuid_of(id, field="id"))
