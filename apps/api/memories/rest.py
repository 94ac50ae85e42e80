"""Memories over REST."""

from typing import Final
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Items, Page, PageOf, UserId, found, page_of
from apps.api.memories import handlers
from apps.api.memories.contract import (
    ConfirmInput,
    CorrectInput,
    Explanation,
    FeedbackInput,
    ForgetInput,
    Forgotten,
    MemoriesInput,
    Memory,
    MemoryFeedback,
    Rejection,
    RejectionCount,
    RejectionsInput,
    RememberInput,
    RestoreInput,
    Weeks,
    WriteResult,
)
from apps.api.rest.routing import gateway_of, serve
from apps.api.spelling import called
from apps.core.clock import now
from apps.memory.requests import REJECTION_WEEKS
from apps.retrieval.services import periods

router = Router()

_AS_IT_IS: Final = ConfirmInput()


@serve(router, "GET", "/memories", verbs.MEMORIES)
def memories(request: HttpRequest, query: Query[MemoriesInput]) -> Page[Memory]:
    """Repeat a filter to allow several values."""
    wanted = query.as_filter()
    # Before the page, whose cursor is called `after`.
    with called({"after": "since", "before": "until"}):
        periods.bounds(wanted, now=now())
    cut = handlers.memories(
        gateway_of(request).of_named(query),
        wanted=wanted,
        order=query.order_by,
        page=query.as_page(),
        as_of=query.as_of,
    )
    return page_of(cut)


@serve(router, "POST", "/memories", verbs.REMEMBER)
def remember(request: HttpRequest, body: RememberInput) -> WriteResult:
    return handlers.remember(gateway_of(request), body)


@serve(router, "GET", "/memories/weak", verbs.WEAK_MEMORIES)
def weak_memories(request: HttpRequest, query: Query[PageOf]) -> Page[Memory]:
    return page_of(handlers.weak_memories(gateway_of(request).of_named(query), query.as_page()))


@serve(router, "GET", "/memories/{memory_id}", verbs.MEMORY)
def memory(request: HttpRequest, memory_id: UUID, user_id: UserId = None) -> Memory:
    return found(handlers.memory(gateway_of(request).of(user_id), memory_id), "memory")


@serve(router, "GET", "/memories/{memory_id}/explain", verbs.EXPLAIN_MEMORY)
def explain_memory(request: HttpRequest, memory_id: UUID, user_id: UserId = None) -> Explanation:
    return found(handlers.explain_memory(gateway_of(request).of(user_id), memory_id), "memory")


@serve(router, "POST", "/memories/{memory_id}/correct", verbs.CORRECT)
def correct(request: HttpRequest, memory_id: UUID, body: CorrectInput) -> WriteResult:
    return handlers.correct(gateway_of(request), memory_id, body)


@serve(router, "POST", "/memories/{memory_id}/confirm", verbs.CONFIRM)
def confirm(request: HttpRequest, memory_id: UUID, body: ConfirmInput = _AS_IT_IS) -> Memory:
    return handlers.confirm(gateway_of(request), memory_id, body)


@serve(router, "POST", "/memories/{memory_id}/confirm/withdraw", verbs.WITHDRAW_CONFIRMATION)
def withdraw_confirmation(request: HttpRequest, memory_id: UUID, body: ConfirmInput = _AS_IT_IS) -> Memory:
    return handlers.withdraw_confirmation(gateway_of(request), memory_id, body)


@serve(router, "POST", "/memories/{memory_id}/unmerge", verbs.UNMERGE)
def unmerge(request: HttpRequest, memory_id: UUID) -> Memory:
    return handlers.unmerge(gateway_of(request), memory_id)


@serve(router, "POST", "/memories/{memory_id}/feedback", verbs.GIVE_FEEDBACK)
def give_feedback(request: HttpRequest, memory_id: UUID, body: FeedbackInput) -> MemoryFeedback:
    return handlers.give_feedback(gateway_of(request), memory_id, body)


@serve(router, "POST", "/memories/{memory_id}/feedback/withdraw", verbs.WITHDRAW_FEEDBACK)
def withdraw_feedback(request: HttpRequest, memory_id: UUID) -> Memory:
    return handlers.withdraw_feedback(gateway_of(request), memory_id)


@serve(router, "POST", "/forget", verbs.FORGET)
def forget(request: HttpRequest, body: ForgetInput) -> Forgotten:
    return handlers.forget(gateway_of(request).of_named(body.filter), body)


@serve(router, "POST", "/restore", verbs.RESTORE)
def restore(request: HttpRequest, body: RestoreInput) -> Forgotten:
    return handlers.restore(gateway_of(request), body.batch_id)


@serve(router, "GET", "/rejections", verbs.REJECTIONS)
def rejections(request: HttpRequest, query: Query[RejectionsInput]) -> Page[Rejection]:
    return page_of(handlers.rejections(gateway_of(request).of_named(query), query, query.as_page()))


@serve(router, "GET", "/rejections/counts", verbs.REJECTION_COUNTS)
def rejection_counts(request: HttpRequest, weeks: Weeks = REJECTION_WEEKS) -> Items[RejectionCount]:
    return Items(items=handlers.rejection_counts(gateway_of(request), weeks))
