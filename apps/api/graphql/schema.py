"""The schema: what is asked, how it is bounded, how its documents are cached."""

from collections.abc import Sequence

import strawberry
from graphql import GraphQLError
from strawberry.extensions import MaxTokensLimiter
from strawberry.schema.config import StrawberryConfig
from strawberry.tools import merge_types
from strawberry.types import ExecutionContext
from typing_extensions import override

from apps.api import contract
from apps.api.billing import contract as billing_contract
from apps.api.billing import graphql as billing
from apps.api.categories import contract as categories_contract
from apps.api.categories import graphql as categories
from apps.api.curation import contract as curation_contract
from apps.api.curation import graphql as curation
from apps.api.erasure import contract as erasure_contract
from apps.api.erasure import graphql as erasure
from apps.api.events import contract as events_contract
from apps.api.events import graphql as events
from apps.api.exports import contract as exports_contract
from apps.api.exports import graphql as exports
from apps.api.graph import contract as graph_contract
from apps.api.graph import graphql as graph
from apps.api.graphql.complexity import MAXIMUM_TOKENS, ComplexityLimiter
from apps.api.graphql.documents import DocumentCache
from apps.api.graphql.scalars import SCALARS, resolve
from apps.api.graphql.shapes import describe, expose
from apps.api.keys import contract as keys_contract
from apps.api.keys import graphql as keys
from apps.api.lessons import contract as lessons_contract
from apps.api.lessons import graphql as lessons
from apps.api.memories import contract as memories_contract
from apps.api.memories import graphql as memories
from apps.api.operations import contract as operations_contract
from apps.api.operations import graphql as operations
from apps.api.recall import contract as recall_contract
from apps.api.recall import graphql as recall
from apps.api.schedules import contract as schedules_contract
from apps.api.schedules import graphql as schedules
from apps.api.sessions import contract as sessions_contract
from apps.api.sessions import graphql as sessions
from apps.api.sharing import contract as sharing_contract
from apps.api.sharing import graphql as sharing
from apps.api.simulation import contract as simulation_contract
from apps.api.simulation import graphql as simulation
from apps.api.summaries import contract as summaries_contract
from apps.api.summaries import graphql as summaries
from apps.api.triggers import contract as triggers_contract
from apps.api.triggers import graphql as triggers

expose(
    contract,
    recall_contract,
    memories_contract,
    sharing_contract,
    graph_contract,
    sessions_contract,
    summaries_contract,
    triggers_contract,
    lessons_contract,
    curation_contract,
    operations_contract,
    categories_contract,
    events_contract,
    simulation_contract,
    schedules_contract,
    keys_contract,
    billing_contract,
    erasure_contract,
    exports_contract,
)
TOPICS = (
    recall,
    memories,
    sharing,
    graph,
    sessions,
    triggers,
    lessons,
    curation,
    operations,
    schedules,
    keys,
    billing,
    categories,
    erasure,
    exports,
)
READ_TOPICS = (events, simulation, summaries)
for _topic in (*TOPICS, *READ_TOPICS):
    describe(_topic)


class _Schema(strawberry.Schema):
    @override
    def process_errors(self, errors: Sequence[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """The view maps and logs errors; the default would log the caller's query, which is content."""


schema = _Schema(
    query=merge_types("Query", tuple(topic.Query for topic in (*TOPICS, *READ_TOPICS))),
    mutation=merge_types("Mutation", tuple(topic.Mutation for topic in TOPICS)),
    extensions=[lambda: MaxTokensLimiter(MAXIMUM_TOKENS), DocumentCache, ComplexityLimiter],
    config=StrawberryConfig(default_resolver=resolve, scalar_map=SCALARS),
)
