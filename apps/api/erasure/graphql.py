"""Erasing in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.erasure import handlers
from apps.api.erasure.contract import (
    Erasure,
    ErasureInput,
    ErasurePreview,
    ErasurePreviewInput,
    ReceiptInput,
    VerifiedReceipt,
)
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import mutation, query
from apps.core.paging import page


@strawberry.type
class Query:
    @query(verbs.PREVIEW_ERASURE)
    def preview_erasure(self, info: Info, input: ErasurePreviewInput) -> ErasurePreview:  # noqa: A002  the API's word
        return handlers.preview_erasure(info.context.ask(info), input)

    @query(verbs.ERASURES)
    def erasures(self, info: Info, first: int | None = None, after: str | None = None) -> Connection[Erasure]:
        return connection(handlers.erasures(info.context.ask(info), page(first, after)), after=after)

    @query(verbs.ERASURE)
    def erasure(self, info: Info, id: strawberry.ID) -> Erasure:  # noqa: A002  the API's word
        return handlers.erasure(info.context.ask(info), uuid_of(id, field="id"))

    @query(verbs.VERIFY_RECEIPT)
    def verify_receipt(self, info: Info, input: ReceiptInput) -> VerifiedReceipt:  # noqa: A002  the API's word
        return handlers.verify_receipt(info.context.ask(info), input)


@strawberry.type
class Mutation:
    @mutation(verbs.REQUEST_ERASURE)
    def request_erasure(self, info: Info, input: ErasureInput) -> Erasure:  # noqa: A002  the API's word
        return handlers.request_erasure(info.context.ask(info), input)

    @mutation(verbs.APPROVE_ERASURE)
    def approve_erasure(self, info: Info, id: strawberry.ID) -> Erasure:  # noqa: A002  the API's word
        return handlers.approve_erasure(info.context.ask(info), uuid_of(id, field="id"))

    @mutation(verbs.REJECT_ERASURE)
    def reject_erasure(self, info: Info, id: strawberry.ID) -> Erasure:  # noqa: A002  the API's word
        return handlers.reject_erasure(info.context.ask(info), uuid_of(id, field="id"))
