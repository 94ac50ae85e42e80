"""What all agents of a tenant share and belongs to no user, and what waits for somebody's word: for who curates."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from apps.core import clock, scope
from apps.memory.models import Item, ItemLink
from apps.memory.results import ItemView
from memory_platform.model import Status, Verdict, Visibility

_HELD: Final = (Status.ACTIVE.value, Status.STALE.value)


class QuestionKind(StrEnum):
    """What waits for an answer: whether to keep it, which of two is true, whether one took the other's place."""

    HELD = "held"
    CONTRADICTION = "contradiction"
    REPLACEMENT = "replacement"


_OF_LINK: Final = {
    ItemLink.Kind.CONTRADICTS: QuestionKind.CONTRADICTION,
    ItemLink.Kind.PROBABLY_SUPERSEDED: QuestionKind.REPLACEMENT,
}


@dataclass(frozen=True, slots=True)
class Position:
    """Where a list by time goes on."""

    at: datetime
    id: UUID

    def rest(self, time: str) -> Q:
        """What lies behind it in rows by this column, then by id."""
        return Q(**{f"{time}__gt": self.at}) | Q(**{time: self.at, "id__gt": self.id})


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """`texts` are the memories', what was there before first; `id` is that of the memory or of the link."""

    question: QuestionKind
    id: UUID
    at: datetime
    item_ids: tuple[UUID, ...]
    texts: tuple[str, ...]
    user_id: str | None


def changed_since(number: int, *, most: int) -> tuple[list[UUID], int]:
    """The memories that changed behind this number, in order, and the number of the last: `most`, and what changed with
    the last of them. Nothing: the same number.
    """
    rows = _common().filter(change_number__gt=number).order_by("change_number", "id")
    numbers = list(rows.values_list("change_number", flat=True)[:most])
    if not numbers:
        return [], number
    ids = rows.filter(change_number__lte=numbers[-1]).values_list("id", flat=True)
    return list(ids), numbers[-1]


def stands(item: ItemView) -> bool:
    """Whether a memory is believed and true now, and nothing open speaks against it."""
    is_true = item.valid_until is None or item.valid_until > clock.now()
    is_believed = item.status is Status.ACTIVE and item.verdict is Verdict.ALLOW and item.retracted_at is None
    return is_true and is_believed and not item.open_links


def is_common(item: ItemView) -> bool:
    return item.visibility is Visibility.SHARED and item.user_id is None


def held(*, behind: Position | None, most: int) -> list[OpenQuestion]:
    """Memories that wait for review, as far as the scope may read them, the earliest first."""
    rows = _of_tenant().filter(verdict=Verdict.HOLD.value, status__in=_HELD)
    if behind is not None:
        rows = rows.filter(behind.rest("recorded_at"))
    found = rows.order_by("recorded_at", "id").values_list("id", "recorded_at", "text", "user_id")[:most]
    return [OpenQuestion(QuestionKind.HELD, one, at, (one,), (text,), user) for one, at, text, user in found]


def disputed(questions: Collection[QuestionKind], *, behind: Position | None, most: int) -> list[OpenQuestion]:
    """Pairs of which one contradicts, or probably replaced, the other, the earliest first."""
    rows = disputes(questions)
    if behind is not None:
        rows = rows.filter(behind.rest("created_at"))
    chosen = rows.order_by("created_at", "id").select_related("to_item", "from_item", "from_rejection")
    return [_pair(link) for link in chosen[:most]]


def disputes(questions: Collection[QuestionKind]) -> "QuerySet[ItemLink]":
    """The open links that ask one of these: both ends stand and can be read."""
    held = Item.objects.filter(tenant_id=OuterRef("tenant_id"), status__in=_HELD)
    return ItemLink.objects.filter(
        Exists(held.filter(id=OuterRef("to_item_id"))),
        Q(from_rejection__isnull=False) | Exists(held.filter(id=OuterRef("from_item_id"))),
        tenant_id=scope.current().tenant_id,
        kind__in=[kind for kind, question in _OF_LINK.items() if question in questions],
        closed_at=None,
    )


def _pair(link: ItemLink) -> OpenQuestion:
    other = link.from_item or link.from_rejection
    ids = [link.to_item_id, *filter(None, [link.from_item_id])]
    texts = (link.to_item.text, *(() if other is None else (other.text,)))
    return OpenQuestion(_OF_LINK[ItemLink.Kind(link.kind)], link.id, link.created_at, tuple(ids), texts, link.user_id)


def _common() -> "QuerySet[Item]":
    return _of_tenant().filter(user_id=None, visibility=Visibility.SHARED.value)


def _of_tenant() -> "QuerySet[Item]":
    return Item.objects.filter(tenant_id=scope.current().tenant_id)
