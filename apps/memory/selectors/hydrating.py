"""Items by id, as whoever reads them sees them: with their sources, open links and what they are worth by now."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
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


def hydrate(ids: Sequence[UUID]) -> dict[UUID, ItemView]:
    """Readable items by id, with sources and open contradictions: two statements, on recall's hot path."""
    if not ids:
        return {}
    tenant_id = scope.current().tenant_id
    confidence, half_life = confidence_of(tenant_id), tenants.policy(tenant_id).feedback_half_life_days
    with prepared_cursor() as cursor:
        cursor.execute(statement("memory", "hydrate_items"), {"tenant": tenant_id, "ids": list(ids)})
        rows = cursor.fetchall()
        cursor.execute(statement("memory", "hydrate_sources"), {"tenant": tenant_id, "ids": [row[0] for row in rows]})
        sources: dict[UUID, list[SourceView]] = {row[0]: [] for row in rows}
        for item_id, *columns in cursor.fetchall():
            sources[item_id].append(_source(*columns))
    views = [_view(row, tuple(sources[row[0]]), confidence, half_life) for row in rows]
    return {view.id: view for view in cold.worded(views)}


def viewed(cut: Slice[Item]) -> Slice[ItemView]:
    """A page of rows as views, two statements for all of them."""
    views = hydrate([row.id for row in cut.rows])
    return cut.of([views[row.id] for row in cut.rows])


def categories_of(ids: Iterable[UUID]) -> dict[UUID, str]:
    """The category of each that can be read."""
    return dict(Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids).values_list("id", "category"))


def confidence_of(tenant_id: UUID, *, at: datetime | None = None) -> Confidence:
    """What the tenant's items are worth at a moment, now unless it is given."""
    return Confidence.at(at or clock.now(), tenants.policy(tenant_id), tenants.category_rules(tenant_id))


def _view(
    row: tuple[Any, ...], sources: tuple[SourceView, ...], confidence: Confidence, half_life_days: float
) -> ItemView:
    (
        item_id, text, kind, category, service, entity_names, strength, sentiment, priority, base, reinforced_at,
        verdict, status, status_reason, protected, event_time, said_at, valid_from, valid_until, recorded_at,
        retracted_at, last_confirmed_at, merged_count, agent_id, user_id, visibility, session_id, external_id,
        retrieval_priority, learnt, learnt_at, access_count, recall_count, last_accessed_at, lead_in, subject,
        attribute, value, qualifier, mood, is_negated, said_by, reported_by, language, version, open_links,
    ) = row  # fmt: skip
    return ItemView(
        id=item_id,
        text=text,
        lead_in=lead_in,
        slot=Slot(subject, attribute, value, qualifier),
        mood=Mood(mood),
        is_negated=is_negated,
        said_by=said_by,
        reported_by=reported_by,
        language=language,
        version=version,
        kind=Kind(kind),
        category=category,
        service=service,
        entity_names=tuple(entity_names),
        strength=Strength(strength),
        sentiment=Sentiment(sentiment),
        priority=Priority(priority),
        confidence=confidence.value(base, reinforced_at, category, is_protected=protected),
        base_confidence=base,
        reinforced_at=reinforced_at,
        verdict=Verdict(verdict),
        status=Status(status),
        status_reason=status_reason,
        protected=protected,
        event_time=event_time,
        said_at=said_at,
        valid_from=valid_from,
        valid_until=valid_until,
        recorded_at=recorded_at,
        retracted_at=retracted_at,
        last_confirmed_at=last_confirmed_at,
        expires_at=confidence.expires_at(category, recorded_at, last_confirmed_at),
        merged_count=merged_count,
        agent_id=agent_id,
        user_id=user_id,
        visibility=Visibility(visibility),
        session_id=session_id,
        external_id=external_id,
        retrieval_priority=retrieval_priority
        + feedback.left_of(learnt, since=learnt_at, now=confidence.now, half_life_days=half_life_days),
        access_count=access_count,
        recall_count=recall_count,
        last_accessed_at=last_accessed_at,
        sources=sources,
        open_links=tuple(_open_link(link) for link in open_links),
    )


def _source(resource_id: UUID, external_id: str | None, role: str | None, *said: Any) -> SourceView:
    return SourceView(resource_id, external_id, None if role is None else Role(role), *said)


def _open_link(written: str) -> OpenLink:
    kind, other_id = written.split(":")
    return OpenLink(OpenLinkKind(kind), UUID(other_id))
