"""What the verbs of schedules do, once the gateway has let the caller in."""

from apps.api import verbs
from apps.api.admission import admitted
from apps.api.gateway import Gateway
from apps.api.graph.contract import StartedJob
from apps.api.schedules.contract import HealthReport, MaintenanceInput, Schedule
from apps.jobs import selectors as jobs
from apps.maintenance import reporting
from apps.maintenance import services as maintenance


def schedules(gateway: Gateway) -> list[Schedule]:
    with gateway.open(verbs.SCHEDULES):
        return gateway.answers(Schedule, jobs.schedules())


def run_maintenance(gateway: Gateway, given: MaintenanceInput) -> StartedJob:
    with gateway.open(verbs.RUN_MAINTENANCE):
        return StartedJob(job_id=maintenance.start(admitted(given.job, "job"), dry_run=given.dry_run))


def health_report(gateway: Gateway) -> HealthReport:
    with gateway.open(verbs.HEALTH_REPORT):
        return gateway.answer(HealthReport, reporting.health())
