"""Jobs of summaries: follow what changed in memory, write."""

from dataclasses import asdict
from typing import Final

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.jobs.registry import JobContext, handler, subscribe
from apps.memory import topics
from apps.summaries import services
from apps.summaries.services.following import REWRITE_JOB, WRITE_JOB

LONGEST_SECONDS: Final = 1_800.0
"""A model may take a minute for each summary of a job."""
# Attempts a model gets before rules write.
MODEL_ATTEMPTS: Final = 4

subscribe(topics.ITEMS_CHANGED, job="summaries.follow")
subscribe(topics.ITEMS_AGED, job="summaries.follow")


@handler("summaries.follow", merge="items", merge_items=512)
def follow(job: JobContext) -> dict[str, int | str]:
    """Have the summaries written that the `items` belong in."""
    with scope.enter(_worker(job)):
        return {"summaries": services.follow(job.uuids("items"))}


@handler(WRITE_JOB, timeout_seconds=LONGEST_SECONDS)
def write(job: JobContext) -> dict[str, int | str]:
    """Write the `summaries` whose items have changed."""
    return _written(job, from_scratch=False)


@handler(REWRITE_JOB, timeout_seconds=LONGEST_SECONDS)
def rewrite(job: JobContext) -> dict[str, int | str]:
    """Write the `summaries` from scratch, unless they stand so."""
    return _written(job, from_scratch=True)


def _written(job: JobContext, *, from_scratch: bool) -> dict[str, int | str]:
    fall_back = job.attempt >= MODEL_ATTEMPTS
    ids = job.uuids("summaries")
    return asdict(services.write(ids, within=_worker(job), from_scratch=from_scratch, fall_back=fall_back))


def _worker(job: JobContext) -> Scope:
    return Scope(job.tenant_id, None, Reach.TENANT)
