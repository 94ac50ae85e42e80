"""Summaries over REST."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Items, Name, found
from apps.api.rest.routing import gateway_of, serve
from apps.api.summaries import handlers
from apps.api.summaries.contract import SummariesInput, Summary, SummaryListed, SummaryVersion, WhichSummary

router = Router()

MARKDOWN: Final = "text/markdown"
_AS_MARKDOWN: Final = {"responses": {200: {"content": {MARKDOWN: {"schema": {"type": "string"}}}}}}


@serve(router, "GET", "/summaries", verbs.SUMMARIES)
def summaries(request: HttpRequest, query: Query[SummariesInput]) -> Items[SummaryListed]:
    gateway = gateway_of(request).of(query.user_id, all_users=query.all_users)
    return Items(items=handlers.summaries(gateway))


@serve(router, "GET", "/summaries/{category}.md", verbs.SUMMARY, answers=str, describes=_AS_MARKDOWN)
def download(request: HttpRequest, category: Name, query: Query[WhichSummary]) -> HttpResponse:
    """The text alone, as a file."""
    gateway = gateway_of(request).of(query.user_id)
    text = handlers.summary_as_markdown(gateway, category, query.visibility)
    return HttpResponse(
        text,
        content_type=f"{MARKDOWN}; charset=utf-8",
        headers={"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"},
    )


@serve(router, "GET", "/summaries/{category}", verbs.SUMMARY)
def summary(request: HttpRequest, category: Name, query: Query[WhichSummary]) -> Summary:
    gateway = gateway_of(request).of(query.user_id)
    return found(handlers.summary(gateway, category, query.visibility), "summary")


@serve(router, "GET", "/summaries/{category}/versions", verbs.SUMMARY_VERSIONS)
def summary_versions(request: HttpRequest, category: Name, query: Query[WhichSummary]) -> Items[SummaryVersion]:
    """The newest first."""
    gateway = gateway_of(request).of(query.user_id)
    return Items(items=handlers.summary_versions(gateway, category, query.visibility))
