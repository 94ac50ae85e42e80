"""Finding entities: by name, exactly or nearly, and in lists. Those of one name that a reader sees are one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Exists, F, IntegerField, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Cast
from rapidfuzz import process
from rapidfuzz.distance import OSA

from apps.core import paging, scope
from apps.core.paging import PageRequest, Slice
from apps.graph.models import Alias, Entity
from apps.graph.results import EntityGroup, EntityView, SeedEntity
from memory_platform.knowledge.graph import AliasKind, EntityType
from memory_platform.knowledge.relations.predicates import SINGLE_ROLES
from memory_platform.knowledge.resolution import have_same_numbers, name_key, similarity
from memory_platform.model import Visibility, Whose

SHORTEST_FUZZY: Final = 4
NEAREST_FUZZY: Final = 0.8
"""Similarity (one minus edits by length) from which a name is meant by a query that writes it otherwise."""
PART_OF_NAME: Final = 0.9
"""Similarity given to a first name for the full one."""
MOST_COMPARED: Final = 20_000
_ORDER: Final = ("-total_mentions", "id")


_GROUPS = """
SELECT e.name_key, array_agg(e.id ORDER BY e.id), (array_agg(e.canonical_name ORDER BY e.id))[1],
    (array_agg(e.type ORDER BY e.type_confidence DESC, e.id))[1], sum(e.mention_count)::integer, min(e.first_seen_at),
    max(e.last_seen_at)
FROM graph_entity e
WHERE e.tenant_id = %(tenant)s AND e.mention_count > 0 AND e.name_key = ANY(%(keys)s) GROUP BY e.name_key
"""
_NAMED = """
SELECT a.name_key, e.name_key FROM graph_alias a
JOIN graph_entity e ON e.tenant_id = a.tenant_id AND e.id = a.entity_id AND e.mention_count > 0
WHERE a.tenant_id = %(tenant)s
"""
_EXACTLY: Final = _NAMED + " AND a.name_key = ANY(%(keys)s)"
_MY: Final = "my "


def seeds(names: Sequence[str], *, fuzzy: bool = True) -> list[SeedEntity]:
    """The entities these names stand for, the best fit first, then the most mentioned; each once.

    A name is an alias, whole; with `fuzzy` one without such an entity may be a slip of one, or a first name. "my boss"
    is the boss of whoever speaks, if that is clear.
    """
    keys = {key for key in map(name_key, names) if key}
    if not keys:
        return []
    found = _named(_EXACTLY, list(keys))
    if own := _speakers_own(keys - found.keys()):
        found |= _named(_EXACTLY, own)
    fits = {entity_key: 1.0 for own in found.values() for entity_key in own}
    if fuzzy:
        for entity_key, fit in _nearly(keys - found.keys()).items():
            fits.setdefault(entity_key, fit)
    made = [
        SeedEntity(one.id, one.name_key, one.mention_count, one.name, one.type, fits[one.name_key])
        for one in groups_of(list(fits))
    ]
    return sorted(made, key=lambda seed: (-seed.similarity, -seed.mention_count, seed.name_key))


_OWN_ROLES = """
SELECT role.name_key FROM graph_alias role
JOIN graph_alias own ON own.tenant_id = role.tenant_id AND own.name_key || %(role)s = role.name_key
WHERE role.tenant_id = %(tenant)s AND role.kind = 'role' AND right(role.name_key, length(%(role)s)) = %(role)s
    AND EXISTS (
        SELECT FROM graph_mention m WHERE m.tenant_id = own.tenant_id AND m.entity_id = own.entity_id AND m.is_speaker)
GROUP BY role.name_key LIMIT 2
"""


def _speakers_own(keys: Iterable[str]) -> list[str]:
    """What "my boss" means where the speakers have names: the boss of the one speaker who has one."""
    roles = (key.removeprefix(_MY) for key in keys if key.startswith(_MY))
    owned = [_owned(role) for role in roles if role in SINGLE_ROLES]
    return [key for own in owned if len(own) == 1 for key in own]


def _owned(role: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(_OWN_ROLES, {"tenant": scope.current().tenant_id, "role": f"'s {role}"})
        return [row[0] for row in cursor.fetchall()]


_NAMING = """
SELECT m.unit_id FROM graph_mention m
WHERE m.tenant_id = %(tenant)s AND m.entity_id = ANY(%(ids)s)
GROUP BY m.unit_id ORDER BY max(m.valid_from) DESC, m.unit_id LIMIT %(limit)s
"""


def units_naming(name: str, *, limit: int) -> list[UUID]:
    """The units that mention, or ever mentioned, an entity of this name under whichever of its aliases; newest first.

    Whether a unit still holds is for the reader to say, who knows as of when is asked.
    """
    named = seeds([name], fuzzy=False)
    ids = [each for one in groups_of([seed.name_key for seed in named]) for each in one.ids]
    with connection.cursor() as cursor:
        tenant_id = scope.current().tenant_id
        cursor.execute(_NAMING, {"tenant": tenant_id, "ids": ids, "limit": limit})
        return [row[0] for row in cursor.fetchall()]


def groups_of(keys: Sequence[str]) -> list[EntityGroup]:
    """What stands for each of these name keys, where something does."""
    if not keys:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_GROUPS, {"tenant": scope.current().tenant_id, "keys": list(keys)})
        return [
            EntityGroup(key, tuple(ids), name, EntityType(kind), mentions, first, last)
            for key, ids, name, kind, mentions, first, last in cursor.fetchall()
        ]


def group_of(entity_id: UUID) -> EntityGroup | None:
    """What stands for the entity with this id, or for the one it was merged into; None when it cannot be read."""
    rows = Entity.objects.filter(tenant_id=scope.current().tenant_id, id=entity_id)
    row: tuple[str, UUID | None] | None = rows.values_list("name_key", "merged_into_id").first()
    if row is None:
        return None
    key, merged_into = row
    if merged_into is not None:
        return group_of(merged_into)
    return next(iter(groups_of([key])), None)


def owner_of(entity_id: UUID) -> Whose:
    """Whose entity it is, as far as it can be read; no user's when it cannot."""
    rows = Entity.objects.filter(tenant_id=scope.current().tenant_id, id=entity_id)
    return Whose(rows.values_list("user_id", flat=True).first())


