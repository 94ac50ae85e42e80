"""Keys in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import mutation, query
from apps.api.keys import handlers
from apps.api.keys.contract import ApiKey, ApiKeyInput, NewApiKey, RotateInput


@strawberry.type
class Query:
    @query(verbs.KEYS)
    def keys(self, info: Info) -> list[ApiKey]:
        return handlers.keys(info.context.gateway)


@strawberry.type
class Mutation:
    @mutation(verbs.CREATE_API_KEY)
    def create_api_key(self, info: Info, input: ApiKeyInput) -> NewApiKey:  # noqa: A002  the API's word
        return handlers.create_api_key(info.context.gateway, input)

    @mutation(verbs.ROTATE_API_KEY)
    def rotate_api_key(self, info: Info, id: strawberry.ID, overlap_seconds: int = 0) -> NewApiKey:  # noqa: A002
        given = RotateInput(overlap_seconds=overlap_seconds)
        return handlers.rotate_api_key(info.context.gateway, uuid_of(id, field="id"), given)

    @mutation(verbs.REVOKE_API_KEY)
    def revoke_api_key(self, info: Info, id: strawberry.ID) -> ApiKey:  # noqa: A002  the API's word
        return handlers.revoke_api_key(info.context.gateway, uuid_of(id, field="id"))
