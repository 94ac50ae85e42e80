"""Which units mention which entities: the rows of a batch brought in line with their annotations."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection

from apps.core import rows
from apps.core.ids import new_id
from apps.graph.models import Alias, Entity, Mention
from apps.graph.services import moving
from apps.graph.services.naming import ResolvedName
from apps.graph.traversal import MESSAGE
from apps.graph.units import RecallableUnit

_CHANGING = ("entity_id", "is_speaker", "event_time", "valid_from", "valid_until", "recorded_at", "retracted_at")


@dataclass(slots=True)
class Mentions:
    """What a batch's units mention now; `write` finds out what that changes."""

    tenant_id: UUID
    _wanted: dict[tuple[UUID, UUID], Mention] = field(default_factory=dict)
    _message: dict[UUID, UUID] = field(default_factory=dict)

    def add(
        self, unit: RecallableUnit, named: ResolvedName, *, entity_id: UUID | None = None, is_speaker: bool = False
    ) -> None:
        """Note that the unit mentions a name; `entity_id`: of somebody else than the name's entity today."""
        self._message[unit.node.id] = unit.resource_id or unit.node.id
        self._wanted.setdefault(
            (unit.node.id, named.alias_id),
            Mention(
                id=new_id(),
                tenant_id=self.tenant_id,
                agent_id=unit.audience.agent_id,
                user_id=unit.audience.user_id,
                visibility=unit.audience.visibility.value,
                entity_id=entity_id or named.entity_id,
                alias_id=named.alias_id,
                unit=unit.node.kind.value,
                unit_id=unit.node.id,
                is_speaker=is_speaker,
                event_time=unit.event_time,
                valid_from=unit.valid_from,
                valid_until=unit.valid_until,
                recorded_at=unit.recorded_at,
                retracted_at=unit.retracted_at,
            ),
        )

    def write(self, unit_ids: Sequence[UUID]) -> set[UUID]:
        """Insert, update and delete the mentions of these units; returns the entities whose mentions changed."""
        stored = {
            (row.unit_id, row.alias_id): row
            for row in Mention.objects.filter(tenant_id=self.tenant_id, unit_id__in=unit_ids)
        }
        added = [mention for key, mention in self._wanted.items() if key not in stored]
        gone = [mention for key, mention in stored.items() if key not in self._wanted]
        changed = [
            (stored[key], mention)
            for key, mention in self._wanted.items()
            if key in stored and any(getattr(stored[key], name) != getattr(mention, name) for name in _CHANGING)
        ]
        rows.insert(added)
        rows.update(
            Mention,
            [{"id": old.id, **{name: getattr(new, name) for name in _CHANGING}} for old, new in changed],
            tenant_id=self.tenant_id,
        )
        self._delete(gone)
        moved = {one.entity_id for pair in changed if pair[0].entity_id != pair[1].entity_id for one in pair}
        self._count(added, {*moved, *(one.entity_id for one in gone)})
        return {one.entity_id for one in (*added, *gone, *(pair[1] for pair in changed))} | moved

    @property
    def count(self) -> int:
        return len(self._wanted)

    def _delete(self, gone: Sequence[Mention]) -> None:
        if gone:
            Mention.objects.filter(tenant_id=self.tenant_id, id__in=[one.id for one in gone]).delete()

    def _count(self, added: Sequence[Mention], recounted: set[UUID]) -> None:
        """Add to the counts what messages did not mention before; count anew where something went."""
        moving.recount(self.tenant_id, recounted)
        fresh = [one for one in added if one.entity_id not in recounted]
        before = self._mentioned_before(fresh)
        names = {(one.alias_id, self._message[one.unit_id]) for one in fresh} - {(alias, at) for alias, _, at in before}
        entities = {(one.entity_id, self._message[one.unit_id]) for one in fresh} - {(own, at) for _, own, at in before}
        _add_to_aliases(self.tenant_id, Counter(alias_id for alias_id, _ in names))
        _add_to_entities(self.tenant_id, fresh, Counter(entity_id for entity_id, _ in entities))

    def _mentioned_before(self, added: Sequence[Mention]) -> set[tuple[UUID, UUID, UUID]]:
        """(alias, entity, message) of what the added mentions' messages, and items from them, mentioned already."""
        if not added:
            return set()
        messages = list({self._message[one.unit_id] for one in added})
        with connection.cursor() as cursor:
            cursor.execute(
                _BEFORE, {"tenant": self.tenant_id, "messages": messages, "added": [one.id for one in added]}
            )
            return set(cursor.fetchall())


_BEFORE = f"""
WITH units AS (
    SELECT unnest(%(messages)s::uuid[]) AS id
    UNION SELECT item_id FROM memory_origin WHERE tenant_id = %(tenant)s AND resource_id = ANY(%(messages)s)
)
SELECT m.alias_id, m.entity_id, {MESSAGE.format(mention="m")} FROM graph_mention m JOIN units ON units.id = m.unit_id
WHERE m.tenant_id = %(tenant)s AND m.id <> ALL(%(added)s)
"""  # noqa: S608  constants only


_MENTION_COUNT = "stored.mention_count + new.mention_count"


def _add_to_aliases(tenant_id: UUID, counts: Mapping[UUID, int]) -> None:
    values = [{"id": alias_id, "mention_count": count} for alias_id, count in counts.items()]
    rows.update(Alias, values, tenant_id=tenant_id, computed={"mention_count": _MENTION_COUNT})


def _add_to_entities(tenant_id: UUID, added: Sequence[Mention], counts: Mapping[UUID, int]) -> None:
    times: dict[UUID, list[datetime]] = {}
    for one in added:
        times.setdefault(one.entity_id, []).append(one.event_time)
    rows.update(
        Entity,
        [
            {"id": each, "mention_count": counts.get(each, 0), "first_seen_at": min(own), "last_seen_at": max(own)}
            for each, own in times.items()
        ],
        tenant_id=tenant_id,
        computed={
            "mention_count": _MENTION_COUNT,
            "first_seen_at": "least(stored.first_seen_at, new.first_seen_at)",
            "last_seen_at": "greatest(stored.last_seen_at, new.last_seen_at)",
        },
    )
