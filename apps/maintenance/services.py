"""Running maintenance: a step a turn of the worker, so that other tenants' work goes on between them; a step that takes
long, because it asks a model, takes several.
"""

import time
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from apps.core import clock, scope
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
    if dry_run:
        return jobs.enqueue(f"maintenance.count_{name}", {})
    return jobs.start(name)


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

    Does nothing for a tenant that is suspended, whose memories nobody can recall.
    """
    run = _run(name, job)
    with scope.enter(run.within):
        if tenants.is_suspended():
            return {"suspended": 1}
    left = [step for step in RUNS[name] if step.name not in job.outcome]
    if not left:
        return _closed(name, job, run)
    done, is_through = _turn(left[0], run)
    begun = left[0].name + SO_FAR
    raise Unfinished({left[0].name: done + int(job.outcome.get(begun, 0))} if is_through else {begun: done})


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
    return Run(name, Scope(job.tenant_id, None, Reach.TENANT), clock.now())


def _closed(name: str, job: JobContext, run: Run) -> Mapping[str, int | str]:
    """One journal entry a run, with all its counts."""
    with scope.enter(run.within):
        held = reporting.health().counts if name == "monthly" else reporting.held()
        counts = {step.name: job.outcome[step.name] for step in RUNS[name]}
        record(JournalLine(run.entry, "job", job.id, {**counts, **held}))
    return held
