"""Exporting and importing in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.erasure.contract import ErasureSubject
from apps.api.exports import handlers
from apps.api.exports.contract import ExportedLine, ExportInput, Imported, ImportInput
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.shapes import mutation, query
from apps.core.paging import page


@strawberry.type
class Query:
    @query(verbs.EXPORT_ABOUT)
    def export_about(
        self,
        info: Info,
        input: ErasureSubject,  # noqa: A002  the API's word
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[ExportedLine]:
        wanted = ExportInput(**input.model_dump())
        return connection(handlers.export_about(info.context.ask(info), wanted, page(first, after)), after=after)


@strawberry.type
class Mutation:
    @mutation(verbs.IMPORT_LINES)
    def import_lines(self, info: Info, input: ImportInput) -> Imported:  # noqa: A002  the API's word
        return handlers.import_lines(info.context.gateway, input)
