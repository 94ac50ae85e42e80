"""Where an item comes from and what became of it, for whoever asks after it."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q, QuerySet, Subquery

from apps.core import context, scope
from apps.memory import cold
from apps.memory.confidence import Confidence
from apps.memory.models import Item, ItemFeedback, ItemLink, ItemVersion, Rejection
from apps.memory.results import Explanation, LinkView, VersionView
from apps.memory.selectors.hydrating import confidence_of, item
from memory_platform.lifecycle.feedback import Opinion


def explain(item_id: UUID) -> Explanation | None:
    """Where an item comes from and what became of it."""
    found = item(item_id)
    if found is None:
        return None
    tenant_id = scope.current().tenant_id
    rows = ItemVersion.objects.filter(tenant_id=tenant_id, item_id=item_id).order_by("at", "id")
    versions = list(rows.annotate(opinion=Subquery(own_feedback(item_id).values("kind")[:1])))
    links = list(
        ItemLink.objects.filter(Q(from_item_id=item_id) | Q(to_item_id=item_id), tenant_id=tenant_id)
        .select_related("from_item", "to_item", "from_rejection")
        .order_by("id")
    )
    cold.fill([end for link in links for end in (link.from_item, link.to_item) if end is not None])
    kind = ItemLink.Kind
    confidence = confidence_of(tenant_id)

    def ends(wanted: ItemLink.Kind, *, start: UUID | None = None, end: UUID | None = None) -> tuple[LinkView, ...]:
        return _ends(links, wanted, confidence, start=start, end=end)

    into = ends(kind.MERGED_INTO, start=item_id)
    shared_from = ends(kind.SHARED_FROM, start=item_id)
    contradicts = (*ends(kind.CONTRADICTS, end=item_id), *ends(kind.CONTRADICTS, start=item_id))
    return Explanation(
        item=found,
        versions=tuple(_version(row) for row in versions),
        opinion=next((Opinion(row.opinion) for row in versions if row.opinion), None),
        merged=ends(kind.MERGED_INTO, end=item_id),
        merged_into=next((link for link in into if link.open), None),
        supersedes=ends(kind.SUPERSEDES, start=item_id),
        superseded_by=ends(kind.SUPERSEDES, end=item_id),
        contradicts=tuple(sorted(contradicts, key=lambda link: -(link.confidence or 0.0))),
        shared_from=shared_from[0] if shared_from else None,
        shared_as=ends(kind.SHARED_FROM, end=item_id),
    )


def own_feedback(item_id: UUID) -> "QuerySet[ItemFeedback]":
    """What the principal says of an item by now, if anything. Needs an open scope."""
    opened = scope.current()
    return ItemFeedback.objects.filter(
        tenant_id=opened.tenant_id,
        item_id=item_id,
        actor=context.current().actor,
        by_agent_id=opened.agent_id,
        closed_at=None,
    )


def _ends(
    links: Sequence[ItemLink],
    kind: ItemLink.Kind,
    confidence: Confidence,
    *,
    start: UUID | None = None,
    end: UUID | None = None,
) -> tuple[LinkView, ...]:
    """The other ends of the links of a kind that start or end at an item, as far as the scope may read them."""
    found = []
    for link in links:
        if link.kind == kind and (link.from_item_id == start if end is None else link.to_item_id == end):
            other = link.to_item if end is None else link.from_item or link.from_rejection
            if other is not None:
                found.append(_link(link, other, confidence))
    return tuple(found)


def _link(link: ItemLink, other: Item | Rejection, confidence: Confidence) -> LinkView:
    said_at, worth = (
        (other.said_at, confidence.effective(other)) if isinstance(other, Item) else (other.created_at, None)
    )
    return LinkView(
        id=other.id,
        text=other.text,
        reason=link.reason,
        at=link.created_at,
        open=link.closed_at is None,
        agent_id=other.agent_id,
        said_at=said_at,
        confidence=worth,
    )


def _version(row: ItemVersion) -> VersionView:
    return VersionView(row.id, row.at, row.operation, row.reason, row.before, row.after)
