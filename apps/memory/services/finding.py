"""Finding the item a caller names, for changing it."""

from collections.abc import Sequence
from uuid import UUID

from apps.core import scope
from apps.memory import cold
from apps.memory.models import Item
from apps.memory.requests import SeenItem
from memory_platform.errors import Conflict, Forbidden, NotFound
from memory_platform.model import Status, Visibility


def readable(item_id: UUID) -> Item:
    """Raises NotFound."""
    item = Item.objects.filter(tenant_id=scope.current().tenant_id, id=item_id).first()
    if item is None:
        raise _unknown()
    cold.fill([item])
    return item


def audible(item_id: UUID) -> Item:
    """A readable item that is not another agent's own, however far the scope reaches. Raises NotFound."""
    item, agent_id = readable(item_id), scope.current().agent_id
    if agent_id not in {None, item.agent_id} and item.visibility == Visibility.PRIVATE:
        raise _unknown()
    return item


def writable(item_id: UUID) -> Item:
    """The item, its row locked. Raises NotFound; Forbidden when it may be read but not changed."""
    opened = scope.current()
    rows = Item.objects.filter(tenant_id=opened.tenant_id, id=item_id)
    item = rows.select_for_update().first()
    if item is not None:
        cold.fill([item])
        return item
    readable(item_id)
    raise _not_yours()


def refuse_other_users(item: Item) -> None:
    """Raises Forbidden where one user speaks and the item is no user's: not even its audience can be locked then."""
    whose = scope.current().whose
    if not whose.everyone and item.user_id != whose.user_id:
        raise _not_yours()


def refuse_past(item: Item) -> None:
    """Raises Conflict when the item is superseded or forgotten."""
    if item.status in {Status.DELETED, Status.SUPERSEDED}:
        raise Conflict("The memory has been superseded or forgotten.", hint="Read it again and change the current one.")


def refuse_changed(seen: Sequence[SeenItem]) -> None:
    """Raises Conflict when one of the items is not as it was seen. Nobody else may change their audience meanwhile."""
    if not seen:
        return
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=[one.id for one in seen])
    versions = dict(rows.values_list("id", "change_number"))
    if any(versions.get(one.id) != one.version for one in seen):
        raise Conflict(
            "Somebody changed this memory meanwhile.",
            field="seen",
            hint="Look at it again and decide on what it is now.",
        )


def _not_yours() -> Forbidden:
    return Forbidden("This memory is another agent's or no user's: it can be read here, not changed.")


def _unknown() -> NotFound:
    return NotFound("There is no such memory.", field="id")
