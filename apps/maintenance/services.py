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
from apps.tenants import selectors as tenants
from memory_platform.errors import NotFound
from memory_platform.model import JournalLine


def start(name: str, *, dry_run: bool) -> UUID:
    """Run the nightly, weekly or monthly maintenance of the scope's tenant now, in a job; returns it.

    A dry run counts what would change and changes nothing. Raises NotFound.
    """
    if name not in RUNS:
        raise NotFound(f"There is no maintenance {name!r}.", field="job", hint=f"There are {', '.join(RUNS)}.")
    if dry_run:
        return jobs.enqueue(f"maintenance.count_{name}", {})
    return jobs.start(name)


def counted(name: str, job: JobContext) -> Counts:
    """What each step of a run would change now."""
    run = _run(name, job)
    with scope.enter(run.within):
        return {step.name: step.count(run) for step in RUNS[name]}


def advance(name: str, job: JobContext) -> Counts:
    """Take the next step of a run; what `job.outcome` names is done. Raises Unfinished while there are more.

    Does nothing for a tenant that is suspended, whose memories nobody can recall.
    """
    run = _run(name, job)
    with scope.enter(run.within):
        if tenants.is_suspended():
            return {"suspended": 1}
    left = [step for step in RUNS[name] if step.name not in job.outcome]
    if left:
        raise Unfinished({left[0].name: left[0].act(run)})
    return _closed(name, job, run)


def _run(name: str, job: JobContext) -> Run:
    return Run(name, Scope(job.tenant_id, None, Reach.TENANT), clock.now())


def _closed(name: str, job: JobContext, run: Run) -> Mapping[str, int | str]:
    """One journal entry a run, with all its counts."""
    with scope.enter(run.within):
        held = reporting.health().counts if name == "monthly" else reporting.held()
        record(JournalLine(run.entry, "job", job.id, {**job.outcome, **held}))
    return held
