"""Which words of agents' logs and which events go. Entries stay: they carry ids, counts and codes, and no content."""

from collections import Counter
from typing import Final

from apps.core import erasing
from apps.core.erasing import OF_USER, Doomed, Rule

_WRITTEN_BEFORE: Final = (
    "EXISTS (SELECT FROM journal_entry entry WHERE entry.tenant_id = %(tenant)s"
    " AND entry.id = journal_log_text.entry_id AND entry.at <= %(before)s)"
)
RULES: Final = (
    Rule(
        "journal_log_text",
        erasing.either(
            f"{OF_USER} AND {_WRITTEN_BEFORE}",
            # Later ones, too: nothing names a session that is gone.
            erasing.any_of("session_id", "sessions"),
            erasing.says("action", "tool", "detail", "reason"),
        ),
        tells=("action", "tool", "detail", "reason"),
        key="entry_id",
    ),
    Rule(
        "journal_event",
        erasing.either(
            f"{OF_USER} AND at <= %(before)s",
            erasing.any_of("subject_id", "units"),
            erasing.any_of("related_id", "units"),
        ),
    ),
)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    return erasing.purge(RULES, doomed)
