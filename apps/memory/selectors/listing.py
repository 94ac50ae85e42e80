"""Which items there are: by filter and order, the weak ones, all of them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Case, DateTimeField, F, FloatField, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Ln

from apps.core import paging, scope
from apps.core.paging import PageRequest, Slice
from apps.memory.documents import MERGED
from apps.memory.models import Item
from apps.memory.requests import ItemFilter, ItemOrder
from apps.memory.results import ItemView
from apps.memory.selectors.hydrating import confidence_of, viewed
from apps.tenants import selectors as tenants
from memory_platform.model import Kind, Priority, Retention

_ORDERS = {
    ItemOrder.NEWEST: ("-recorded_at", "-id"),
    ItemOrder.OLDEST: ("recorded_at", "id"),
    ItemOrder.MOST_CONFIDENT: ("-confidence", "-id"),
    ItemOrder.MOST_USED: ("-accesses", "-id"),
    ItemOrder.WEIGHTIEST: (paging.ASKED, "-precedence", "-weight", "-id"),
}
_SORTED_BY = ("id", "recorded_at", "confidence")
"""The columns of the orders: what is sorted carries no others, for the words of a page are fetched once it is cut."""
_LEADING = {
    ItemOrder.MOST_USED: Q(use__access_count__gt=0),
    ItemOrder.WEIGHTIEST: Q(kind__in=(Kind.RULE.value, Kind.PREFERENCE.value)),
}
"""What comes first in the orders that no index can carry."""
_WEAKEST_FIRST = (paging.ASKED, "effective", "id")
_PRECEDENCE = Case(When(kind=Kind.RULE.value, then=2), When(kind=Kind.PREFERENCE.value, then=1), default=0)
_WORTH = Case(
    When(priority=Priority.MEDIUM.value, then=0.85),
    When(priority=Priority.LOW.value, then=0.7),
    default=1.0,
    output_field=FloatField(),
)
"""How much of its weight an item keeps that was less surely worth keeping: more of these come from small talk
(docs/benchmarks.md, "Understanding")."""
_WEIGHT_OF_USE = 0.2
"""What e-fold more sources and uses add to an item's weight, as a share of its confidence."""


def items(*, filter: ItemFilter, order: ItemOrder = ItemOrder.NEWEST, page: PageRequest) -> Slice[ItemView]:  # noqa: A002  the API's word
    """One page of items; those by weight are all of the moment of the first. Raises Invalid on a malformed cursor."""
    rows = _filtered(filter)
    if order is ItemOrder.MOST_USED:
        rows = rows.annotate(accesses=Coalesce(F("use__access_count"), 0))
    if order is ItemOrder.WEIGHTIEST:
        asked = paging.asked_at(page, order=_ORDERS[order])
        rows = rows.annotate(asked=Value(asked, DateTimeField()), precedence=_PRECEDENCE, weight=_weight(asked))
    return viewed(_cut(rows.only(*_SORTED_BY), order, page), as_of=filter.as_of)


def weak(*, page: PageRequest) -> Slice[ItemView]:
    """Items whose confidence is low, or soon will be, the lowest first: not those that never fade.

    All pages are of the moment of the first one, for items fade past each other. Raises Invalid on a malformed cursor.
    """
    tenant_id, asked = scope.current().tenant_id, paging.asked_at(page, order=_WEAKEST_FIRST)
    policy = tenants.policy(tenant_id)
    lasting = [rule.slug for rule in tenants.category_rules(tenant_id) if rule.retention is Retention.NONE]
    fading = _filtered(ItemFilter()).filter(protected=False).exclude(category__in=lasting)
    rows = fading.annotate(
        asked=Value(asked, DateTimeField()),
        effective=confidence_of(tenant_id, at=asked).expression(),
        soon=confidence_of(tenant_id, at=asked + timedelta(days=policy.weak_soon_days)).expression(),
    ).filter(soon__lt=policy.weak_below)
    return viewed(paging.paginate(rows.only(*_SORTED_BY), order=_WEAKEST_FIRST, page=page))


def readable() -> QuerySet[Item]:
    """The items the scope may read, whatever became of them, in no order: for statements of apps above."""
    return Item.objects.filter(tenant_id=scope.current().tenant_id)


def every_id() -> list[UUID]:
    """All items there are, in the order they were made."""
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id)
    return list(rows.order_by("id").values_list("id", flat=True))


def _cut(rows: QuerySet[Item], order: ItemOrder, page: PageRequest) -> Slice[Item]:
    """What leads is looked for by itself: where it fills the page, the many others need not be weighed and sorted."""
    if order in _LEADING:
        leading = paging.paginate(rows.filter(_LEADING[order]), order=_ORDERS[order], page=page)
        if leading.has_next:
            return leading
    return paging.paginate(rows, order=_ORDERS[order], page=page)


def _filtered(wanted: ItemFilter) -> QuerySet[Item]:
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id)
    if wanted.id_part is None:
        rows = rows.exclude(status_reason=MERGED)
    for column, values in _listed(wanted):
        if values is not None:
            rows = rows.filter(**{f"{column}__in": values})
    for column, value in _single(wanted):
        if value is not None:
            rows = rows.filter(**{column: value})
    if wanted.as_of is not None:
        rows = rows.filter(*_held_at(wanted.as_of))
    if wanted.minimum_confidence is not None:
        rows = rows.annotate(effective=confidence_of(scope.current().tenant_id).expression()).filter(
            effective__gte=wanted.minimum_confidence
        )
    return rows


def _held_at(moment: datetime) -> Iterator[Q]:
    """What was believed and true then, as `apps.index.filters` says of documents."""
    for since, until in (("recorded_at", "retracted_at"), ("valid_from", "valid_until")):
        yield Q(**{f"{since}__lte": moment})
        yield Q(**{until: None}) | Q(**{f"{until}__gt": moment})


def _listed(wanted: ItemFilter) -> list[tuple[str, Sequence[str] | Sequence[UUID] | None]]:
    return [
        ("id", wanted.ids),
        ("kind", wanted.kinds),
        ("category", wanted.categories),
        ("service", wanted.services),
        ("status", wanted.statuses),
        ("verdict", wanted.verdicts),
        ("sentiment", wanted.sentiments),
    ]


def _single(wanted: ItemFilter) -> list[tuple[str, object]]:
    return [
        ("agent_id", wanted.agent_id),
        ("session__external_id", wanted.session_id),
        ("entity_names__contains", None if wanted.entity is None else [wanted.entity]),
        ("visibility", wanted.visibility),
        ("id__contains", wanted.id_part),
        ("event_time__gte", wanted.after),
        ("event_time__lt", wanted.before),
    ]


def _weight(at: datetime) -> Combinable:
    """Confidence at a moment, more where an item was said and used often, less where it was hardly worth keeping."""
    support = Cast(F("merged_count") + Coalesce(F("use__access_count"), 0), FloatField())
    return (
        confidence_of(scope.current().tenant_id, at=at).expression()
        * _WORTH
        * (1.0 + _WEIGHT_OF_USE * Ln(1.0 + support, output_field=FloatField()))
    )
