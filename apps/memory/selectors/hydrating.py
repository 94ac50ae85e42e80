"""Items by id, as whoever reads them sees them: with their sources, open links and what they are worth by now."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from apps.core import clock, scope
from apps.core.paging import Slice
from apps.core.sql import prepared_cursor, statement
from apps.memory import cold
from apps.memory.confidence import Confidence
from apps.memory.models import Item
from apps.memory.results import ItemView, OpenLink, OpenLinkKind, SourceView
from apps.tenants import selectors as tenants
from memory_platform.lifecycle import feedback
from memory_platform.model import Kind, Mood, Priority, Role, Sentiment, Slot, Status, Strength, Verdict, Visibility


def item(item_id: UUID) -> ItemView | None:
    """The item, whatever its status, if the scope may read it."""
    return hydrate([item_id]).get(item_id)


def hydrate(ids: Sequence[UUID], *, as_of: datetime | None = None) -> dict[UUID, ItemView]:
    """Readable items by id, with sources and the open links of now or `as_of` a moment: two statements, on recall's
    hot path.
    """
    if not ids:
        return {}
    tenant_id = scope.current().tenant_id
    confidence, half_life = confidence_of(tenant_id), tenants.policy(tenant_id).feedback_half_life_days
    with prepared_cursor() as cursor:
        cursor.execute(statement("memory", "hydrate_items"), {"tenant": tenant_id, "ids": list(ids), "as_of": as_of})
        names = [column.name for column in cursor.description]
        rows = {values[0]: dict(zip(names, values, strict=True)) for values in cursor.fetchall()}
        cursor.execute(statement("memory", "hydrate_sources"), {"tenant": tenant_id, "ids": list(rows)})
        sources: dict[UUID, list[SourceView]] = {item_id: [] for item_id in rows}
        for item_id, *columns in cursor.fetchall():
            sources[item_id].append(_source(*columns))
    views = [_view(row, tuple(sources[item_id]), confidence, half_life) for item_id, row in rows.items()]
    return {view.id: view for view in cold.worded(views)}


def viewed(cut: Slice[Item], *, as_of: datetime | None = None) -> Slice[ItemView]:
    """A page of rows as views, two statements for all of them."""
    views = hydrate([row.id for row in cut.rows], as_of=as_of)
    return cut.of([views[row.id] for row in cut.rows])


def categories_of(ids: Iterable[UUID]) -> dict[UUID, str]:
    """The category of each that can be read."""
    return dict(Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids).values_list("id", "category"))


def confidence_of(tenant_id: UUID, *, at: datetime | None = None) -> Confidence:
    """What the tenant's items are worth at a moment, now unless it is given."""
    return Confidence.at(at or clock.now(), tenants.policy(tenant_id), tenants.category_rules(tenant_id))


def _view(
    row: Mapping[str, Any], sources: tuple[SourceView, ...], confidence: Confidence, half_life_days: float
) -> ItemView:
    category, base, now = row["category"], row["base_confidence"], confidence.now
    learnt = feedback.left_of(row["learnt"], since=row["learnt_at"], now=now, half_life_days=half_life_days)
    return ItemView(
        **{name: row[name] for name in _AS_STORED},
        **{name: read(row[name]) for name, read in _READ_AS.items()},
        slot=Slot(row["subject"], row["attribute"], row["value"], row["qualifier"]),
        confidence=confidence.value(base, row["reinforced_at"], category, is_protected=row["protected"]),
        expires_at=confidence.expires_at(category, row["recorded_at"], row["last_confirmed_at"]),
        retrieval_priority=row["priority_of_use"] + learnt,
        sources=sources,
    )


def _source(resource_id: UUID, external_id: str | None, role: str | None, *said: Any) -> SourceView:
    return SourceView(resource_id, external_id, None if role is None else Role(role), *said)


def _open_link(written: str) -> OpenLink:
    kind, other_id = written.split(":")
    return OpenLink(OpenLinkKind(kind), UUID(other_id))


def _open_links(written: Sequence[str]) -> tuple[OpenLink, ...]:
    return tuple(_open_link(link) for link in written)


_READ_AS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "entity_names": tuple,
    "kind": Kind,
    "mood": Mood,
    "open_links": _open_links,
    "priority": Priority,
    "sentiment": Sentiment,
    "status": Status,
    "strength": Strength,
    "verdict": Verdict,
    "visibility": Visibility,
}
_COMPUTED: Final = {"confidence", "expires_at", "retrieval_priority", "slot", "sources"}
_AS_STORED: Final = tuple(field.name for field in fields(ItemView) if field.name not in _COMPUTED | _READ_AS.keys())
