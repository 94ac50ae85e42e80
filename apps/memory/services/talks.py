"""What the statements of a session were filed under, in order: it helps to file what none of their words tells."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import connection

from apps.core import scope
from apps.core.sql import statement
from memory_platform.extraction.examples import CONTEXT_ITEMS

END: Final = UUID(int=(1 << 128) - 1)
"""Behind every item."""


@dataclass(frozen=True, slots=True)
class SessionTalk:
    """Items of a session, by id, and what each is filed under."""

    item_ids: list[UUID]
    categories: list[str]

    def before(self, item_id: UUID) -> list[str]:
        """What the last CONTEXT_ITEMS before an item are filed under."""
        place = bisect_left(self.item_ids, item_id)
        return self.categories[max(0, place - CONTEXT_ITEMS) : place]


def talks(spans: Mapping[UUID, tuple[UUID, UUID]]) -> dict[UUID, SessionTalk]:
    """Of each session what lies between its first and last item, and CONTEXT_ITEMS before that; one statement."""
    found = {session_id: SessionTalk([], []) for session_id in spans}
    if not spans:
        return found
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "talks"),
            {
                "tenant": scope.current().tenant_id,
                "sessions": list(spans),
                "firsts": [first for first, _ in spans.values()],
                "lasts": [last for _, last in spans.values()],
                "before": CONTEXT_ITEMS,
            },
        )
        for session_id, item_id, category in cursor.fetchall():
            found[session_id].item_ids.append(item_id)
            found[session_id].categories.append(category)
    return found
