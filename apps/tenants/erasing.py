"""Keys that are bound to a user go with the user: they name whom they reach."""

from collections import Counter
from typing import Final

from apps.core import erasing
from apps.core.erasing import OF_USER, Doomed, Rule
from apps.journal.services import record
from memory_platform.model import JournalLine

RULES: Final = (
    Rule("tenants_api_key", f"{OF_USER} AND created_at <= %(before)s", tells=("name", "scopes", "created_at")),
)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    keys = set(erasing.find(*RULES, doomed))
    gone = erasing.purge(RULES, doomed)
    record(*(JournalLine("key.erased", "key", key_id) for key_id in sorted(keys - set(erasing.find(*RULES, doomed)))))
    return gone
