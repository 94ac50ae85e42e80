"""In which time zone a tenant's days begin."""

from typing import Final
from zoneinfo import ZoneInfo

TENANT_ZONE: Final = ZoneInfo("UTC")
"""Of every tenant, until tenants have one of their own."""
