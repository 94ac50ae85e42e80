"""Shared memory over REST."""

from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Items, UserId
from apps.api.memories.contract import Memory, WriteResult
from apps.api.recall.contract import Recall, RecallInput
from apps.api.rest.routing import gateway_of, serve
from apps.api.sharing import handlers
from apps.api.sharing.contract import SharedDomain, SharedMemoryInput, SharedRecallInput, ShareInput

router = Router()


@serve(router, "POST", "/memories/{memory_id}/share", verbs.SHARE_MEMORY)
def share(request: HttpRequest, memory_id: UUID, body: ShareInput | None = None) -> Memory:
    return handlers.share(gateway_of(request), memory_id, body or ShareInput())


@serve(router, "POST", "/shared-memory", verbs.REMEMBER_SHARED)
def remember_shared(request: HttpRequest, body: SharedMemoryInput) -> WriteResult:
    return handlers.remember_shared(gateway_of(request), body)


@serve(router, "GET", "/shared-memory", verbs.RECALL_SHARED)
def find_shared(request: HttpRequest, query: Query[SharedRecallInput]) -> Recall:
    """The short form of /shared-memory/query."""
    return handlers.recall_shared(gateway_of(request).of_named(query), query.as_recall())


@serve(router, "POST", "/shared-memory/query", verbs.RECALL_SHARED)
def recall_shared(request: HttpRequest, body: RecallInput) -> Recall:
    """`filter.domain` narrows it."""
    return handlers.recall_shared(gateway_of(request).of_named(body.filter), body)


@serve(router, "GET", "/shared-memory/domains", verbs.SHARED_DOMAINS)
def shared_domains(request: HttpRequest, user_id: UserId = None) -> Items[SharedDomain]:
    return Items(items=handlers.shared_domains(gateway_of(request).of(user_id)))
