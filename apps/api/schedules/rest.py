"""Schedules over REST."""

from django.http import HttpRequest
from ninja import Router

from apps.api import verbs
from apps.api.contract import Items, Name
from apps.api.graph.contract import StartedJob
from apps.api.rest.routing import gateway_of, serve
from apps.api.schedules import handlers
from apps.api.schedules.contract import HealthReport, MaintenanceInput, Schedule, ScheduleInput, StartedMaintenance

router = Router()


@serve(router, "GET", "/schedules", verbs.SCHEDULES)
def schedules(request: HttpRequest) -> Items[Schedule]:
    return Items(items=handlers.schedules(gateway_of(request)))


@serve(router, "POST", "/maintenance", verbs.RUN_MAINTENANCE)
def run_maintenance(request: HttpRequest, body: MaintenanceInput) -> StartedMaintenance:
    return handlers.run_maintenance(gateway_of(request), body)


@serve(router, "POST", "/schedules/{name}", verbs.CHANGE_SCHEDULE)
def change_schedule(request: HttpRequest, name: Name, body: ScheduleInput) -> Schedule:
    return handlers.change_schedule(gateway_of(request), name, body)


@serve(router, "POST", "/schedules/{name}/run", verbs.RUN_SCHEDULE)
def run_schedule(request: HttpRequest, name: Name) -> StartedJob:
    return handlers.run_schedule(gateway_of(request), name)


@serve(router, "GET", "/health-report", verbs.HEALTH_REPORT)
def health_report(request: HttpRequest) -> HealthReport:
    return handlers.health_report(gateway_of(request))
