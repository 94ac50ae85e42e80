"""When a schedule runs next: its cron expression in the tenant's time zone, and the tenant's own minutes after it."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from memory_platform.errors import Invalid

SPREAD: Final = timedelta(hours=1)
"""Over which the tenants' runs of one time are spread."""
FIELDS: Final = 5
"""Of a cron expression; a sixth would name seconds."""


def next_run(cron: str, time_zone: str, tenant_id: UUID, *, after: datetime) -> datetime:
    """The first run behind `after`, in UTC. Raises Invalid for no cron expression, no zone, or one without a run.

    Where summer time skips the hour it runs at its end; where an hour comes twice it runs in the first one.
    """
    if len(cron.split()) != FIELDS:
        raise Invalid(f"{cron!r} is no cron expression: it has {FIELDS} fields.", field="cron")
    offset = spread(tenant_id)
    begin = after - offset
    try:
        # From within an hour that comes twice, it answers with the first of the two.
        times = (each.astimezone(UTC) for each in islice(CronSim(cron, begin.astimezone(zone(time_zone))), 2))
        due = next((each for each in times if each > begin), None)
    except CronSimError as error:
        raise Invalid(f"{cron!r} is no cron expression: {error}.", field="cron") from None
    if due is None:
        raise Invalid(f"{cron!r} names no time that comes.", field="cron")
    return due + offset


def zone(name: str) -> ZoneInfo:
    """Raises Invalid."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise Invalid(
            f"There is no time zone {name!r}.", field="timeZone", hint="An example is Europe/Berlin."
        ) from None


def spread(tenant_id: UUID) -> timedelta:
    """How long after the time of its cron expressions a tenant's runs come: seconds within SPREAD, always the same."""
    number = int.from_bytes(sha256(tenant_id.bytes).digest()[:8])
    return timedelta(seconds=number % int(SPREAD.total_seconds()))
