"""Schedules over GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.graph.contract import StartedJob
from apps.api.graphql.context import Info
from apps.api.graphql.shapes import mutation, query
from apps.api.schedules import handlers
from apps.api.schedules.contract import HealthReport, MaintenanceInput, Schedule, ScheduleInput, StartedMaintenance


@strawberry.type
class Query:
    @query(verbs.SCHEDULES)
    def schedules(self, info: Info) -> list[Schedule]:
        return handlers.schedules(info.context.gateway)

    @query(verbs.HEALTH_REPORT)
    def health_report(self, info: Info) -> HealthReport:
        return handlers.health_report(info.context.gateway)


@strawberry.type
class Mutation:
    @mutation(verbs.RUN_MAINTENANCE)
    def run_maintenance(self, info: Info, input: MaintenanceInput) -> StartedMaintenance:  # noqa: A002  the API's word
        return handlers.run_maintenance(info.context.gateway, input)

    @mutation(verbs.RUN_SCHEDULE)
    def run_schedule(self, info: Info, name: str) -> StartedJob:
        return handlers.run_schedule(info.context.gateway, name)

    @mutation(verbs.CHANGE_SCHEDULE)
    def change_schedule(self, info: Info, name: str, input: ScheduleInput) -> Schedule:  # noqa: A002  the API's word
        return handlers.change_schedule(info.context.gateway, name, input)
