"""What a change of a category would do to its memories, before it is saved: what would be archived, and what spared."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.core import clock, scope
from apps.erasure import services as erasure
from apps.memory import selectors as memory
from apps.memory.models import Item
from apps.memory.services import ageing
from apps.memory.services.ageing import Ages
from apps.tenants import selectors as tenants
from apps.tenants import services
from apps.tenants.models import Category
from memory_platform.model import CategoryRule, Status

STEPS: Final = (ageing.EXPIRED, ageing.PRUNED, ageing.DECAYED)
"""The steps of maintenance that archive."""


@dataclass(frozen=True, slots=True)
class PreviewedStep:
    """How many memories of the category a step would archive if it ran now: as the category is, and as it would be."""

    step: str
    now: int
    then: int


@dataclass(frozen=True, slots=True)
class PreviewedErasure:
    """What the next night would erase for good: `memories` of the category, and `messages` and other memories that go
    `along` with them.
    """

    memories: int
    along: int
    messages: int
    sample: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class CategoryPreview:
    """`items` are open in the category; `archived` would be archived that would stay, `spared` stay that would be.

    `erased` is told where that changes. Samples are ids, oldest first.
    """

    category: Category
    changed: tuple[str, ...]
    items: int
    archived: int
    spared: int
    steps: tuple[PreviewedStep, ...]
    archived_sample: tuple[UUID, ...]
    spared_sample: tuple[UUID, ...]
    erased: PreviewedErasure | None

    @property
    def samples(self) -> tuple[tuple[UUID, ...], ...]:
        """Of what would be archived, spared and erased."""
        return self.archived_sample, self.spared_sample, self.erased.sample if self.erased else ()


def preview(row: Category, changes: Mapping[str, object], *, samples: int) -> CategoryPreview:
    """Needs an open scope of the whole tenant; changes nothing. Raises Invalid on a value that could not be saved."""
    would_be = services.edited_category(row, changes)
    was = Ages.at(clock.now())
    after = replace(was, rules=tuple(_rule(each, would_be) for each in was.rules))
    due_now, due_then = _due(row.slug, was), _due(row.slug, after)
    archived, spared = due_then.exclude(id__in=due_now.values("id")), due_now.exclude(id__in=due_then.values("id"))
    return CategoryPreview(
        category=would_be,
        changed=tuple(name for name in changes if getattr(row, name) != getattr(would_be, name)),
        items=_in(row.slug).filter(status__in=(Status.ACTIVE.value, Status.STALE.value)).count(),
        archived=archived.count(),
        spared=spared.count(),
        steps=tuple(
            PreviewedStep(each.operation, _in(row.slug, each.due(was)).count(), _in(row.slug, each.due(after)).count())
            for each in STEPS
        ),
        archived_sample=_sample(archived, samples),
        spared_sample=_sample(spared, samples),
        erased=_erased(row, would_be, samples),
    )


def _erased(row: Category, would_be: Category, samples: int) -> PreviewedErasure | None:
    if would_be.erase_after_days is None or would_be.erase_after_days == row.erase_after_days:
        return None
    own, going = erasure.would_erase(would_be.slug, would_be.erase_after_days)
    return PreviewedErasure(
        memories=len(own.memory_ids),
        along=len(set(going.item_ids).difference(own.memory_ids)),
        messages=len(going.resource_ids),
        sample=own.memory_ids[:samples],
    )


def _rule(rule: CategoryRule, would_be: Category) -> CategoryRule:
    return tenants.rule_of(would_be) if rule.slug == would_be.slug else rule


def _in(slug: str, rows: "QuerySet[Item] | None" = None) -> "QuerySet[Item]":
    found = memory.readable() if rows is None else rows.filter(tenant_id=scope.current().tenant_id)
    return found.filter(category=slug)


def _due(slug: str, ages: Ages) -> "QuerySet[Item]":
    """What one of the steps would archive."""
    return _in(slug).filter(reduce(or_, (Q(id__in=_in(slug, each.due(ages)).values("id")) for each in STEPS)))


def _sample(rows: "QuerySet[Item]", most: int) -> tuple[UUID, ...]:
    return tuple(rows.order_by("id").values_list("id", flat=True)[:most])
