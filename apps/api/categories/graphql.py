"""Categories in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.categories import handlers
from apps.api.categories.contract import Category, CategoryEdit, CategoryPreview, NewCategory, PreviewInput
from apps.api.graphql.context import Info
from apps.api.graphql.shapes import mutation, query


@strawberry.type
class Query:
    @query(verbs.CATEGORIES)
    def categories(self, info: Info) -> list[Category]:
        return handlers.categories(info.context.gateway)

    @query(verbs.PREVIEW_CATEGORY)
    def preview_category(self, info: Info, slug: str, input: PreviewInput) -> CategoryPreview:  # noqa: A002  the API's word
        return handlers.preview_category(info.context.gateway, slug, input)


@strawberry.type
class Mutation:
    @mutation(verbs.CREATE_CATEGORY)
    def create_category(self, info: Info, input: NewCategory) -> Category:  # noqa: A002  the API's word
        return handlers.create_category(info.context.gateway, input)

    @mutation(verbs.UPDATE_CATEGORY)
    def update_category(self, info: Info, slug: str, input: CategoryEdit) -> Category:  # noqa: A002  the API's word
        return handlers.update_category(info.context.gateway, slug, input)
