"""Jobs of lessons: follow what memory learnt, notice what is asked for again."""

from dataclasses import asdict

from apps.core.scope import Reach, Scope
from apps.jobs.registry import JobContext, handler, subscribe
from apps.lessons import services
from apps.lessons.services.learning import LEARN_JOB
from apps.lessons.services.noticing import NOTICE_JOB
from apps.memory import topics

subscribe(topics.ITEMS_CHANGED, job=LEARN_JOB)
subscribe(topics.EPISODES_CHANGED, job=NOTICE_JOB)


@handler(LEARN_JOB, merge="items", merge_items=512)
def learn(job: JobContext) -> dict[str, int | str]:
    """Bring lessons in line with the `items`."""
    return asdict(services.learn(job.uuids("items"), within=_worker(job)))


@handler(NOTICE_JOB, merge="resources", merge_items=512)
def notice(job: JobContext) -> dict[str, int | str]:
    """Notice what the messages (`resources`) ask for again."""
    return asdict(services.notice(job.uuids("resources"), within=_worker(job)))


def _worker(job: JobContext) -> Scope:
    return Scope(job.tenant_id, None, Reach.TENANT)
