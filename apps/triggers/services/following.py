"""A trigger follows the memory it stands on: what replaces the memory, forgets it or gives it back does so to it."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from apps.core import clock, scope
from apps.core.scope import Scope
from apps.jobs.services import NewJob, enqueue_many
from apps.journal.services import record
from apps.memory import selectors as memory
from apps.memory import topics
from apps.memory.results import ItemState
from apps.resources import selectors as resources
from apps.triggers.models import Ending, FutureTrigger, TriggerStatus
from apps.triggers.results import OPEN
from apps.triggers.services import alarms
from memory_platform.model import JournalLine

DETECT_JOB: Final = "triggers.detect"
_BY_ITSELF: Final = frozenset({Ending.SUPERSEDED, Ending.FORGOTTEN})
"""Endings that are taken back with what brought them about."""


def follow(item_ids: Sequence[UUID], *, within: Scope) -> int:
    """Bring the triggers that stand on the items in line with them; returns how many changed."""
    with scope.enter(within):
        tenant_id = scope.current().tenant_id
        rows = list(FutureTrigger.objects.filter(tenant_id=tenant_id, item_id__in=item_ids))
        states = memory.item_states([row.item_id for row in rows if row.item_id])
        changed = [row for row in rows if row.item_id and _follow(row, states[row.item_id])]
        for row in changed:
            row.updated_at = clock.now()
            row.save(update_fields=[*alarms.REOPENED, "item"])
        if changed:
            alarms.watch(row for row in changed if row.status in OPEN)
            record(JournalLine("trigger.followed", data={"triggers": len(changed)}))
        return len(changed)


def backfill() -> int:
    """Have everything that was said before be read; returns how many jobs. Repeating it changes nothing."""
    ids = list(map(str, resources.every_id()))
    jobs = [
        NewJob(DETECT_JOB, {"resources": ids[start : start + topics.UNITS_PER_JOB]}, topics.EPISODES_CHANGED)
        for start in range(0, len(ids), topics.UNITS_PER_JOB)
    ]
    enqueue_many(jobs)
    return len(jobs)


def _follow(row: FutureTrigger, state: ItemState) -> bool:
    """Whether the row is not what it was."""
    if state.merged_into is not None:
        row.item_id = state.merged_into
        return True
    ending = None
    if state.is_over:
        ending = Ending.FORGOTTEN if state.is_forgotten else Ending.SUPERSEDED
    if ending is None and row.ending in _BY_ITSELF:
        alarms.reopened(row)
        return True
    if ending is not None and row.status in OPEN:
        row.status, row.ending, row.replaced_by = TriggerStatus.ENDED, ending, _successor(state)
        return True
    return False


def _successor(state: ItemState) -> FutureTrigger | None:
    """The open trigger of what took the memory's place."""
    if state.superseded_by is None:
        return None
    rows = FutureTrigger.objects.filter(
        tenant_id=scope.current().tenant_id, item_id=state.superseded_by, status__in=OPEN
    )
    return rows.order_by("at").first()
