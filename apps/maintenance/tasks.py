"""The jobs of maintenance, and when a tenant starts with having them run (DESIGN section 6)."""

from apps.jobs.registry import JobContext, StartingSchedule, handler, schedule
from apps.maintenance import services
from apps.maintenance.steps import RUNS, Counts

# Far longer than a turn and a portion of a step: only a worker that hangs is given up.
LONGEST_STEP_SECONDS = 3_600.0

schedule(
    StartingSchedule("nightly", "0 2 * * *", "maintenance.nightly"),
    StartingSchedule("weekly", "0 1 * * 0", "maintenance.weekly"),
    StartingSchedule("monthly", "0 3 1 * *", "maintenance.monthly"),
)


def _register(name: str) -> None:
    """The job of a run, and the one that only counts."""

    @handler(f"maintenance.{name}", timeout_seconds=LONGEST_STEP_SECONDS)
    def advance(job: JobContext) -> Counts:
        return services.advance(name, job)

    @handler(f"maintenance.count_{name}", timeout_seconds=LONGEST_STEP_SECONDS)
    def count(job: JobContext) -> Counts:
        return services.counted(name, job)


for _name in RUNS:
    _register(_name)
