"""What became of items: what took their place, corrected them or puts them in doubt, and who forgot them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from apps.core import clock, scope
from apps.core.sql import prepared_cursor, statement
from apps.memory.documents import FRESHER_WORDING
from apps.memory.models import ForgottenUnit, Item, ItemLink
from apps.memory.results import EpisodeState, ItemChange, ItemState, Replaced, Replacement
from memory_platform.consolidation.conflict import ConflictReason
from memory_platform.model import SessionChangeKind, Status, Unit

_CHANGES: Final = statement("memory", "item_changes").replace(
    "{replacements}", statement("memory", "item_replacements")
)


def superseded(item_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """What each of the items took the place of, the first link first; one statement."""
    return _grouped(_superseding().filter(from_item_id__in=item_ids).values_list("from_item_id", "to_item_id"))


def superseding(item_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """What took the place of each of the items, the first link first; one statement."""
    return _grouped(_superseding().filter(to_item_id__in=item_ids).values_list("to_item_id", "from_item_id"))


def condensed(item_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """What those of the items tell of that are insights; one statement."""
    links = ItemLink.objects.filter(tenant_id=scope.current().tenant_id, kind=ItemLink.Kind.CONDENSES)
    return _grouped(links.filter(from_item_id__in=item_ids).order_by("id").values_list("from_item_id", "to_item_id"))


def item_states(item_ids: Sequence[UUID]) -> dict[UUID, ItemState]:
    """What has become of items."""
    into = _standing_links().filter(kind=ItemLink.Kind.MERGED_INTO, from_item_id__in=item_ids)
    by = _superseding().filter(to_item_id__in=item_ids)
    merged = dict(into.values_list("from_item_id", "to_item_id"))
    superseded = dict(by.values_list("to_item_id", "from_item_id"))
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=item_ids).values_list("id", "status")
    return {
        item_id: ItemState(
            is_forgotten=status == Status.DELETED.value,
            is_superseded=status == Status.SUPERSEDED.value,
            superseded_by=superseded.get(item_id),
            merged_into=merged.get(item_id),
        )
        for item_id, status in rows
    }


def episode_states(resource_ids: Sequence[UUID], *, as_of: datetime | None = None) -> dict[UUID, EpisodeState]:
    """How the items drawn from episodes stand, or stood at a moment; episodes without items are left out.

    `superseded_by` are current items at the end of the chains that start at the episode's superseded ones,
    `doubted_by` those that have probably replaced one that still stands.
    """
    if not resource_ids:
        return {}
    with prepared_cursor() as cursor:
        cursor.execute(
            statement("memory", "episode_states"),
            {"tenant": scope.current().tenant_id, "ids": list(resource_ids), "as_of": as_of},
        )
        return {row[0]: EpisodeState(row[1], tuple(row[2]), tuple(row[3])) for row in cursor.fetchall()}


def compared(item_ids: Sequence[UUID]) -> frozenset[frozenset[UUID]]:
    """Between which two of these items a doubt or a contradiction lies, open or answered; one statement."""
    links = ItemLink.objects.filter(
        tenant_id=scope.current().tenant_id,
        kind__in=(ItemLink.Kind.PROBABLY_SUPERSEDED, ItemLink.Kind.CONTRADICTS),
        to_item_id__in=item_ids,
        from_item_id__in=item_ids,
    )
    return frozenset(map(frozenset, links.values_list("from_item_id", "to_item_id")))


def replacements(item_ids: Sequence[UUID]) -> list[Replacement]:
    """What is current and took, or probably took, the place of items; one statement."""
    if not item_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "item_replacements"), {"tenant": scope.current().tenant_id, "ids": list(item_ids)}
        )
        return [Replacement(*row) for row in cursor.fetchall()]


def item_changes(item_ids: Sequence[UUID]) -> list[ItemChange]:
    """What took, or probably took, the place of items that can be read, and which of them are gone or in question since
    when; one statement.
    """
    if not item_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_CHANGES, {"tenant": scope.current().tenant_id, "ids": list(item_ids), "now": clock.now()})
        return [
            ItemChange(
                item_id, SessionChangeKind(became), at, None if by is None else Replacement(item_id, by, is_sure)
            )
            for item_id, became, at, by, is_sure in cursor.fetchall()
        ]


def replaced(item_ids: Sequence[UUID]) -> dict[UUID, list[Replaced]]:
    """Whose place items took: what they superseded and what was merged into them; one statement."""
    kind = ItemLink.Kind
    links = _standing_links().filter(
        Q(kind=kind.SUPERSEDES, from_item_id__in=item_ids) | Q(kind=kind.MERGED_INTO, to_item_id__in=item_ids)
    )
    found: dict[UUID, list[Replaced]] = {item_id: [] for item_id in item_ids}
    for link in links:
        is_merge = link.kind == kind.MERGED_INTO
        by, gone = (link.to_item_id, link.from_item_id) if is_merge else (link.from_item_id, link.to_item_id)
        if by is not None and gone is not None:
            found[by].append(Replaced(gone, is_merge or link.reason == FRESHER_WORDING))
    return found


def corrected_by(item_ids: Sequence[UUID]) -> dict[UUID, str]:
    """What items took the place of because it never held, by item, unless it is forgotten; one statement."""
    links = _superseding().filter(from_item_id__in=item_ids, reason=ConflictReason.CORRECTED)
    rows = links.exclude(to_item__status=Status.DELETED.value).values_list("from_item_id", "to_item__text")
    return {item_id: text for item_id, text in rows if item_id}


def forgotten_in(item_ids: Sequence[UUID]) -> list[UUID]:
    """The acts of forgetting that took items and were not undone, the earliest first; one statement."""
    units = ForgottenUnit.objects.filter(
        tenant_id=scope.current().tenant_id, unit=Unit.ITEM.value, unit_id__in=item_ids, batch__restored_at=None
    )
    return list(units.order_by("batch_id").values_list("batch_id", flat=True).distinct())


def _superseding() -> QuerySet[ItemLink]:
    return _standing_links().filter(kind=ItemLink.Kind.SUPERSEDES)


def _standing_links() -> QuerySet[ItemLink]:
    return ItemLink.objects.filter(tenant_id=scope.current().tenant_id, closed_at__isnull=True).order_by("id")


def _grouped(pairs: Iterable[tuple[UUID, UUID]]) -> dict[UUID, list[UUID]]:
    found: dict[UUID, list[UUID]] = {}
    for near, far in pairs:
        found.setdefault(near, []).append(far)
    return found
