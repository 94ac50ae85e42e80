"""The jobs that sum up usage and tell of budgets that are reached."""

from collections.abc import Mapping

from apps.budgets import rolling, telling
from apps.core.scope import tenant_scope
from apps.jobs.registry import JobContext, handler


@handler(rolling.ROLL_UP)
def roll_up(job: JobContext) -> Mapping[str, int | str]:
    """A transaction a day."""
    days = 0
    while _roll_next_day(job):
        days += 1
    return {"days": days}


def _roll_next_day(job: JobContext) -> bool:
    with tenant_scope(job.tenant_id):
        return rolling.roll_next_day() is not None


@handler(telling.TELL)
def tell(job: JobContext) -> Mapping[str, int | str]:
    with tenant_scope(job.tenant_id):
        return {"reached": telling.tell_reached()}
