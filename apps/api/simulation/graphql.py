"""Simulation in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.graphql.context import Info
from apps.api.graphql.shapes import query
from apps.api.simulation import handlers
from apps.api.simulation.contract import Simulation, SimulationInput


@strawberry.type
class Query:
    @query(verbs.SIMULATE_POLICY)
    def simulate_policy(self, info: Info, input: SimulationInput) -> Simulation:  # noqa: A002  the API's word
        return handlers.simulate_policy(info.context.ask(info, input.user_id), input)
