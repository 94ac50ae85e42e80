"""Erasing over REST."""

from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Page, page_of
from apps.api.erasure import handlers
from apps.api.erasure.contract import (
    Erasure,
    ErasureInput,
    ErasurePreview,
    ErasurePreviewInput,
    ErasuresPage,
    ReceiptInput,
    VerifiedReceipt,
)
from apps.api.rest.routing import gateway_of, serve

router = Router()


@serve(router, "POST", "/erasures/preview", verbs.PREVIEW_ERASURE)
def preview_erasure(request: HttpRequest, body: ErasurePreviewInput) -> ErasurePreview:
    return handlers.preview_erasure(gateway_of(request), body)


@serve(router, "POST", "/erasures/verify", verbs.VERIFY_RECEIPT)
def verify_receipt(request: HttpRequest, body: ReceiptInput) -> VerifiedReceipt:
    return handlers.verify_receipt(gateway_of(request), body)


@serve(router, "POST", "/erasures", verbs.REQUEST_ERASURE)
def request_erasure(request: HttpRequest, body: ErasureInput) -> Erasure:
    return handlers.request_erasure(gateway_of(request), body)


@serve(router, "GET", "/erasures", verbs.ERASURES)
def erasures(request: HttpRequest, query: Query[ErasuresPage]) -> Page[Erasure]:
    return page_of(handlers.erasures(gateway_of(request), query.as_page()))


@serve(router, "GET", "/erasures/{erasure_id}", verbs.ERASURE)
def erasure(request: HttpRequest, erasure_id: UUID) -> Erasure:
    return handlers.erasure(gateway_of(request), erasure_id)


@serve(router, "POST", "/erasures/{erasure_id}/approve", verbs.APPROVE_ERASURE)
def approve_erasure(request: HttpRequest, erasure_id: UUID) -> Erasure:
    return handlers.approve_erasure(gateway_of(request), erasure_id)


@serve(router, "POST", "/erasures/{erasure_id}/reject", verbs.REJECT_ERASURE)
def reject_erasure(request: HttpRequest, erasure_id: UUID) -> Erasure:
    return handlers.reject_erasure(gateway_of(request), erasure_id)
