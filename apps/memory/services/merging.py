"""Taking a merge back: the merged wording stands on its own again."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from apps.core import clock, scope
from apps.memory import selectors
from apps.memory.documents import FRESHER_WORDING, MERGED
from apps.memory.models import Item, ItemLink, ItemSource
from apps.memory.results import ItemView
from apps.memory.services import audience as audiences
from apps.memory.services.changes import Changes
from apps.memory.services.deciding import REINFORCED_TIMES
from apps.memory.services.finding import readable, refuse_other_users, writable
from memory_platform.errors import Conflict
from memory_platform.model import Status

_OVER: Final = frozenset({Status.SUPERSEDED, Status.DELETED})


def unmerge(item_id: UUID) -> ItemView:
    """Somebody undoes the merge of this wording, whether it went into another item or a fresher wording took its place.
    The two are not merged with each other again.

    Needs an open scope. Raises NotFound, Forbidden where either is not the caller's to change, Conflict when the item
    is not merged, or what it was merged into has been replaced or forgotten since.
    """
    item, changes = _locked(item_id)
    link = _link(item)
    target = writable(_target(link).id)
    if target.status in _OVER:
        raise Conflict(
            "What this memory was merged into has itself been merged, replaced or forgotten since.",
            hint=f"Undo that first: explain memory {target.id}.",
        )
    _part(item, target, link, changes)
    return selectors.hydrate([item_id])[item_id]


def release(item_id: UUID) -> None:
    """Undo the merge of this wording, whatever has become of what it was merged into, since that is erased.

    Needs an open scope of the whole tenant. Raises NotFound, Conflict when the item is not merged.
    """
    item, changes = _locked(item_id)
    link = _link(item)
    _part(item, _target(link), link, changes)


def _locked(item_id: UUID) -> tuple[Item, Changes]:
    found = readable(item_id)
    refuse_other_users(found)
    changes = Changes(now=clock.now(), number=audiences.lock(audiences.of(found)))
    return writable(item_id), changes


def _link(item: Item) -> ItemLink:
    """What tells of the merge that holds now. Raises Conflict."""
    rows = ItemLink.objects.select_related("from_item", "to_item").filter(tenant_id=item.tenant_id, closed_at=None)
    if item.status == Status.SUPERSEDED and item.status_reason == MERGED:
        link = rows.filter(kind=ItemLink.Kind.MERGED_INTO, from_item_id=item.id).last()
    elif item.status == Status.SUPERSEDED and item.status_reason == FRESHER_WORDING:
        link = rows.filter(kind=ItemLink.Kind.SUPERSEDES, reason=FRESHER_WORDING, to_item_id=item.id).last()
    else:
        link = None
    if link is None:
        raise Conflict("This memory is not merged into another one.")
    return link


def _target(link: ItemLink) -> Item:
    """What was merged into. Raises Conflict."""
    target = link.to_item if link.kind == ItemLink.Kind.MERGED_INTO else link.from_item
    if target is None:
        raise Conflict("What this memory was merged into is gone.")
    return target


def _part(item: Item, target: Item, link: ItemLink, changes: Changes) -> None:
    changes.alter(item, "unmerged", "", status=Status.ACTIVE.value, status_reason="", retracted_at=None)
    changes.alter(target, "unmerged", "", merged_count=max(0, target.merged_count - 1), **_before(link, target))
    changes.write()
    _take_sources_back(item, target)
    link.closed_at = changes.now
    link.save(update_fields=["closed_at"])


def _before(link: ItemLink, target: Item) -> dict[str, Any]:
    """What the target was before the merge; where it was reinforced again since, only what the merge had added."""
    undo = link.undo
    if "confidence" not in undo:
        return {}
    restarted_at = _time(undo.get("restarted_at")) or link.created_at
    if target.reinforced_at != restarted_at:
        return {"confidence": max(0.0, target.confidence - undo["gained"])}
    times = {name: _time(undo[name]) for name in REINFORCED_TIMES if name in undo}
    return {"confidence": undo["confidence"], **times}


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _take_sources_back(item: Item, target: Item) -> None:
    """The target no longer rests on what only this wording brought."""
    tenant_id = scope.current().tenant_id
    sources = ItemSource.objects.filter(tenant_id=tenant_id)
    own = set(sources.filter(item_id=item.id).values_list("resource_id", flat=True))
    others = ItemLink.objects.filter(
        tenant_id=tenant_id, kind=ItemLink.Kind.MERGED_INTO, to_item_id=target.id, closed_at=None
    ).exclude(from_item_id=item.id)
    shared = sources.filter(item_id__in=others.values("from_item_id")).values_list("resource_id", flat=True)
    sources.filter(item_id=target.id, resource_id__in=own - set(shared), inherited=True).delete()