def entities(
    *,
    search: str | None = None,
    entity_type: EntityType | None = None,
    page: PageRequest,
) -> Slice[EntityView]:
    """Entities something mentions, the most mentioned first; `search` finds part of a name. Raises Invalid."""
    tenant_id = scope.current().tenant_id
    visible = Entity.objects.filter(tenant_id=tenant_id, mention_count__gt=0)
    rows = _one_of_each_name(visible)
    if entity_type is not None:
        rows = rows.filter(type=entity_type.value)
    if search:
        aliases = Alias.objects.filter(
            tenant_id=tenant_id, entity_id=OuterRef("id"), mention_count__gt=0, name_key__contains=name_key(search)
        )
        rows = rows.filter(Exists(aliases))
    found = paging.paginate(rows, order=_ORDER, page=page)
    return found.of(_views(found.rows))


def view(entity_id: UUID) -> EntityView:
    """One entity as it is, namesakes of other audiences left aside. Raises Entity.DoesNotExist."""
    row = Entity.objects.get(tenant_id=scope.current().tenant_id, id=entity_id)
    return EntityView(
        id=row.id,
        name=row.canonical_name,
        type=EntityType(row.type),
        aliases=tuple(one for one in aliases_of([row.id])[row.id] if one != row.canonical_name),
        mention_count=row.mention_count,
        first_seen_at=row.first_seen_at or row.created_at,
        last_seen_at=row.last_seen_at or row.created_at,
        visibility=Visibility(row.visibility),
        user_id=row.user_id,
    )


def _one_of_each_name(visible: "QuerySet[Entity]") -> "QuerySet[Any]":
    """The entity that stands for its name, with what all of that name add up to."""
    same = visible.filter(name_key=OuterRef("name_key")).order_by().values("name_key")
    return visible.annotate(
        total_mentions=Cast(Subquery(same.annotate(total=Sum("mention_count")).values("total")), IntegerField()),
        first=Subquery(same.annotate(total=Min("first_seen_at")).values("total")),
        last=Subquery(same.annotate(total=Max("last_seen_at")).values("total")),
    ).filter(~Exists(visible.filter(name_key=OuterRef("name_key"), id__lt=OuterRef("id"))))


def _views(rows: Iterable[Any]) -> list[EntityView]:
    listed = list(rows)
    names = aliases_of([row.id for row in listed])
    return [
        EntityView(
            id=row.id,
            name=row.canonical_name,
            type=EntityType(row.type),
            aliases=tuple(one for one in names[row.id] if one != row.canonical_name),
            mention_count=row.total_mentions,
            first_seen_at=row.first,
            last_seen_at=row.last,
            visibility=Visibility(row.visibility),
            user_id=row.user_id,
        )
        for row in listed
    ]


def aliases_of(entity_ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    """The names each entity is mentioned by, the most used first."""
    found: dict[UUID, list[str]] = defaultdict(list)
    rows = Alias.objects.filter(
        Q(mention_count__gt=0), tenant_id=scope.current().tenant_id, entity_id__in=entity_ids
    ).order_by(F("mention_count").desc(), "name_key")
    for entity_id, name in rows.values_list("entity_id", "name"):
        found[entity_id].append(name)
    return found


def _named(statement: str, keys: list[str]) -> dict[str, set[str]]:
    """Alias key → keys of the entities that go by it."""
    found: dict[str, set[str]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute(statement, {"tenant": scope.current().tenant_id, "keys": keys})
        for alias_key, entity_key in cursor.fetchall():
            found[alias_key].add(entity_key)
    return found


def _nearly(keys: Iterable[str]) -> dict[str, float]:
    """Keys of entities whose names are nearly these, with how nearly."""
    wanted = [key for key in keys if len(key) >= SHORTEST_FUZZY]
    if not wanted:
        return {}
    statement = (
        f"{_NAMED} AND left(a.name_key, 1) = ANY(%(keys)s) AND a.kind <> '{AliasKind.ROLE}'"
        f" ORDER BY a.mention_count DESC LIMIT {MOST_COMPARED}"
    )
    known = _named(statement, sorted({key[0] for key in wanted}))
    fits: dict[str, float] = {}
    for key in wanted:
        for other, fit in _similar(key, list(known)):
            for entity_key in known[other]:
                fits[entity_key] = max(fit, fits.get(entity_key, 0.0))
    return fits


def _similar(key: str, known: Sequence[str]) -> list[tuple[str, float]]:
    near = process.extract(key, known, scorer=OSA.normalized_similarity, score_cutoff=NEAREST_FUZZY, limit=3)
    found = [(other, similarity(key, other)) for other, _, _ in near if have_same_numbers(key, other)]
    if found or " " in key:
        return found
    return [(other, PART_OF_NAME) for other in known if other.startswith(f"{key} ")][:3]
