"""Jobs of triggers: read what was observed, follow what changed in memory, fall due."""

from dataclasses import asdict

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.jobs.registry import JobContext, StartingSchedule, handler, schedule, subscribe
from apps.memory import topics
from apps.tenants.topics import TIME_ZONE_CHANGED
from apps.triggers import services
from apps.triggers.services.alarms import FIRE_JOB
from apps.triggers.services.following import DETECT_JOB

CHECK_JOB = "triggers.check"

# As the tenant's day begins, for what falls due on a whole day.
schedule(StartingSchedule("triggers", "0 0 * * *", CHECK_JOB))
subscribe(topics.EPISODES_CHANGED, job=DETECT_JOB)
subscribe(topics.ITEMS_CHANGED, job="triggers.follow")
subscribe(TIME_ZONE_CHANGED, job="triggers.watch")


@handler(DETECT_JOB, merge="resources", merge_items=512)
def detect(job: JobContext) -> dict[str, int | str]:
    """Read the times ahead of the `resources`; of those that are forgotten the triggers end."""
    return asdict(services.detect(job.uuids("resources"), within=_worker(job)))


@handler("triggers.follow", merge="items", merge_items=512)
def follow(job: JobContext) -> dict[str, int | str]:
    """Read the times ahead of `items` that callers told, then bring triggers in line with the items they stand on."""
    item_ids, worker = job.uuids("items"), _worker(job)
    made = services.detect_told(item_ids, within=worker).made
    return {"made": made, "changed": services.follow(item_ids, within=worker)}


@handler(FIRE_JOB)
def fire(job: JobContext) -> dict[str, int | str]:
    """Mark the `triggers` as due whose time has come."""
    with scope.enter(_worker(job)):
        return {"due": services.fire(job.uuids("triggers"))}


@handler("triggers.watch")
def watch(job: JobContext) -> dict[str, int | str]:
    """Have whole days of the zone that was the tenant's fall due when they begin there."""
    with scope.enter(_worker(job)):
        return {"watched": services.watch_days_elsewhere()}


@handler(CHECK_JOB)
def check(job: JobContext) -> dict[str, int | str]:
    """What the tenant's schedule `triggers` runs every day."""
    with scope.enter(_worker(job)):
        return dict(services.check())


def _worker(job: JobContext) -> Scope:
    return Scope(job.tenant_id, None, Reach.TENANT)
