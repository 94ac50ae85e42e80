"""Lists of memories: the doors' filters and cursors, turned into memory's."""

from dataclasses import replace
from typing import Literal
from uuid import UUID

from apps.core import paging
from apps.core.clock import now
from apps.core.paging import Page, Slice
from apps.memory import selectors as memory
from apps.memory.requests import ItemFilter, ItemOrder
from apps.memory.results import ItemView, SourceView, VersionView
from apps.resources import selectors as resources
from apps.retrieval.requests import Filter
from apps.retrieval.services.periods import moment
from apps.tenants.selectors import agent_by_slug

# Whose rows a filter means that names an agent this tenant does not have: nobody's.
NOBODY = UUID(int=0)
_VERSION_ORDER = ("id",)


def items(*, wanted: Filter, order: ItemOrder, page: Page) -> Slice[ItemView]:
    """One page of items. Raises Invalid on a malformed cursor or time."""
    return memory.items(filter=item_filter(wanted), order=order, page=page)


def linked(item_id: UUID, link: Literal["supersedes", "superseded_by"]) -> list[ItemView]:
    """The items at the other end of an item's supersession links."""
    why = memory.explain(item_id)
    if why is None:
        return []
    ids = [other.id for other in (why.supersedes if link == "supersedes" else why.superseded_by)]
    held = memory.hydrate(ids)
    return [held[each] for each in ids if each in held]


def versions(item_id: UUID, *, page: Page) -> Slice[VersionView]:
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
        SourceView(found.resource_id, found.external_id, found.speaker, found.said_at, "")
        for found in resources.sources([resource_id]).values()
    ]


def item_filter(wanted: Filter) -> ItemFilter:
    """Raises Invalid when `after` or `before` is no time."""
    at = now()
    filtered = ItemFilter(
        kinds=wanted.kinds,
        categories=wanted.domain_categories,
        services=wanted.services,
        agent_id=agent_id_of(wanted.agent_id),
        session_id=wanted.session_id,
        entity=wanted.entity,
        verdicts=wanted.verdicts,
        minimum_confidence=wanted.minimum_confidence,
        visibility=wanted.visibility,
        after=moment(wanted.after, field="after", now=at),
        before=moment(wanted.before, field="before", now=at),
    )
    return filtered if wanted.statuses is None else replace(filtered, statuses=wanted.statuses)


def agent_id_of(slug: str | None) -> UUID | None:
    """The id of the agent a caller names; of nobody when there is none."""
    if slug is None:
        return None
    agent = agent_by_slug(slug)
    return agent.id if agent else NOBODY
