"""What the verbs of schedules do, once the gateway has let the caller in."""

from apps.api import verbs
from apps.api.admission import admitted
from apps.api.contract import found
from apps.api.gateway import Gateway
from apps.api.graph.contract import StartedJob
from apps.api.schedules.contract import HealthReport, MaintenanceInput, Schedule, ScheduleInput, StartedMaintenance
from apps.jobs import selectors as jobs
from apps.jobs import services as job_services
from apps.maintenance import reporting
from apps.maintenance import services as maintenance


def schedules(gateway: Gateway) -> list[Schedule]:
    with gateway.open(verbs.SCHEDULES):
        return gateway.answers(Schedule, jobs.schedules())


def run_maintenance(gateway: Gateway, given: MaintenanceInput) -> StartedMaintenance:
    with gateway.open(verbs.RUN_MAINTENANCE):
        job_id = maintenance.start(given.job, dry_run=given.dry_run)
        return StartedMaintenance(job_id=job_id, steps=list(maintenance.steps_of(given.job)))


def run_schedule(gateway: Gateway, name: str) -> StartedJob:
    """A run that is not over is not begun again: its job is the answer. Raises NotFound."""
    with gateway.open(verbs.RUN_SCHEDULE):
        return StartedJob(job_id=job_services.start(admitted(name, "name")))


def change_schedule(gateway: Gateway, name: str, given: ScheduleInput) -> Schedule:
    """Raises NotFound, and Invalid for a cron expression that is none."""
    with gateway.open(verbs.CHANGE_SCHEDULE):
        known = admitted(name, "name")
        job_services.change_schedules(given.changes, names=[known])
        return gateway.answer(Schedule, found(jobs.schedule(known), "schedule"))


def health_report(gateway: Gateway) -> HealthReport:
    with gateway.open(verbs.HEALTH_REPORT):
        return gateway.answer(HealthReport, reporting.health())
