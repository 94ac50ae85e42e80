"""Which triggers go with the message they were read in, the memory they stand on, or the user who set them."""

from collections import Counter
from typing import Final

from apps.core import erasing
from apps.core.erasing import OF_USER, Doomed, Rule

RULES: Final = (
    Rule(
        "triggers_future_trigger",
        erasing.either(
            erasing.any_of("item_id", "items"),
            erasing.any_of("resource_id", "resources"),
            f"{OF_USER} AND created_at <= %(before)s",
            erasing.says("text"),
        ),
        tells=("text", "at", "recurrence", "status"),
    ),
)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    return erasing.purge(RULES, doomed)
