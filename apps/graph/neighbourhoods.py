"""The entities around one at a moment, and what ties any two of them: what a picture of the graph is drawn from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.core import clock, scope
from apps.core.sql import statement
from apps.graph.entities import group_of, groups_of
from apps.graph.results import EntityGroup, Neighbourhood, Tie
from memory_platform.knowledge.graph import Moment, RelationKind

MOST_NEIGHBOURS: Final = 60
MOST_TIES: Final = 400
"""Between the entities of a neighbourhood; the most often said come first."""
MENTIONS_LOOKED_AT: Final = 300
"""The newest, from which company is read: a hub's older ones change little."""


def around(
    entity_id: UUID,
    *,
    as_of: datetime | None = None,
    valid_at: datetime | None = None,
    limit: int = MOST_NEIGHBOURS,
) -> Neighbourhood | None:
    """The entity with at most `limit` around it, the closest first: what is stated before what is only said together.

    What was believed at `as_of` to be true at `valid_at`; None: now, or when it was believed. Without such an entity
    None. Needs an open scope and sees what it may read.
    """
    center = group_of(entity_id)
    if center is None:
        return None
    believed = as_of or clock.now()
    asked = _NeighbourhoodQuery(center, Moment(believed, valid_at or believed))
    company = asked.company(limit + 1)
    kept = company[:limit]
    groups = {one.name_key: one for one in groups_of([one.name_key for one in kept])}
    neighbours = tuple(groups[one.name_key] for one in kept if one.name_key in groups)
    stated = tuple(asked.statements([center, *neighbours]))
    return Neighbourhood(
        center=center,
        neighbours=neighbours,
        ties=(*stated, *_together(center, kept, groups, stated)),
        truncated=len(company) > limit,
    )


@dataclass(frozen=True, slots=True)
class _Company:
    """An entity beside the center: how often both are spoken of together, and since when."""

    name_key: str
    together: int
    since: datetime | None


@dataclass(frozen=True, slots=True)
class _NeighbourhoodQuery:
    center: EntityGroup
    moment: Moment

    def company(self, limit: int) -> list[_Company]:
        rows = self._rows("company", looked_at=MENTIONS_LOOKED_AT, limit=limit)
        return [_Company(*row) for row in rows]

    def statements(self, among: Sequence[EntityGroup]) -> Iterator[Tie]:
        """What is stated between any two of these, each once."""
        stands = {one: group.id for group in among for one in group.ids}
        for start, end, kind, *told in self._rows("ties", among=list(stands), limit=MOST_TIES):
            if stands[start] != stands[end]:
                yield Tie(stands[start], stands[end], RelationKind(kind), *told)

    def _rows(self, name: str, **more: object) -> list[tuple[Any, ...]]:
        values: Mapping[str, Any] = {
            "tenant": scope.current().tenant_id,
            "ids": list(self.center.ids),
            "believed": self.moment.believed_at,
            "true": self.moment.true_at,
            **more,
        }
        with connection.cursor() as cursor:
            cursor.execute(statement("graph", name), values)
            return list(cursor.fetchall())


def _together(
    center: EntityGroup, company: Sequence[_Company], groups: Mapping[str, EntityGroup], stated: Sequence[Tie]
) -> Iterator[Tie]:
    """Those of whom nothing is stated that has to do with the center."""
    tied = {end for tie in stated for end in (tie.start, tie.end) if center.id in (tie.start, tie.end)}
    for one in company:
        group = groups.get(one.name_key)
        if group is not None and group.id not in tied and one.since is not None:
            yield Tie(center.id, group.id, RelationKind.MENTIONS, "", one.together, 1.0, one.since, None, None)
