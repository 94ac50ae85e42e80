"""What units state and cause: the relation rows of a batch brought in line with their annotations, newer values closing
older ones.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from uuid import UUID

from django.db import connection

from apps.core import rows
from apps.core.ids import new_id
from apps.graph.models import Relation
from apps.graph.services.naming import ResolvedName
from apps.graph.units import RecallableUnit
from memory_platform.knowledge.graph import Node, NodeKind, RelationKind
from memory_platform.knowledge.relations.predicates import is_single

_CHANGING = (
    "subject_id", "subject_alias_id", "object_id", "object_alias_id", "confidence", "resource_id", "valid_from",
    "unit_until", "recorded_at", "retracted_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """One relation of a unit: entities (with their keys, which outlive a merge) or units, and how sure it is."""

    kind: RelationKind
    predicate: str
    subject: ResolvedName | None = None
    subject_key: str = ""
    object: ResolvedName | None = None
    object_key: str = ""
    object_text: str = ""
    negated: bool = False
    confidence: float = 1.0
    quote: str = ""
    cause: Node | None = None
    effect: Node | None = None

    @property
    def digest(self) -> int:
        """Tells the relations of one unit apart; signed 64 bits."""
        ends = f"{self.cause.key if self.cause else ''}>{self.effect.key if self.effect else ''}"
        what = (self.kind.value, self.predicate, str(self.negated), self.subject_key, self.object_key)
        text = "\x1f".join((*what, self.object_text, ends))
        return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


@dataclass(slots=True)
class Statements:
    """What a batch's units state now, by rule or by a model; `write` finds out what that changes."""

    tenant_id: UUID
    origin: Relation.Origin = Relation.Origin.RULE
    _wanted: dict[tuple[UUID, int], Relation] = field(default_factory=dict)

    def add(self, unit: RecallableUnit, said: Said) -> None:
        """Note what a unit states."""
        is_item = unit.node.kind is NodeKind.ITEM
        relation = Relation(
            id=new_id(),
            tenant_id=self.tenant_id,
            agent_id=unit.audience.agent_id,
            user_id=unit.audience.user_id,
            visibility=unit.audience.visibility.value,
            unit=unit.node.kind.value,
            unit_id=unit.node.id,
            digest=said.digest,
            kind=said.kind.value,
            origin=self.origin.value,
            predicate=said.predicate,
            negated=said.negated,
            subject_id=said.subject.entity_id if said.subject else None,
            subject_alias_id=said.subject.alias_id if said.subject else None,
            object_id=said.object.entity_id if said.object else None,
            object_alias_id=said.object.alias_id if said.object else None,
            object_text=said.object_text,
            from_unit=said.cause.kind.value if said.cause else None,
            from_unit_id=said.cause.id if said.cause else None,
            to_unit=said.effect.kind.value if said.effect else None,
            to_unit_id=said.effect.id if said.effect else None,
            confidence=round(said.confidence, 3),
            item_id=unit.node.id if is_item else None,
            resource_id=unit.resource_id,
            quote=said.quote,
            valid_from=unit.valid_from,
            valid_until=unit.valid_until,
            unit_until=unit.valid_until,
            recorded_at=unit.recorded_at,
            retracted_at=unit.retracted_at,
        )
        self._wanted.setdefault((unit.node.id, relation.digest), relation)

    @property
    def count(self) -> int:
        return len(self._wanted)

    def insert(self) -> None:
        """Add what was noted and is not there yet; nothing is taken away."""
        rows.insert(list(self._wanted.values()))

    def write(self, unit_ids: Sequence[UUID]) -> set[UUID]:
        """Insert, update and delete the relations of these units and close what they end; returns their entities."""
        stored = {
            (row.unit_id, row.digest): row
            for row in Relation.objects.filter(tenant_id=self.tenant_id, unit_id__in=unit_ids, origin=self.origin.value)
        }
        added = [relation for key, relation in self._wanted.items() if key not in stored]
        gone = [relation for key, relation in stored.items() if key not in self._wanted]
        changed = [
            (stored[key], relation)
            for key, relation in self._wanted.items()
            if key in stored and any(getattr(stored[key], name) != getattr(relation, name) for name in _CHANGING)
        ]
        rows.insert(added)
        rows.update(
            Relation,
            [{"id": old.id, **{name: getattr(new, name) for name in _CHANGING}} for old, new in changed],
            tenant_id=self.tenant_id,
            computed={"valid_until": "least(new.unit_until, stored.closed_at)"},
        )
        if gone:
            Relation.objects.filter(tenant_id=self.tenant_id, id__in=[one.id for one in gone]).delete()
        touched = [*added, *gone, *(one for pair in changed for one in pair)]
        closed = close(self.tenant_id, {one.subject_id for one in touched if one.subject_id is not None})
        ends = {end for one in touched for end in (one.subject_id, one.object_id) if end is not None}
        return ends | closed


