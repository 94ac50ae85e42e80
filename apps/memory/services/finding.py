"""Finding the item a caller names, for changing it."""

from uuid import UUID

from apps.core import scope
from apps.memory.models import Item
from memory_platform.errors import Forbidden, NotFound


def writable(item_id: UUID) -> Item:
    """The item, its row locked. Raises NotFound; Forbidden when it may be read but belongs to another agent."""
    opened = scope.current()
    rows = Item.objects.filter(tenant_id=opened.tenant_id, id=item_id)
    item = rows.select_for_update().first()
    if item is not None:
        return item
    if rows.exists():
        raise Forbidden("This memory is shared by another agent: it can be read, not changed.")
    raise NotFound("There is no such memory.", field="id")
