"""Finding the item a caller names, for changing it."""

from uuid import UUID

from apps.core import scope
from apps.memory.models import Item
from memory_platform.errors import Forbidden, NotFound


def writable(item_id: UUID) -> Item:
    """The item, its row locked. Raises NotFound; Forbidden when it may be read but not changed."""
    opened = scope.current()
    rows = Item.objects.filter(tenant_id=opened.tenant_id, id=item_id)
    item = rows.select_for_update().first()
    if item is not None:
        return item
    if rows.exists():
        raise _not_yours()
    raise NotFound("There is no such memory.", field="id")


def refuse_other_users(item: Item) -> None:
    """Raises Forbidden where one user speaks and the item is no user's: not even its audience can be locked then."""
    whose = scope.current().whose
    if not whose.everyone and item.user_id != whose.user_id:
        raise _not_yours()


def _not_yours() -> Forbidden:
    return Forbidden("This memory is another agent's or no user's: it can be read here, not changed.")
