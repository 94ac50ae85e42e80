"""The schema: what is asked, how it is bounded, how its documents are cached."""

from collections.abc import Sequence

import strawberry
from graphql import GraphQLError
from strawberry.extensions import MaxTokensLimiter, ParserCache, ValidationCache
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext
from typing_extensions import override

from apps.api.graphql.complexity import MAXIMUM_TOKENS, ComplexityLimiter
from apps.api.graphql.mutations import Mutation
from apps.api.graphql.queries import Query
from apps.api.graphql.scalars import resolve

DOCUMENTS_CACHED = 512


class _Schema(strawberry.Schema):
    @override
    def process_errors(self, errors: Sequence[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """The view maps and logs errors; the default would log the caller's query, which is content."""


schema = _Schema(
    query=Query,
    mutation=Mutation,
    extensions=[
        lambda: MaxTokensLimiter(MAXIMUM_TOKENS),
        lambda: ParserCache(maxsize=DOCUMENTS_CACHED),
        lambda: ValidationCache(maxsize=DOCUMENTS_CACHED),
        ComplexityLimiter,
    ],
    config=StrawberryConfig(default_resolver=resolve),
)
