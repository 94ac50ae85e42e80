"""Archiving one item, as it lay where it was exported."""

from uuid import UUID

from apps.core import clock
from apps.memory.services import audience as audiences
from apps.memory.services.changes import Changes
from apps.memory.services.finding import readable, refuse_past, writable
from memory_platform.model import Status


def archive(item_id: UUID, reason: str) -> None:
    """Needs an open scope. Raises NotFound, Forbidden, Conflict when it is superseded or forgotten."""
    number = audiences.lock(audiences.of(readable(item_id)))
    item, changes = writable(item_id), Changes(now=clock.now(), number=number)
    refuse_past(item)
    changes.alter(item, "archived", reason, status=Status.ARCHIVED.value, status_reason=reason)
    changes.write()
