"""Billing over REST."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from apps.api import verbs
from apps.api.billing import handlers
from apps.api.billing.contract import UsageGroup, UsagePage
from apps.api.contract import Page, page_of
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
