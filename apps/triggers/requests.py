"""What is asked of triggers."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.triggers.models import TriggerStatus
from memory_platform.model import Visibility

MOST_PRELOADED = 20
LONGEST_AWAY_YEARS = 50
LONGEST_SNOOZE_DAYS = 3_660


@dataclass(frozen=True, slots=True)
class TriggerFilter:
    """`from_` inclusive, `until` exclusive: when it falls due next. `statuses` None: those that are still open."""

    statuses: tuple[TriggerStatus, ...] | None = None
    from_: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewTrigger:
    """A time a caller sets: `at` is aware, or local to `time_zone`; without `has_time` only its day counts."""

    text: str
    at: datetime
    has_time: bool = True
    time_zone: str | None = None
    recurrence: str = ""
    memory_ids: tuple[UUID, ...] = ()
    user_id: str | None = None
    visibility: Visibility = Visibility.PRIVATE
