"""Which messages, turns and sessions go. A session goes when nothing that was said in it is left."""

from collections import Counter
from typing import Final

from apps.core import erasing
from apps.core.erasing import Doomed, Rule
from apps.resources.models import Resource

_EMPTY: Final = " AND ".join(
    f"NOT EXISTS (SELECT FROM {table} own WHERE own.tenant_id = %(tenant)s AND own.session_id = resources_session.id)"
    for table in ("resources_resource", "resources_checkpoint")
)
RULES: Final = (
    # A turn's report holds the words of both its messages.
    Rule(
        "resources_checkpoint",
        erasing.either(
            f"{erasing.any_of('session_id', 'sessions')} AND created_at <= %(before)s",
            "EXISTS (SELECT FROM resources_resource said WHERE said.tenant_id = %(tenant)s"
            " AND said.id = ANY(%(resources)s::uuid[]) AND said.session_id = resources_checkpoint.session_id"
            " AND said.turn_number = resources_checkpoint.turn_number)",
            erasing.says("user_input", "llm_output", "tool_calls", "internal_state"),
        ),
        tells=("turn_number", "tool_calls", "internal_state", "occurred_at"),
    ),
    Rule("resources_resource", erasing.any_of("id", "resources")),
    Rule("resources_session", f"{erasing.any_of('id', 'sessions')} AND {_EMPTY}"),
)

SAYING: Final = erasing.saying("resources_resource", Resource.ERASABLE)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    return erasing.purge(RULES, doomed)
