"""Writing lessons. `learn` and `notice` open scopes of their own; `dismiss` needs an open one."""

from apps.lessons.services.changing import dismiss, keep_again
from apps.lessons.services.learning import backfill, learn
from apps.lessons.services.noticing import notice

__all__ = ["backfill", "dismiss", "keep_again", "learn", "notice"]
