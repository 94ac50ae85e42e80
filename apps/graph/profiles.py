"""What is known about an entity at a moment: its facts, its history, who belongs to it and who spoke of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import connection

from apps.core import scope
from apps.core.sql import statement
from apps.graph import describing, viewpoints
from apps.graph.describing import day
from apps.graph.entities import group_of, seeds
from apps.graph.models import Alias
from apps.graph.results import AliasView, EntityGroup, EntityProfile, RelatedEntity, Speaker, StatementView
from apps.graph.traversal import MESSAGE, holds, was_said
from apps.memory import selectors as memory
from apps.memory.results import ItemView
from apps.tenants import selectors as tenants
from memory_platform.knowledge.graph import AliasKind, EntityType, Moment, RelationKind
from memory_platform.text.terms import is_name

FACTS: Final = 20
TIMELINE: Final = 50
RELATED: Final = 20
UNITS_LOOKED_AT: Final = 300
"""The newest mentions from which facts, company and speakers are read: a hub's older ones change little."""


def entity(
    *, entity_id: UUID | None = None, name: str | None = None, as_of: datetime | None = None
) -> EntityProfile | None:
    """The profile of the entity with this id, or best fitting this name; None when there is none to be seen."""
    found = group_of(entity_id) if entity_id else _named(name or "")
    if found is None:
        return None
    asked = _ProfileQuery(found, viewpoints.moment(as_of), is_past=as_of is not None)
    seen = asked.seen()
    if seen is None:
        return None
    count, first, last = seen
    facts, speakers = asked.facts(), asked.who_said()
    return EntityProfile(
        id=found.id,
        name=found.name,
        type=found.type,
        aliases=_aliases(found.ids),
        summary=f"{_head(found, count, day(first, asked.zone))} {asked.described(facts)}".rstrip(),
        mention_count=count,
        first_seen_at=first,
        last_seen_at=last,
        facts=facts,
        timeline=asked.timeline(),
        related=asked.related(),
        who_said=speakers,
    )


def _named(name: str) -> EntityGroup | None:
    best = next(iter(seeds([name])), None)
    return None if best is None else group_of(best.id)


def facts_of(found: EntityGroup, moment: Moment) -> tuple[ItemView, ...]:
    """Items that speak of it and hold then, the most telling first."""
    return _ProfileQuery(found, moment, is_past=False).facts()


