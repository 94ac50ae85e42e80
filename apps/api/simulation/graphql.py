"""Simulation in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.graphql.context import Info
from apps.api.graphql.shapes import query
from apps.api.recall.contract import ContextBlock, Recall
from apps.api.simulation import handlers
from apps.api.simulation.contract import (
    ContextTrialInput,
    ContextTrialOptions,
    RecallTrialInput,
    RecallTrialOptions,
    Simulation,
    SimulationInput,
)


@strawberry.type
class Query:
    @query(verbs.SIMULATE_POLICY)
    def simulate_policy(self, info: Info, input: SimulationInput) -> Simulation:  # noqa: A002  the API's word
        return handlers.simulate_policy(info.context.ask(info, input.user_id), input)

    @query(verbs.TRY_RECALL)
    def try_recall(self, info: Info, query: str, options: RecallTrialOptions | None = None) -> Recall:
        asked = RecallTrialInput.of(query, options)
        found = handlers.try_recall(info.context.ask_named(info, asked.filter), asked)
        info.context.batch(info).add(hit.item_id for hit in found.hits if hit.item_id is not None)
        return found

    @query(verbs.TRY_CONTEXT)
    def try_context(
        self, info: Info, query: str | None = None, options: ContextTrialOptions | None = None
    ) -> ContextBlock:
        asked = ContextTrialInput.of(query, options)
        return handlers.try_context(info.context.ask_named(info, asked.filter), asked)
