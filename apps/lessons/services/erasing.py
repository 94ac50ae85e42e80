"""Which lessons go with what they stand on."""
# ruff: noqa: S608  the rules are constants, every value is a parameter

from collections import Counter
from typing import Final

from apps.core import erasing
from apps.core.erasing import Doomed, Rule

_LESSONS: Final = erasing.either(
    erasing.any_of("item_id", "items"), "resources && %(resources)s::uuid[]", erasing.says("text")
)
LESSONS: Final = Rule("lessons_lesson", _LESSONS, tells=("pattern", "text", "status", "created_at"))
RULES: Final = (
    Rule(
        "lessons_version",
        f"lesson_id IN (SELECT id FROM lessons_lesson WHERE tenant_id = %(tenant)s AND ({_LESSONS}))",
    ),
    LESSONS,
)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    return erasing.purge(RULES, doomed)
