"""Putting right what resolution got wrong: merging entities that are one, splitting one that is several."""

from collections.abc import Sequence
from uuid import UUID

from apps.graph.results import EntityView


def merge_entities(into: UUID, from_ids: Sequence[UUID]) -> EntityView:
    """Make the names of `from_ids` names of `into`; their mentions and relations follow. Repeating it changes nothing.

    Raises NotFound for an unknown or unreadable entity, Invalid when they belong to different audiences or the list
    is empty, Forbidden for shared ones without the tenant's reach.
    """
    raise NotImplementedError


def split_entity(entity_id: UUID, aliases: Sequence[str]) -> EntityView:
    """Give these names of the entity an entity of their own (the one they came from, if a merge brought them).

    Raises NotFound for an unknown entity or name, Invalid when no name would stay.
    """
    raise NotImplementedError
