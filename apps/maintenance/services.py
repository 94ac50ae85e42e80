"""Running maintenance: a step a turn of the worker, so that other tenants' work goes on between them; a step that takes
long, because it asks a model, takes several.
"""

import time
from collections.abc import Mapping
from typing import Final
from uuid import UUID

import structlog

from apps.core import clock, scope
from apps.core.problems import frames_of
from apps.core.scope import Reach, Scope
from apps.jobs import services as jobs
from apps.jobs.registry import JobContext, Unfinished
from apps.journal.services import record
from apps.maintenance import reporting
from apps.maintenance.steps import RUNS, Counts, Run, Step
from apps.tenants import selectors as tenants
from memory_platform.errors import NotFound
from memory_platform.model import JournalLine

TURN_SECONDS: Final = 600.0
"""After which a step is left at its next portion, far from the hour after which another worker would begin it anew."""
SO_FAR: Final = "_so_far"
"""Behind the name of a step, while it is not through: what it has done in the turns before."""
PAIRS_MERGED: Final = "pairs.merged"
FAILED: Final = "_failed"
"""Behind the name of a step: what kept it from its end. The steps after it are taken all the same."""

log = structlog.get_logger(__name__)


class StepsFailed(Exception):
    """A run came to its end, but for steps whose errors its outcome names: it counts as failed."""


def steps_of(name: str) -> tuple[str, ...]:
    """What the nightly, weekly or monthly maintenance does, in its order. Raises NotFound."""
    if name not in RUNS:
        raise NotFound(f"There is no maintenance {name!r}.", field="job", hint=f"There are {', '.join(RUNS)}.")
    return tuple(step.name for step in RUNS[name])


def start(name: str, *, dry_run: bool) -> UUID:
    """Run the nightly, weekly or monthly maintenance of the scope's tenant now, in a job; returns it.

    A dry run counts what would change and changes nothing. Raises NotFound.
    """
    steps_of(name)
    if not dry_run:
        return jobs.start(name)
    job_id = jobs.enqueue(f"maintenance.count_{name}", {})
    record(JournalLine("maintenance.counting", "job", job_id, {"name": name}))
    return job_id


def counted(name: str, job: JobContext) -> Counts:
    """Count what the next step of a run would change now. Raises Unfinished until each of them is counted."""
    step = next((step for step in RUNS[name] if step.name not in job.outcome), None)
    if step is None:
        return {}
    run = _run(name, job)
    with scope.enter(run.within):
        raise Unfinished({step.name: step.count(run)})


def advance(name: str, job: JobContext) -> Counts:
    """Take the next step of a run; what `job.outcome` names is done. Raises Unfinished while there are more.

    What another attempt may help is raised; any other error of a step is noted, and the run goes on with the next one.
    Then it raises StepsFailed at its end.

    Does nothing for a tenant that is suspended, whose memories nobody can recall.
    """
    run = _run(name, job)
    with scope.enter(run.within):
        if tenants.is_suspended():
            return {"suspended": 1}
    left = [step for step in RUNS[name] if step.name not in job.outcome]
    if not left:
        return _closed(name, job, run)
    raise Unfinished(_taken(left[0], run, so_far=int(job.outcome.get(left[0].name + SO_FAR, 0))))


def _taken(step: Step, run: Run, *, so_far: int) -> Counts:
    """What a turn of a step adds to the outcome of the run."""
    try:
        done, is_through = _turn(step, run)
    except jobs.RETRYABLE:
        raise
    except Exception as error:  # noqa: BLE001  a step's bug keeps no other step from being taken
        code = type(error).__name__
        log.error("maintenance.step_failed", step=step.name, error_class=code, frames=frames_of(error))  # noqa: TRY400
        return {step.name: so_far, step.name + FAILED: code}
    return {step.name: done + so_far} if is_through else {step.name + SO_FAR: done}


def _turn(step: Step, run: Run) -> tuple[int, bool]:
    """How much a step did in its turn, and whether it came to its end."""
    ends_at = time.monotonic() + TURN_SECONDS
    total = 0
    for done in step.act(run):
        total += done
        if step.asks and time.monotonic() >= ends_at:
            return total, False
    return total, True


def _run(name: str, job: JobContext) -> Run:
    """By the tenant's numbers as they are, whatever this process holds: who changed one may have it run at once."""
    tenants.forget_cached(job.tenant_id)
    return Run(name, Scope(job.tenant_id, None, Reach.TENANT), clock.now())


def _closed(name: str, job: JobContext, run: Run) -> Mapping[str, int | str]:
    """One journal entry a run, with all its counts. The days of one with failed steps are the next one's, too."""
    failed = {key: error for key, error in job.outcome.items() if key.endswith(FAILED)}
    with scope.enter(run.within):
        held = _held(name, run)
        counts = {step.name: job.outcome[step.name] for step in RUNS[name]}
        operation = f"{run.entry}{FAILED}" if failed else run.entry
        record(JournalLine(operation, "job", job.id, {**counts, **failed, **held}))
    if failed:
        raise StepsFailed
    return held


def _held(name: str, run: Run) -> Mapping[str, int]:
    """How much there is; of a night also how many pairs became one since the night before: jobs merge what it names."""
    if name == "monthly":
        return reporting.health().counts
    merged = {PAIRS_MERGED: reporting.merged(run.last_ended() or run.since())} if name == "nightly" else {}
    return {**reporting.held(), **merged}
