"""Which triggers go with the message they were read in, a memory they stand on, or the user who set them."""

from collections import Counter
from typing import Final

from apps.core import erasing, scope
from apps.core.erasing import OF_USER, Doomed, Rule
from apps.triggers.models import FutureTrigger

_SET: Final = "(item_id IS NULL AND resource_id IS NULL)"
"""What a caller set says its own words, and only names memories to show."""
TRIGGERS: Final = Rule(
    "triggers_future_trigger",
    erasing.either(
        erasing.any_of("item_id", "items"),
        erasing.any_of("resource_id", "resources"),
        f"preload && %(items)s::uuid[] AND NOT {_SET}",
        f"{OF_USER} AND created_at <= %(before)s",
        erasing.says("text"),
    ),
    tells=("text", "at", "recurrence", "status"),
)
RULES: Final = (TRIGGERS,)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    gone = erasing.purge(RULES, doomed)
    _unname(doomed)
    return gone


def _unname(doomed: Doomed) -> None:
    named = FutureTrigger.objects.filter(tenant_id=scope.current().tenant_id, preload__overlap=list(doomed.item_ids))
    rows = list(named.filter(item=None, resource_id__isnull=True))
    for row in rows:
        row.preload = [item_id for item_id in row.preload if item_id not in doomed.item_ids]
    FutureTrigger.objects.bulk_update(rows, ["preload"])