@dataclass(frozen=True, slots=True)
class _ProfileQuery:
    """An entity, and as of when."""

    group: EntityGroup
    moment: Moment
    is_past: bool

    @property
    def zone(self) -> ZoneInfo:
        return tenants.time_zone(scope.current().tenant_id)

    def seen(self) -> tuple[int, datetime, datetime] | None:
        """How often it is mentioned, first and last; in the past as it was then."""
        found = self.group
        if not self.is_past:
            return found.mention_count, found.first_seen_at, found.last_seen_at
        sql = f"""
            SELECT count(DISTINCT {MESSAGE.format(mention="m")}), min(m.event_time), max(m.event_time)
            FROM graph_mention m
            WHERE m.entity_id = ANY(%(ids)s) AND {holds("m")}"""  # noqa: S608  constants only
        count, first, last = self._rows(sql)[0]
        return (count, first, last) if count else None

    def facts(self) -> tuple[ItemView, ...]:
        """Items that speak of it and hold: first those that state something of it, then the newest."""
        sql = f"""
            SELECT i.id, EXISTS (
                SELECT FROM graph_relation r WHERE r.tenant_id = %(tenant)s AND r.unit_id = i.id
                    AND r.subject_id = ANY(%(ids)s) AND NOT r.negated) AS is_stated, i.valid_from
            FROM ({self._newest_mentions("item")}) m
            JOIN memory_live_item i ON i.id = m.unit_id AND {holds("i")}
            GROUP BY i.id, i.valid_from ORDER BY is_stated DESC, i.valid_from DESC, i.id LIMIT {FACTS}"""  # noqa: S608  constants only
        ids = [row[0] for row in self._rows(sql)]
        views = memory.hydrate(ids)
        return tuple(views[one] for one in ids if one in views)

    def described(self, facts: Sequence[ItemView]) -> str:
        """What was written about its facts where that still stands; else the first of them as they are."""
        written = None if self.is_past else describing.written(self.group.ids, self.moment)
        return describing.told(facts, self.zone) if written is None else written

    def timeline(self) -> tuple[StatementView, ...]:
        """What was stated of it, oldest first; of more than fit, the latest. What no longer holds is part of it."""
        rows = self._rows(statement("graph", "timeline"), limit=TIMELINE)
        return tuple(_statement(row) for row in reversed(rows))

    def related(self) -> tuple[RelatedEntity, ...]:
        """Entities it is tied to by a statement or mentioned with, the strongest tie first."""
        tied = f"""
            SELECT o.name_key, o.id, o.canonical_name, o.type, r.predicate, r.subject_id = ANY(%(ids)s), count(*),
                o.mention_count
            FROM graph_relation r
            JOIN graph_entity o ON o.tenant_id = r.tenant_id
                AND o.id = CASE WHEN r.subject_id = ANY(%(ids)s) THEN r.object_id ELSE r.subject_id END
            WHERE (r.subject_id = ANY(%(ids)s) OR r.object_id = ANY(%(ids)s)) AND NOT r.negated
                AND o.id <> ALL(%(ids)s) AND {holds("r")}
            GROUP BY 1, 2, 3, 4, 5, 6, 8 ORDER BY 7 DESC LIMIT {RELATED}"""  # noqa: S608  constants only
        beside = f"""
            SELECT o.name_key, o.id, o.canonical_name, o.type, '', true, count(DISTINCT m.unit_id), o.mention_count
            FROM ({self._newest_mentions("")}) m
            JOIN graph_mention n ON n.tenant_id = %(tenant)s AND n.unit_id = m.unit_id AND n.entity_id <> ALL(%(ids)s)
                AND NOT n.is_speaker
            JOIN graph_entity o ON o.tenant_id = n.tenant_id AND o.id = n.entity_id
            GROUP BY 1, 2, 3, 4, 8 ORDER BY 7 DESC LIMIT {RELATED}"""  # noqa: S608  constants only
        found: dict[str, RelatedEntity] = {}
        for key, *columns in (*self._rows(tied), *self._rows(beside)):
            found.setdefault(key, _related(columns))
        return tuple(sorted(found.values(), key=lambda one: (not one.predicate, -one.weight, one.name))[:RELATED])

    def who_said(self) -> tuple[Speaker, ...]:
        """Who spoke of it, in how many of the newest messages; not the entity itself in its own."""
        sql = f"""
            SELECT p.speaker, count(*) FROM ({self._newest_mentions("episode")}) m
            JOIN memory_live_episode p ON p.id = m.unit_id AND {was_said("p")}
            WHERE NOT m.is_speaker GROUP BY p.speaker ORDER BY 2 DESC, 1"""  # noqa: S608  constants only
        counts: dict[str | None, int] = {}
        for speaker, count in self._rows(sql):
            name = speaker if speaker and is_name(speaker) else None
            counts[name] = counts.get(name, 0) + count
        return tuple(Speaker(name, count) for name, count in counts.items())

    def _newest_mentions(self, unit: str) -> str:
        of_unit = f" AND m.unit = '{unit}'" if unit else ""
        return f"""
            SELECT m.unit_id, m.is_speaker FROM graph_mention m
            WHERE m.entity_id = ANY(%(ids)s){of_unit} AND {holds("m")}
            ORDER BY m.valid_from DESC LIMIT {UNITS_LOOKED_AT}"""  # noqa: S608  constants only

    def _rows(self, sql: str, **more: object) -> list[tuple[Any, ...]]:
        values: Mapping[str, Any] = {
            "tenant": scope.current().tenant_id,
            "ids": list(self.group.ids),
            "believed": self.moment.believed_at,
            "true": self.moment.true_at,
            **more,
        }
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            return list(cursor.fetchall())


def _aliases(entity_ids: Sequence[UUID]) -> tuple[AliasView, ...]:
    rows = Alias.objects.filter(tenant_id=scope.current().tenant_id, entity_id__in=entity_ids, mention_count__gt=0)
    found: dict[str, AliasView] = {}
    for name, key, kind, count in rows.order_by("-mention_count", "name_key").values_list(
        "name", "name_key", "kind", "mention_count"
    ):
        before = found.get(key)
        total = count + (before.mention_count if before else 0)
        found[key] = AliasView(before.name if before else name, AliasKind(kind), total)
    return tuple(sorted(found.values(), key=lambda one: (-one.mention_count, one.name)))


def _statement(row: tuple[Any, ...]) -> StatementView:
    kind, *columns = row
    return StatementView(RelationKind(kind), *columns)


def _related(columns: Sequence[Any]) -> RelatedEntity:
    """The weight is n / (n + ln(e + mentions)): it grows with how often, less for what is mentioned everywhere."""
    entity_id, name, kind, predicate, outgoing, count, mentions = columns
    weight = count / (count + math.log(math.e + max(mentions, 0)))
    return RelatedEntity(entity_id, name, EntityType(kind), predicate, outgoing, round(weight, 4))


def _head(found: EntityGroup, count: int, since: str) -> str:
    """Who or what it is."""
    times = "once" if count == 1 else f"{count} times"
    return f"{found.name} ({found.type}), mentioned {times} since {since}."
