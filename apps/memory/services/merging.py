"""Taking a merge back: the merged wording stands on its own again."""

from datetime import datetime
from typing import Any
from uuid import UUID

from apps.core import clock, scope
from apps.memory import selectors
from apps.memory.documents import MERGED
from apps.memory.models import Item, ItemLink, ItemSource
from apps.memory.results import ItemView
from apps.memory.services import audience as audiences
from apps.memory.services.changes import Changes
from apps.memory.services.deciding import REINFORCED_TIMES
from apps.memory.services.finding import writable
from memory_platform.consolidation.dedup import Reinforcement
from memory_platform.errors import Conflict
from memory_platform.model import Status

REWORDED = Reinforcement.FRESHER_WORDING.value


def unmerge(item_id: UUID) -> ItemView:
    """Undo the merge of this wording, whether it went into another item or a fresher wording took its place.

    Needs an open scope. Raises NotFound, Forbidden, Conflict when the item is not merged.
    """
    item = writable(item_id)
    changes = Changes(now=clock.now(), number=audiences.lock(audiences.of(item)))
    item.refresh_from_db()
    if item.status_reason not in {MERGED, REWORDED}:
        raise Conflict("This memory is not merged into another one.")
    link = _link(item)
    target = link.to_item if link.kind == ItemLink.Kind.MERGED_INTO else link.from_item
    if target is None:
        raise Conflict("What this memory was merged into is gone.")
    changes.alter(item, "unmerged", "", status=Status.ACTIVE.value, status_reason="", retracted_at=None)
    changes.alter(target, "unmerged", "", merged_count=max(0, target.merged_count - 1), **_before(link, target))
    changes.write()
    _take_sources_back(item, target)
    link.closed_at = changes.now
    link.save(update_fields=["closed_at"])
    return selectors.hydrate([item_id])[item_id]


def _link(item: Item) -> ItemLink:
    rows = ItemLink.objects.select_related("from_item", "to_item").filter(tenant_id=item.tenant_id, closed_at=None)
    if item.status_reason == MERGED:
        return rows.get(kind=ItemLink.Kind.MERGED_INTO, from_item_id=item.id)
    return rows.get(kind=ItemLink.Kind.SUPERSEDES, reason=REWORDED, to_item_id=item.id)


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
