"""The jobs of maintenance, and when a tenant starts with having them run (DESIGN section 6)."""

from apps.jobs.registry import JobContext, StartingSchedule, handler, schedule
from apps.maintenance import services
from apps.maintenance.steps import Counts

# A step of a large tenant takes as long as it takes; its transactions are short.
LONGEST_STEP_SECONDS = 3_600.0

schedule(
    StartingSchedule("nightly", "0 2 * * *", "maintenance.nightly"),
    StartingSchedule("weekly", "0 1 * * 0", "maintenance.weekly"),
    StartingSchedule("monthly", "0 3 1 * *", "maintenance.monthly"),
)


@handler("maintenance.nightly", timeout_seconds=LONGEST_STEP_SECONDS)
def nightly(job: JobContext) -> Counts:
    return services.advance("nightly", job)


@handler("maintenance.weekly", timeout_seconds=LONGEST_STEP_SECONDS)
def weekly(job: JobContext) -> Counts:
    return services.advance("weekly", job)


@handler("maintenance.monthly", timeout_seconds=LONGEST_STEP_SECONDS)
def monthly(job: JobContext) -> Counts:
    return services.advance("monthly", job)


@handler("maintenance.count_nightly", timeout_seconds=LONGEST_STEP_SECONDS)
def count_nightly(job: JobContext) -> Counts:
    return services.counted("nightly", job)


@handler("maintenance.count_weekly", timeout_seconds=LONGEST_STEP_SECONDS)
def count_weekly(job: JobContext) -> Counts:
    return services.counted("weekly", job)


@handler("maintenance.count_monthly", timeout_seconds=LONGEST_STEP_SECONDS)
def count_monthly(job: JobContext) -> Counts:
    return services.counted("monthly", job)
