"""Which traces of recalls go: the questions of a user or session, those that were answered with what goes, and the hits
that were shown.
"""
# ruff: noqa: S608  the rules are constants, every value is a parameter

from collections import Counter
from typing import Final

from apps.core import erasing
from apps.core.erasing import OF_USER, SESSIONS, Doomed, Rule

_SHOWS: Final = erasing.either(erasing.any_of("unit_id", "units"), erasing.any_of("item_id", "items"))
_RECALLS: Final = erasing.either(
    f"{OF_USER} AND at <= %(before)s",
    f"at <= %(before)s AND EXISTS ({SESSIONS} WHERE c.agent_id = retrieval_recall.agent_id"
    " AND c.user_id IS NOT DISTINCT FROM retrieval_recall.user_id AND c.name = session_external_id)",
    erasing.says("query", "rewritten"),
)
_TOLD: Final = (
    "changed <> '[]' AND EXISTS (SELECT FROM jsonb_array_elements_text(changed) AS told"
    f" WHERE {erasing.any_of('told::uuid', 'items')})"
)
_ANSWERED: Final = (
    f"({_TOLD} OR query <> '' AND id IN"
    f" (SELECT recall_id FROM retrieval_recalled WHERE tenant_id = %(tenant)s AND ({_SHOWS})))"
    f" AND ({_RECALLS}) IS NOT TRUE"
)
RULES: Final = (
    Rule(
        "retrieval_recalled",
        f"({_SHOWS}) IS NOT TRUE AND recall_id IN"
        f" (SELECT id FROM retrieval_recall WHERE tenant_id = %(tenant)s AND (({_RECALLS}) OR {_ANSWERED}))",
    ),
    Rule("retrieval_recall", _RECALLS, tells=("query", "rewritten", "session_external_id", "at")),
    Rule("retrieval_recall", _ANSWERED),
    Rule("retrieval_recalled", _SHOWS),
)
"""What shows it goes last: it tells which questions were answered with it. Those may be another user's to ask: they go,
and no export tells them.
"""


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    return erasing.purge(RULES, doomed)
