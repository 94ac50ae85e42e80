"""The cold archive: what lay archived or forgotten for long gives up its place in the index and the words in its row.

Nothing is lost by it: the words lie compressed in a ColdItem of the same audience, whoever reads the item by its id or
in a list finds them, and whatever changes the item puts them back (`Changes.alter`).
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from apps.core import scope
from apps.core.ids import earliest_id, new_id
from apps.core.sql import statement
from apps.index import services as index
from apps.journal.services import record
from apps.memory.cold import ItemWords, packed
from apps.memory.documents import MERGED
from apps.memory.models import ColdItem, Item, ItemSource, ItemVersion
from apps.memory.services import audience as audiences
from apps.memory.services.ageing import Aged, Ages
from memory_platform.model import JournalLine, Status, Unit

PACKED_AT_ONCE: Final = 200


def count_packable(ages: Ages) -> int:
    """How many items would be packed away. Needs an open scope of the whole tenant."""
    return _due(ages).count()


def pack(ages: Ages, *, after: UUID | None = None) -> Aged:
    """Pack away the next PACKED_AT_ONCE items behind `after`, in the open transaction of the whole tenant's scope."""
    due = _due(ages) if after is None else _due(ages).filter(id__gt=after)
    found = list(due.order_by("id").values_list("id", flat=True)[:PACKED_AT_ONCE])
    audiences.lock_owners(found)
    items = list(_due(ages).filter(id__in=found).order_by("id"))
    if items:
        _pack(items, ages)
    return Aged(len(items), found[-1] if len(found) == PACKED_AT_ONCE else None)


def _due(ages: Ages) -> QuerySet[Item]:
    """Archived or forgotten, and neither changed, recalled nor confirmed since. What was merged is its item's."""
    tenant_id, since = scope.current().tenant_id, ages.ago(ages.policy.cold_after_days)
    changed = ItemVersion.objects.filter(tenant_id=tenant_id, item_id=OuterRef("id"), at__gte=since)
    rows = Item.objects.filter(
        ~Exists(changed),
        Q(use=None) | Q(use__last_accessed_at=None) | Q(use__last_accessed_at__lt=since),
        Q(last_confirmed_at=None) | Q(last_confirmed_at__lt=since),
        tenant_id=tenant_id,
        id__lt=earliest_id(since),
        status__in=(Status.ARCHIVED.value, Status.DELETED.value),
        cold_at=None,
    )
    return rows.exclude(status_reason=MERGED)


def _pack(items: Sequence[Item], ages: Ages) -> None:
    ids, tenant_id = [item.id for item in items], scope.current().tenant_id
    quotes: dict[UUID, dict[UUID, str]] = defaultdict(dict)
    sources = ItemSource.objects.filter(tenant_id=tenant_id, item_id__in=ids).exclude(quote="")
    for item_id, resource_id, quote in sources.values_list("item_id", "resource_id", "quote"):
        quotes[item_id][resource_id] = quote
    ColdItem.objects.bulk_create(_cold(item, quotes[item.id], ages) for item in items)
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "pack_items"),
            {"tenant": tenant_id, "ids": ids, "version_ids": [new_id() for _ in ids], "at": ages.now},
        )
    index.drop(Unit.ITEM, ids)
    record(JournalLine("memory.packed", data={"items": len(ids)}))


def _cold(item: Item, quotes: dict[UUID, str], ages: Ages) -> ColdItem:
    return ColdItem(
        tenant_id=item.tenant_id,
        agent_id=item.agent_id,
        user_id=item.user_id,
        visibility=item.visibility,
        item_id=item.id,
        packed=packed(ItemWords(item.text, item.lead_in, quotes)),
        packed_at=ages.now,
    )
