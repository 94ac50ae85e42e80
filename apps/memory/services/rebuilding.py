"""The search index is a projection: everything in it follows from items and resources, what is forgotten included."""

from uuid import UUID

from django.db.models import QuerySet

from apps.core import scope
from apps.core.scope import Scope
from apps.index import services as index
from apps.index.services import NewDocument
from apps.journal.services import record
from apps.memory.documents import document, has_document
from apps.memory.models import Item
from apps.memory.services.forgetting import suppressed_episodes
from apps.resources import selectors as resources
from apps.resources.models import Resource, Session
from apps.resources.services import episodes
from apps.resources.services.episodes import Episode
from memory_platform.model import Audience, JournalLine, Role, Unit, Visibility

ITEMS_AT_ONCE = 500


def rebuild_items(*, within: Scope) -> int:
    """Index all items of the tenant again, a transaction a chunk; returns how many documents.

    Called without an open scope. What is hidden or closed stays so; vectors of texts that did not change are kept.
    """
    rebuilt, after = 0, UUID(int=0)
    while True:
        with scope.enter(within):
            items = list(_items(within.tenant_id, after)[:ITEMS_AT_ONCE])
            if not items:
                _record(Unit.ITEM, rebuilt)
                return rebuilt
            index.drop(Unit.ITEM, [item.id for item in items if not has_document(item)])
            index.replace([document(item) for item in items if has_document(item)])
        rebuilt += len(items)
        after = items[-1].id


def rebuild_episodes(*, within: Scope) -> int:
    """Index all episodes of the tenant again, a transaction a session; returns how many documents."""
    rebuilt, after = 0, UUID(int=0)
    while True:
        with scope.enter(within):
            sessions = resources.every_session().select_for_update().filter(id__gt=after)
            session = sessions.order_by("id").first()
            if session is None:
                _record(Unit.EPISODE, rebuilt)
                return rebuilt
            documents = _episodes(session)
            index.replace(documents)
        rebuilt += len(documents)
        after = session.id


def _items(tenant_id: UUID, after: UUID) -> QuerySet[Item]:
    return Item.objects.select_for_update().filter(tenant_id=tenant_id, id__gt=after).order_by("id")


def _episodes(session: Session) -> list[NewDocument]:
    rows = list(resources.readable().filter(session_id=session.id).order_by("ordinal"))
    ids = [row.id for row in rows]
    texts = {said.resource_id: said.text for said in resources.as_utterances(ids)}
    hidden = suppressed_episodes(ids)
    return [
        episodes.document(_episode(row, texts[row.id]), heard_at=row.created_at, hidden=row.id in hidden)
        for row in rows
    ]


def _episode(row: Resource, text: str) -> Episode:
    return Episode(
        resource_id=row.id,
        session_id=row.session_id,
        ordinal=row.ordinal,
        audience=Audience(row.agent_id, row.user_id, Visibility(row.visibility)),
        speaker=row.speaker,
        text=text,
        said_at=row.content_at,
        role=Role(row.role),
    )


def _record(unit: Unit, documents: int) -> None:
    record(JournalLine(operation="memory.rebuilt_documents", data={"unit": unit.value, "documents": documents}))
