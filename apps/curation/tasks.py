"""Jobs of curation: reflect every night, sort what waits every half hour, follow what is forgotten."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.curation import projecting, services
from apps.curation.results import Sorted
from apps.curation.services import reflecting, triaging
from apps.curation.services.lines import PROJECT_JOB
from apps.curation.services.reflecting import REFLECT_JOB
from apps.curation.services.triaging import TRIAGE_JOB
from apps.jobs.registry import JobContext, StartingSchedule, Unfinished, handler, schedule, subscribe
from apps.memory import topics

LONGEST_SECONDS: Final = 1_800.0
# Attempts a model gets before rules and heads answer.
MODEL_ATTEMPTS: Final = 4

schedule(
    StartingSchedule("reflection", "30 2 * * *", REFLECT_JOB),
    StartingSchedule("triage", "*/30 * * * *", TRIAGE_JOB),
)
subscribe(topics.ITEMS_CHANGED, job="curation.follow")


@handler(REFLECT_JOB, timeout_seconds=LONGEST_SECONDS)
def reflect(job: JobContext) -> Mapping[str, int | str]:
    """Propose what changed memories would change in the curated memory, a part at a time."""
    done = services.reflect(within=_worker(job), fall_back=job.attempt >= MODEL_ATTEMPTS)
    with scope.enter(_worker(job)):
        is_behind = reflecting.is_behind()
    return _counted(done, is_behind=is_behind)


@handler(TRIAGE_JOB, timeout_seconds=LONGEST_SECONDS)
def sort(job: JobContext) -> Mapping[str, int | str]:
    """Look at proposals that wait, a batch at a time."""
    done = services.sort(within=_worker(job), fall_back=job.attempt >= MODEL_ATTEMPTS)
    with scope.enter(_worker(job)):
        is_behind = bool(triaging.waiting())
    return _counted(done, is_behind=is_behind)


@handler("curation.follow", merge="items", merge_items=512)
def follow(job: JobContext) -> Mapping[str, int | str]:
    """Take away what rests on forgotten `items` alone."""
    with scope.enter(_worker(job)):
        return {"removed": services.follow(job.uuids("items"))}


@handler(PROJECT_JOB)
def project(job: JobContext) -> Mapping[str, int | str]:
    """Bring MEMORY.md's repository up to date."""
    return {"commits": projecting.project(within=_worker(job))}


def _counted(done: Sorted, *, is_behind: bool) -> Mapping[str, int | str]:
    """Raises Unfinished while there is more."""
    counts = {name: value for name, value in asdict(done).items() if value != ""}
    if is_behind:
        raise Unfinished(counts)
    return counts


def _worker(job: JobContext) -> Scope:
    return Scope(job.tenant_id, None, Reach.TENANT)