def forget_inferred(tenant_id: UUID, unit_ids: Iterable[UUID]) -> None:
    """Take away what a model inferred from units that are gone; nobody asks it again when they come back."""
    gone = list(unit_ids)
    if gone:
        Relation.objects.filter(tenant_id=tenant_id, unit_id__in=gone, origin=Relation.Origin.MODEL.value).delete()


@dataclass(frozen=True, slots=True)
class _Value:
    """One statement of a subject and predicate, as closing looks at it."""

    id: UUID
    object: str
    negated: bool
    valid_from: datetime
    closed_at: datetime | None


def close(tenant_id: UUID, subject_ids: Iterable[UUID]) -> set[UUID]:
    """End what a later statement of the same subject ends: another value of a single-valued predicate, or a negation.

    Computed from all statements that are believed, so that the order they arrived in does not matter. Returns the
    objects of the statements that changed.
    """
    groups = _groups(tenant_id, list(subject_ids))
    ends = {}
    for (_, predicate), values in groups.items():
        ends.update(_ends(values, single=is_single(predicate)))
    stored = {value.id: value.closed_at for values in groups.values() for value in values}
    objects = rows.update(
        Relation,
        [{"id": one, "closed_at": at} for one, at in ends.items() if stored[one] != at],
        tenant_id=tenant_id,
        computed={"valid_until": "least(stored.unit_until, new.closed_at)"},
        returning="object_id",
    )
    return objects - {None}


def _groups(tenant_id: UUID, subject_ids: list[UUID]) -> dict[tuple[UUID, str], list[_Value]]:
    groups: dict[tuple[UUID, str], list[_Value]] = defaultdict(list)
    if not subject_ids:
        return groups
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT subject_id, predicate, id, coalesce(object_id::text, lower(object_text)), negated, valid_from,"
            " closed_at FROM graph_relation WHERE tenant_id = %s AND subject_id = ANY(%s) AND kind <> 'causal'"
            " AND retracted_at IS NULL",
            [tenant_id, subject_ids],
        )
        for subject_id, predicate, *columns in cursor.fetchall():
            groups[subject_id, predicate].append(_Value(*columns))
    return groups


def _ends(values: Sequence[_Value], *, single: bool) -> dict[UUID, datetime | None]:
    """When each statement ends, walking back from the latest: None for those that still hold."""
    ends: dict[UUID, datetime | None] = {}
    negations: dict[str, datetime] = {}
    next_value: tuple[str, datetime, datetime | None] | None = None
    for value in sorted(values, key=lambda one: (one.valid_from, not one.negated, one.id), reverse=True):
        if value.negated:
            negations[value.object] = value.valid_from
            continue
        candidates = [negations.get(value.object)]
        if single and next_value is not None:
            same_object, since, after = next_value
            candidates.append(after if same_object == value.object else since)
        # What is stated at the very same time ends nothing.
        later = [at for at in candidates if at is not None and at > value.valid_from]
        ends[value.id] = min(later, default=None)
        if next_value is None or next_value[0] != value.object:
            next_value = (value.object, value.valid_from, next_value[1] if next_value else None)
        else:
            next_value = (value.object, value.valid_from, next_value[2])
    return ends
