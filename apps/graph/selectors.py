"""Reading the graph: entities, profiles, seeds and ways. All need an open scope and see what it may read."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from apps.core.paging import Page, Slice
from apps.graph.results import EntityProfile, EntityView, PathStep, SeedEntity
from memory_platform.graph import EntityType


def entity(
    *, entity_id: UUID | None = None, name: str | None = None, as_of: datetime | None = None, user_id: str | None = None
) -> EntityProfile | None:
    """The profile of the entity with this id, or best fitting this name; None when there is none to be seen."""
    raise NotImplementedError


def entities(
    *,
    search: str | None = None,
    entity_type: EntityType | None = None,
    user_id: str | None = None,
    page: Page,
) -> Slice[EntityView]:
    """Entities something mentions, the most mentioned first; `search` finds part of a name. Raises Invalid."""
    raise NotImplementedError


def seeds(names: Sequence[str], *, user_id: str | None = None, fuzzy: bool = True) -> list[SeedEntity]:
    """The entities these names stand for, best fit first, each once."""
    raise NotImplementedError


def path(
    from_id: UUID,
    to_id: UUID,
    *,
    max_depth: int = 4,
    as_of: datetime | None = None,
    user_id: str | None = None,
) -> tuple[PathStep, ...] | None:
    """How two entities are connected, with what says so; None: not within `max_depth` hops.

    Raises NotFound when one of them is unknown or unreadable.
    """
    raise NotImplementedError
