"""Writing triggers. Reading what was said opens its own scope; all else needs an open one."""

from apps.triggers.services.alarms import check, fire, watch_days_elsewhere
from apps.triggers.services.changing import complete, create, dismiss, forget_of_user, restore, set_again, snooze
from apps.triggers.services.detecting import detect, detect_told
from apps.triggers.services.following import backfill, follow

__all__ = [
    "backfill",
    "check",
    "complete",
    "create",
    "detect",
    "detect_told",
    "dismiss",
    "fire",
    "follow",
    "forget_of_user",
    "restore",
    "set_again",
    "snooze",
    "watch_days_elsewhere",
]
