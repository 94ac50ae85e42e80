"""Items by names that hold wherever they are imported, and what somebody says of them."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import Case, QuerySet, Value, When

from apps.core import scope
from apps.memory.documents import MERGED
from apps.memory.models import Item, ItemFeedback, ItemLink, ItemSource
from apps.memory.results import ItemName, NamedItem
from apps.memory.selectors.history import item_states, superseding
from memory_platform.model import Audience, Status

_STANDS = (Status.ACTIVE.value, Status.STALE.value, Status.ARCHIVED.value)
_THERE = (*_STANDS, Status.SUPERSEDED.value)


def names(item_ids: Iterable[UUID], *, with_former: bool = False) -> dict[UUID, ItemName]:
    """The names of those of the items that still stand; `with_former`: also of those whose place others took."""
    statuses = _THERE if with_former else _STANDS
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=list(item_ids), status__in=statuses)
    heard: dict[UUID, list[UUID]] = {}
    for item_id, resource_id in _heard([row.id for row in rows]).values_list("item_id", "resource_id"):
        heard.setdefault(item_id, []).append(resource_id)
    return {row.id: _name(row, heard.get(row.id, ())) for row in rows}


def successors(item_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """What took the place of items last, or what that was merged into."""
    last = {item_id: by[-1] for item_id, by in superseding(item_ids).items()}
    states = item_states(list(last.values()))
    return {item_id: states[by].merged_into or by for item_id, by in last.items() if by in states}


def named(name: ItemName, *, audience: Audience) -> NamedItem | None:
    """The item of an audience; of a merged wording what it was merged into. None: it is not here.

    Of several that say the same the one that still stands.
    """
    rows = Item.objects.filter(
        tenant_id=scope.current().tenant_id,
        agent_id=audience.agent_id,
        user_id=audience.user_id,
        visibility=audience.visibility,
    )
    said = {"claim_hash": name.claim_hash} if name.external_id is None else {"external_id": name.external_id}
    found = rows.filter(**said).order_by(Case(When(status__in=_STANDS, then=Value(0)), default=Value(1)), "id").first()
    if found is not None and found.status_reason == MERGED:
        found = _merged_into(found)
    return None if found is None else NamedItem(found.id, Status(found.status))


def open_feedback(feedback_ids: Iterable[UUID]) -> dict[UUID, ItemFeedback]:
    """Those of them that were not taken back."""
    rows = ItemFeedback.objects.filter(tenant_id=scope.current().tenant_id, closed_at=None)
    return rows.in_bulk(list(feedback_ids))


def feedback_among(ids: Iterable[UUID]) -> dict[UUID, bool]:
    """Those of the ids that are of feedback, and whether the item is forgotten."""
    rows = ItemFeedback.objects.filter(tenant_id=scope.current().tenant_id, id__in=list(ids))
    return {row_id: status == Status.DELETED for row_id, status in rows.values_list("id", "item__status")}


def _heard(item_ids: Sequence[UUID]) -> QuerySet[ItemSource]:
    """What items were learnt from; what a merge brought says them, too."""
    rows = ItemSource.objects.filter(tenant_id=scope.current().tenant_id, item_id__in=item_ids, inherited=False)
    return rows.order_by("id")


def _name(row: Item, heard: Sequence[UUID]) -> ItemName:
    external_id = None if heard else row.external_id or str(row.id)
    return ItemName(external_id, row.claim_hash, tuple(heard))


def _merged_into(item: Item) -> Item:
    links = ItemLink.objects.filter(tenant_id=item.tenant_id, from_item_id=item.id, closed_at=None)
    return links.select_related("to_item").get(kind=ItemLink.Kind.MERGED_INTO).to_item
