"""What memory tells the apps above it: ids whose present state is worth reading again, in the change's transaction."""

from collections.abc import Iterable
from uuid import UUID

from apps.jobs.services import publish

ITEMS_CHANGED = "memory.items_changed"
ITEMS_AGED = "memory.items_aged"
EPISODES_CHANGED = "memory.episodes_changed"
UNITS_PER_JOB = 256


def items_changed(item_ids: Iterable[UUID]) -> None:
    """Items were stored or altered: one job per subscriber and 256 `items`."""
    _tell(ITEMS_CHANGED, "items", item_ids)


def items_aged(item_ids: Iterable[UUID]) -> None:
    """Items became active, stale or archived with time, which is all the same to most."""
    _tell(ITEMS_AGED, "items", item_ids)


def episodes_changed(resource_ids: Iterable[UUID]) -> None:
    """Episodes were observed, forgotten or restored: one job per subscriber and 256 `resources`."""
    _tell(EPISODES_CHANGED, "resources", resource_ids)


def _tell(topic: str, argument: str, ids: Iterable[UUID]) -> None:
    changed = [str(one) for one in ids]
    for start in range(0, len(changed), UNITS_PER_JOB):
        publish(topic, {argument: changed[start : start + UNITS_PER_JOB]}, serial_key=topic)
