"""Whose items are and how they came about: said by a user, condensed out of others, shared."""

from collections.abc import Sequence
from uuid import UUID

from apps.core import scope
from apps.memory.documents import CONDENSED
from apps.memory.models import Item, ItemLink, ItemSource
from memory_platform.model import Audience, Role, Visibility


def audiences(item_ids: Sequence[UUID]) -> set[Audience]:
    """Whose the items are, forgotten ones included."""
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=item_ids)
    owners = rows.values_list("agent_id", "user_id", "visibility").distinct()
    return {Audience(agent_id, user_id, Visibility(visibility)) for agent_id, user_id, visibility in owners}


def said_by_users(item_ids: Sequence[UUID]) -> set[UUID]:
    """Those of the items that rest on a message of a user's; one statement."""
    rows = ItemSource.objects.filter(
        tenant_id=scope.current().tenant_id, item_id__in=item_ids, resource__role=Role.USER.value
    )
    return set(rows.values_list("item_id", flat=True))


def insights_among(ids: Sequence[UUID]) -> frozenset[UUID]:
    """Those of the items that nobody said: they tell what others have in common."""
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids, verdict_reason=CONDENSED)
    return frozenset(rows.values_list("id", flat=True))


def copies_among(ids: Sequence[UUID]) -> frozenset[UUID]:
    """Those of the items that were shared: their words were said as another item."""
    links = ItemLink.objects.filter(tenant_id=scope.current().tenant_id, kind=ItemLink.Kind.SHARED_FROM)
    return frozenset(links.filter(from_item_id__in=ids).values_list("from_item_id", flat=True))
