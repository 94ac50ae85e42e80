"""What a tool hands on of the memory's own answers, a recall or a context: what these say of its rows is no news."""

import re
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final
from uuid import UUID

from apps.core import scope
from apps.core.ids import ID_PATTERN
from apps.core.scope import Scope
from apps.memory.models import Item
from apps.memory.services.extracting import Extract
from apps.resources import selectors as resources
from memory_platform.extraction.observing import LONGEST_CLAUSE, DropReason
from memory_platform.model import Dropped, Fact, Observation, Role

_ID: Final = re.compile(rf"(?<![\w-]){ID_PATTERN}(?![\w-])")


def without_returned(extracts: Sequence[Extract], *, within: Scope) -> list[Extract]:
    """The extracts without the records of such rows, and of the answer they stand in: those become echoes."""
    named = {one for each in extracts for fact in _reported(each) for one in _ids(fact)}
    if not named:
        return list(extracts)
    with scope.enter(within):
        own = _own(named, within.tenant_id)
    return [replace(each, observation=_left_out(each, own)) if _reported(each) else each for each in extracts]


def _reported(extract: Extract) -> Sequence[Fact]:
    return extract.observation.facts if extract.captured.utterance.role is Role.TOOL else ()


def _ids(fact: Fact) -> frozenset[UUID]:
    """The ids of what a record is of, and of what that lies in."""
    return frozenset(map(UUID, _ID.findall(fact.slot.qualifier)))


def _own(ids: Collection[UUID], tenant_id: UUID) -> set[UUID]:
    items = Item.objects.filter(tenant_id=tenant_id, id__in=ids)
    return {*items.values_list("id", flat=True), *resources.readable().filter(id__in=ids).values_list("id", flat=True)}


def _left_out(extract: Extract, own: AbstractSet[UUID]) -> Observation:
    observation = extract.observation
    told = _told(observation, own)
    echoes = [fact for fact in observation.facts if _ids(fact) & told]
    dropped = tuple(Dropped(fact.text[:LONGEST_CLAUSE], DropReason.ECHO) for fact in echoes)
    kept = tuple(fact for fact in observation.facts if not _ids(fact) & told)
    return replace(observation, facts=kept, dropped=(*observation.dropped, *dropped))


def _told(observation: Observation, own: AbstractSet[UUID]) -> frozenset[UUID]:
    """The ids of the answer's rows and of the answer itself, which a quoted line of a block tells, too."""
    chains = [_ids(fact) for fact in observation.facts]
    quotes = any(each.reason == DropReason.ECHO for each in observation.dropped)
    return frozenset().union(*(chain for chain in chains if quotes or chain & own))
