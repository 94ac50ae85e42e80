"""In which time zone a tenant's days begin."""

from zoneinfo import ZoneInfo

from apps.core import scope
from apps.tenants import selectors as tenants


def tenant_zone() -> ZoneInfo:
    """The zone of the tenant's Policy. Needs an open scope."""
    return tenants.time_zone(scope.current().tenant_id)
