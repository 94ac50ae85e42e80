"""Billing over REST."""

from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from apps.api import verbs
from apps.api.billing import handlers
from apps.api.billing.contract import Budget, BudgetInput, DeletedBudget, UsageGroup, UsagePage
from apps.api.contract import Items, Page, page_of
from apps.api.rest.routing import gateway_of, serve

router = Router()

CSV: Final = "text/csv"
_AS_CSV: Final = {"responses": {200: {"content": {CSV: {"schema": {"type": "string"}}}}}}


@serve(router, "GET", "/usage", verbs.USAGE, answers=Page[UsageGroup], describes=_AS_CSV)
def usage(request: HttpRequest, query: Query[UsagePage]) -> Page[UsageGroup] | HttpResponse:
    """Repeat `group_by` to group by several keys. With `Accept: text/csv` all groups come as one file."""
    if request.get_preferred_type(["application/json", CSV]) == CSV:
        return HttpResponse(handlers.usage_as_csv(gateway_of(request), query), content_type=f"{CSV}; charset=utf-8")
    return page_of(handlers.usage(gateway_of(request), query, query.as_page()))


@serve(router, "GET", "/budgets", verbs.BUDGETS)
def budgets(request: HttpRequest) -> Items[Budget]:
    return Items(items=handlers.budgets(gateway_of(request)))


@serve(router, "POST", "/budgets", verbs.SET_BUDGET)
def set_budget(request: HttpRequest, body: BudgetInput) -> Budget:
    return handlers.set_budget(gateway_of(request), body)


@serve(router, "POST", "/budgets/{budget_id}/delete", verbs.DELETE_BUDGET)
def delete_budget(request: HttpRequest, budget_id: UUID) -> DeletedBudget:
    return handlers.delete_budget(gateway_of(request), budget_id)
