"""For those who run a tenant: schedules, and running one now; categories, and what a change of one would archive."""

from apps.maintenance.admin import categories, schedules

__all__ = ["categories", "schedules"]
