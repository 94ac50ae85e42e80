"""Erasing memories for good: nothing of them can be recalled, what is kept stands by itself, and then they go."""
# ruff: noqa: S608  the rules are constants, every value is a parameter

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.core import clock, erasing, scope
from apps.core.erasing import OF_USER, Doomed, Rule
from apps.memory.documents import FRESHER_WORDING, MERGED
from apps.memory.models import Item, ItemLink, ItemVersion
from apps.memory.requests import ForgetRequest
from apps.memory.services import audience as audiences
from apps.memory.services.changes import Changes
from apps.memory.services.forgetting import forget
from apps.memory.services.merging import release
from apps.resources import selectors as resources
from memory_platform.model import Status

ERASED: Final = "erased"

_ITEM: Final = erasing.any_of("item_id", "items")
_RESOURCE: Final = erasing.any_of("resource_id", "resources")
# Facts that a caller remembered and that were turned down rest on no message.
_REJECTIONS: Final = erasing.either(
    _RESOURCE, f"resource_id IS NULL AND {OF_USER} AND created_at <= %(before)s", erasing.says("text", "detail")
)
FEEDBACK: Final = Rule(
    "memory_item_feedback", erasing.either(_ITEM, erasing.says("note")), tells=("item_id", "kind", "note", "at")
)
RULES: Final = (
    Rule("memory_item_use", _ITEM),
    FEEDBACK,
    Rule("memory_item_version", erasing.either(_ITEM, erasing.says("reason", "before", "after"))),
    Rule("memory_item_source", erasing.either(_ITEM, _RESOURCE)),
    Rule(
        "memory_item_link",
        erasing.either(
            erasing.any_of("from_item_id", "items"),
            erasing.any_of("to_item_id", "items"),
            erasing.any_of("from_resource_id", "resources"),
            f"from_rejection_id IN (SELECT id FROM memory_rejection WHERE tenant_id = %(tenant)s AND ({_REJECTIONS}))",
            erasing.says("detail", "undo"),
        ),
    ),
    Rule("memory_rejection", _REJECTIONS, tells=("text", "reason", "detail", "created_at")),
    Rule("memory_extraction", erasing.either(_RESOURCE, erasing.says("observation"))),
    Rule("memory_forgotten_unit", erasing.any_of("unit_id", "units")),
    Rule("memory_cold_item", _ITEM),
    Rule("memory_item", erasing.any_of("id", "items")),
    Rule(
        "memory_audience_clock",
        f"{OF_USER} AND NOT EXISTS (SELECT FROM memory_item item WHERE item.tenant_id = %(tenant)s"
        " AND item.user_id = memory_audience_clock.user_id)",
    ),
)
SAYING: Final = erasing.saying("memory_item", Item.ERASABLE)
LAST: Final = (
    Rule("memory_suppression", _RESOURCE),
    Rule(
        "memory_forget_batch",
        erasing.either(
            f"{OF_USER} AND created_at <= %(before)s",
            erasing.says("reason"),
            # What a batch took is gone, and there is nothing left to give back.
            "NOT EXISTS (SELECT FROM memory_forgotten_unit unit WHERE unit.tenant_id = %(tenant)s"
            " AND unit.batch_id = memory_forget_batch.id)",
        ),
        tells=("reason", "created_at"),
    ),
)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing.

    That their messages may not be learnt from again stays until `purge_last`, or a run that has read them
    already would store what they say.
    """
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=doomed.item_ids)
    audiences.lock_all({audiences.of(item) for item in rows.only("agent_id", "user_id", "visibility")})
    return erasing.purge(RULES, doomed)


def purge_last(doomed: Doomed) -> Counter[str]:
    """Once their messages are gone: what kept those from being learnt from, and the batches that forgot them.

    Needs an open scope of the whole tenant; to be repeated until it deletes nothing.
    """
    return erasing.purge(LAST, doomed)


def close(doomed: Doomed, *, erased: Collection[UUID]) -> None:
    """Let nobody recall the items and messages any more; what is not among all that is `erased` stands without them.

    Needs an open scope of the whole tenant. Repeating it changes nothing.
    """
    for item_id in _merged_elsewhere(doomed, erased):
        release(item_id)
    _revive(_replaced(doomed, erased))
    present = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=doomed.item_ids)
    live = present.exclude(status=Status.DELETED).values_list("id", flat=True)
    # Another erasure, or this one before it was begun anew, may have taken messages away.
    left = resources.readable().filter(id__in=doomed.resource_ids)
    episodes = left.order_by("id").values_list("id", flat=True)
    request = ForgetRequest(item_ids=tuple(live), episode_ids=tuple(episodes), reason=ERASED)
    if request.item_ids or request.episode_ids:
        forget(request)


def _merged_elsewhere(doomed: Doomed, erased: Collection[UUID]) -> list[UUID]:
    """Wordings that are kept, of items that go: two messages said the same, and one of them stays."""
    links = ItemLink.objects.filter(tenant_id=scope.current().tenant_id, closed_at=None)
    merged = links.filter(
        kind=ItemLink.Kind.MERGED_INTO, to_item_id__in=doomed.item_ids, from_item__status_reason=MERGED
    )
    reworded = links.filter(
        kind=ItemLink.Kind.SUPERSEDES,
        reason=FRESHER_WORDING,
        from_item_id__in=doomed.item_ids,
        to_item__status_reason=FRESHER_WORDING,
    )
    found = [*merged.values_list("from_item_id", flat=True), *reworded.values_list("to_item_id", flat=True)]
    return sorted(one for one in set(found) - set(erased) if one is not None)


def _replaced(doomed: Doomed, erased: Collection[UUID]) -> list[UUID]:
    """Items that are kept and were replaced by nothing but items that go."""
    links = ItemLink.objects.filter(
        tenant_id=scope.current().tenant_id, kind=ItemLink.Kind.SUPERSEDES, to_item__status=Status.SUPERSEDED
    )
    found = set(links.filter(from_item_id__in=doomed.item_ids).values_list("to_item_id", flat=True)) - set(erased)
    others = links.filter(to_item_id__in=found).values_list("to_item_id", "from_item_id")
    held = {item_id for item_id, by in others if by not in erased}
    return sorted(found - held)


def _revive(item_ids: Collection[UUID]) -> None:
    """They are true again, for as long as they were before: what said otherwise was never said."""
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=item_ids)
    items = list(rows.order_by("id"))
    for audience, number in audiences.lock_all(map(audiences.of, items)).items():
        changes = Changes(now=clock.now(), number=number)
        own = [item for item in items if audiences.owns(audience, item)]
        ends = ends_before([item.id for item in own])
        for item in own:
            changes.alter(
                item,
                "revived",
                ERASED,
                status=Status.ACTIVE.value,
                status_reason="",
                valid_until=ends.get(item.id, item.valid_until),
                retracted_at=None,
            )
        changes.write()


def ends_before(item_ids: Collection[UUID]) -> dict[UUID, datetime | None]:
    """Until when items were true before they were superseded, where that ended them."""
    versions = ItemVersion.objects.filter(
        tenant_id=scope.current().tenant_id, item_id__in=item_ids, after__status=Status.SUPERSEDED.value
    )
    before = dict(versions.order_by("id").values_list("item_id", "before"))
    ended = {item_id: held["valid_until"] for item_id, held in before.items() if "valid_until" in held}
    return {item_id: datetime.fromisoformat(until) if until else None for item_id, until in ended.items()}
