"""What a tenant's policy tells the apps above it, in the change's transaction."""

from apps.jobs.services import publish

TIME_ZONE_CHANGED = "tenants.time_zone_changed"


def time_zone_changed() -> None:
    """The tenant's days begin at another time: one job per subscriber."""
    publish(TIME_ZONE_CHANGED, {})
