"""Running maintenance: a step a turn of the worker, so that other tenants' work goes on between them."""

from collections.abc import Mapping
from uuid import UUID

from apps.core import clock, scope
from apps.core.scope import Reach, Scope
from apps.jobs import services as jobs
from apps.jobs.registry import JobContext, Unfinished
from apps.journal.services import record
from apps.maintenance import reporting
from apps.maintenance.steps import RUNS, Counts, Run
from memory_platform.errors import NotFound
from memory_platform.model import JournalLine

DRY_RUN = "dry_run"


def start(name: str, *, dry_run: bool) -> UUID:
    """Run the nightly, weekly or monthly maintenance of the scope's tenant now, in a job; returns it.

    A dry run counts what would change and changes nothing. Raises NotFound.
    """
    if name not in RUNS:
        raise NotFound(f"There is no maintenance {name!r}.", field="name", hint=f"There are {', '.join(RUNS)}.")
    if dry_run:
        return jobs.enqueue(f"maintenance.{name}", {DRY_RUN: "yes"})
    return jobs.start(name)


def counted(name: str) -> Counts:
    """What each step of a run would change now. Needs an open scope of the whole tenant."""
    opened = scope.current()
    run = Run(Scope(opened.tenant_id, None, Reach.TENANT), clock.now())
    return {step.name: step.count(run) for step in RUNS[name]}


def advance(name: str, job: JobContext) -> Counts:
    """Take the next step of a run; what `job.outcome` names is done. Raises Unfinished while there are more."""
    run = Run(Scope(job.tenant_id, None, Reach.TENANT), clock.now())
    if job.arguments.get(DRY_RUN):
        with scope.enter(run.within):
            return counted(name)
    left = [step for step in RUNS[name] if step.name not in job.outcome]
    if left:
        raise Unfinished({left[0].name: left[0].act(run)})
    return _closed(name, job, run)


def _closed(name: str, job: JobContext, run: Run) -> Mapping[str, int | str]:
    """One journal entry a run, with all its counts."""
    with scope.enter(run.within):
        held = reporting.health().counts if name == "monthly" else reporting.held()
        record(JournalLine(f"maintenance.{name}", "job", job.id, {**job.outcome, **held}))
    return held
