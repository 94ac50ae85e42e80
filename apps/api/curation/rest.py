"""Curation over REST."""

from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Page, page_of
from apps.api.curation import handlers
from apps.api.curation.contract import (
    CuratedCommit,
    CuratedHistoryInput,
    CuratedMemory,
    CuratedRepository,
    DecisionInput,
    Proposal,
    ProposalsInput,
    QueueEntry,
    QueueInput,
    RestoreCuratedInput,
)
from apps.api.graph.contract import StartedJob
from apps.api.rest.routing import gateway_of, serve

router = Router()

MARKDOWN: Final = "text/markdown"
_AS_MARKDOWN: Final = {"responses": {200: {"content": {MARKDOWN: {"schema": {"type": "string"}}}}}}


@serve(router, "GET", "/curated-memory", verbs.CURATED_MEMORY)
def curated_memory(request: HttpRequest) -> CuratedMemory:
    return handlers.curated_memory(gateway_of(request))


@serve(router, "GET", "/memory.md", verbs.CURATED_MEMORY, answers=CuratedMemory, describes=_AS_MARKDOWN)
def memory_file(request: HttpRequest) -> CuratedMemory | HttpResponse:
    """The file as it is; with `Accept: application/json` its lines beside it."""
    file = handlers.curated_memory(gateway_of(request))
    if request.get_preferred_type([MARKDOWN, "application/json"]) == MARKDOWN:
        return HttpResponse(file.text, content_type=f"{MARKDOWN}; charset=utf-8")
    return file


@serve(router, "GET", "/curated-memory/history", verbs.CURATED_HISTORY)
def curated_history(request: HttpRequest, query: Query[CuratedHistoryInput]) -> Page[CuratedCommit]:
    return page_of(handlers.curated_history(gateway_of(request), query.as_page()))


@serve(router, "GET", "/proposals", verbs.PROPOSALS)
def proposals(request: HttpRequest, query: Query[ProposalsInput]) -> Page[Proposal]:
    """Repeat `state` to allow several."""
    return page_of(handlers.proposals(gateway_of(request), query.as_filter(), query.as_page(), query.order_by))


@serve(router, "POST", "/proposals/{proposal_id}/decide", verbs.DECIDE_PROPOSAL)
def decide_proposal(request: HttpRequest, proposal_id: UUID, body: DecisionInput) -> Proposal:
    return handlers.decide_proposal(gateway_of(request), proposal_id, body)


@serve(router, "GET", "/review-queue", verbs.REVIEW_QUEUE)
def review_queue(request: HttpRequest, query: Query[QueueInput]) -> Page[QueueEntry]:
    """Repeat `kind` to choose several."""
    return page_of(handlers.review_queue(gateway_of(request).of_named(query), query.kinds, query.as_page()))


@serve(router, "POST", "/reflect", verbs.REFLECT)
def reflect(request: HttpRequest) -> StartedJob:
    return handlers.reflect(gateway_of(request))


@serve(router, "GET", "/curated-memory/check", verbs.CHECK_CURATED_MEMORY)
def check_curated_memory(request: HttpRequest) -> CuratedRepository:
    return handlers.check(gateway_of(request))


@serve(router, "POST", "/curated-memory/rebuild", verbs.REBUILD_CURATED_MEMORY)
def rebuild_curated_memory(request: HttpRequest) -> CuratedRepository:
    return handlers.rebuild(gateway_of(request))


@serve(router, "POST", "/curated-memory/restore", verbs.RESTORE_CURATED_MEMORY)
def restore_curated_memory(request: HttpRequest, body: RestoreCuratedInput) -> CuratedRepository:
    return handlers.restore(gateway_of(request), body)
