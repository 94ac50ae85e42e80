"""Reading items by whose they are and what they are filed under."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Count, Q, QuerySet

from apps.core import clock, scope
from apps.core.sql import statement
from apps.memory.models import Item
from apps.memory.results import ItemView
from apps.memory.selectors import hydrate
from memory_platform.model import Status, Verdict, Visibility


@dataclass(frozen=True, slots=True)
class Filing:
    """A category of an audience; what is shared is no agent's own (`agent_id` None)."""

    agent_id: UUID | None
    user_id: str | None
    visibility: Visibility
    category: str


@dataclass(frozen=True, slots=True)
class Filed:
    """How much stands in a filing now; `digest` differs when other items do, or one of them is doubted."""

    filing: Filing
    items: int
    digest: str


def filed(wanted: Filing | None = None) -> list[Filed]:
    """Every filing in which something stands, as the scope may read it, or only this one; one statement."""
    values: dict[str, str | UUID | datetime | None] = {
        "tenant": scope.current().tenant_id,
        "now": clock.now(),
        "category": wanted.category if wanted else None,
        "visibility": wanted.visibility.value if wanted else None,
        "user": wanted.user_id if wanted else None,
        "agent": wanted.agent_id if wanted else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("memory", "filed_items"), values)
        return [Filed(_filing(*row[:4]), *row[4:]) for row in cursor.fetchall()]


def counted() -> list[tuple[Filing, int]]:
    """How much stands in every filing, in the order of `filed`. A digest would read every id, in order."""
    found: dict[Filing, int] = {}
    rows = _present().values_list("agent_id", "user_id", "visibility", "category")
    for *columns, count in rows.annotate(count=Count("*")):
        filing = _owned(*columns)
        found[filing] = found.get(filing, 0) + count
    return sorted(found.items(), key=lambda each: _place(each[0]))


def _place(filing: Filing) -> tuple[str, str, str]:
    """By category, what is nobody's first."""
    return filing.category, str(filing.agent_id or ""), filing.user_id or ""


def digest(wanted: Filing) -> str:
    """The digest of what stands in a filing; empty for nothing."""
    found = filed(wanted)
    return found[0].digest if found else ""


def filings_of(item_ids: Sequence[UUID]) -> dict[Filing, frozenset[bool]]:
    """Where items are filed, whatever has become of them, and of those there whether they are forgotten."""
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=item_ids)
    found: dict[Filing, frozenset[bool]] = {}
    for agent_id, user_id, visibility, category, status in rows.values_list(
        "agent_id", "user_id", "visibility", "category", "status"
    ):
        filing = _owned(agent_id, user_id, visibility, category)
        found[filing] = found.get(filing, frozenset()) | {status == Status.DELETED}
    return found


def current(filing: Filing, *, most: int) -> list[ItemView]:
    """What stands in a filing: active, allowed and true now; the last said first, at most so many."""
    rows = _current(filing).order_by("-said_at", "-id")[:most]
    ids = list(rows.values_list("id", flat=True))
    found = hydrate(ids)
    return [found[item_id] for item_id in ids if item_id in found]


def unforgotten(item_ids: Sequence[UUID]) -> frozenset[UUID]:
    """Those of the items that the scope may read and that nobody has forgotten."""
    return frozenset(unforgotten_rows(item_ids).values_list("id", flat=True))


def unforgotten_rows(item_ids: "Sequence[UUID] | QuerySet[Any, Any]") -> "QuerySet[Item]":
    """Their rows, of ids that are given or that another query selects."""
    return Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=item_ids).exclude(status=Status.DELETED)


def _current(filing: Filing) -> "QuerySet[Item]":
    rows = _present().filter(user_id=filing.user_id, visibility=filing.visibility.value, category=filing.category)
    return rows if filing.agent_id is None else rows.filter(agent_id=filing.agent_id)


def _present() -> "QuerySet[Item]":
    """Active, allowed and true now."""
    return Item.objects.filter(
        Q(valid_until=None) | Q(valid_until__gt=clock.now()),
        tenant_id=scope.current().tenant_id,
        status=Status.ACTIVE.value,
        verdict=Verdict.ALLOW.value,
        retracted_at=None,
    )


def _owned(agent_id: UUID, user_id: str | None, visibility: str, category: str) -> Filing:
    """Of the columns of an item: what is shared is no agent's own."""
    return _filing(None if visibility == Visibility.SHARED else agent_id, user_id, visibility, category)


def _filing(agent_id: UUID | None, user_id: str | None, visibility: str, category: str) -> Filing:
    return Filing(agent_id, user_id, Visibility(visibility), category)
