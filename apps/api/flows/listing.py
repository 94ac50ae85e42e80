"""Lists of memories: callers' filters and cursors, turned into memory's."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from apps.core import paging
from apps.core.clock import now
from apps.core.paging import PageRequest, Slice
from apps.memory import selectors as memory
from apps.memory.requests import ItemOrder
from apps.memory.results import ItemView, SourceView, VersionView
from apps.resources import selectors as resources
from apps.retrieval.requests import Filter
from apps.retrieval.services.filtering import item_filter

SupersessionEnd = Literal["supersedes", "superseded_by"]

_VERSION_ORDER = ("id",)


def items(*, wanted: Filter, order: ItemOrder, page: PageRequest, as_of: datetime | None = None) -> Slice[ItemView]:
    """One page of items; `as_of`: of those believed and true then. Raises Invalid on a malformed cursor or time."""
    return memory.items(filter=item_filter(wanted, now=now(), as_of=as_of), order=order, page=page)


def linked(item_ids: Sequence[UUID], link: SupersessionEnd) -> dict[UUID, list[ItemView]]:
    """The items at the other end of items' supersession links, by item; three statements."""
    ends = memory.superseded(item_ids) if link == "supersedes" else memory.superseding(item_ids)
    held = memory.hydrate([each for ids in ends.values() for each in ids])
    return {item_id: [held[each] for each in ids if each in held] for item_id, ids in ends.items()}


def versions(item_id: UUID, *, page: PageRequest) -> Slice[VersionView]:
    """An item's changes, oldest first."""
    why = memory.explain(item_id)
    rows = list(why.versions) if why else []
    if page.after is not None:
        (last,) = paging.decode(page.after, order=_VERSION_ORDER)
        rows = [row for row in rows if str(row.id) > str(last)]
    kept = tuple(rows[: page.first])
    cursors = tuple(paging.encode([row.id], order=_VERSION_ORDER) for row in kept)
    return Slice(kept, cursors, len(rows) > page.first)


def sources(resource_id: UUID) -> list[SourceView]:
    """The captured message, if the caller may read it; no words are quoted."""
    return [
        SourceView(found.resource_id, found.external_id, found.role, found.speaker, found.said_at, "")
        for found in resources.sources([resource_id]).values()
    ]
