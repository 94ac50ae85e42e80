"""Putting right what resolution got wrong: merging entities that are one, splitting one that is several.

Names move, and their mentions and relations with them: each knows by which name it came, so every merge can be split.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import Q

from apps.core import scope
from apps.core.ids import new_id
from apps.core.scope import Reach
from apps.graph import topics
from apps.graph.entities import view
from apps.graph.models import Alias, Entity, Mention, Relation
from apps.graph.results import EntityView
from apps.graph.services import audiences, moving, naming
from apps.graph.services.audiences import Owner
from apps.graph.services.statements import close
from apps.journal.services import record
from memory_platform.errors import Forbidden, Invalid, NotFound
from memory_platform.knowledge.graph import AliasKind, Node, NodeKind
from memory_platform.knowledge.resolution import name_key
from memory_platform.model import JournalLine, Visibility


def merge_entities(into: UUID, from_ids: Sequence[UUID]) -> EntityView:
    """Make the names of `from_ids` names of `into`; their mentions and relations follow. Repeating it changes nothing.

    Raises NotFound for an unknown or unreadable entity, Invalid when they belong to different audiences or the list
    is empty, Forbidden for shared ones without the tenant's reach.
    """
    wanted = list(dict.fromkeys(from_ids))
    if not wanted or into in wanted:
        raise Invalid("Name at least one entity to merge, and not the one it is merged into.", field="from")
    rows = _locked([into, *wanted])
    target, merged = rows[into], [rows[one] for one in wanted if rows[one].merged_into_id != into]
    if target.merged_into_id is not None:
        raise Invalid("The entity was merged into another one.", field="into", hint="Merge into that one, or split it.")
    if any(_owner(one) != _owner(target) for one in merged):
        raise Invalid(
            "These entities belong to different audiences (agent, user, private or shared).",
            field="from",
            hint="Merge within one audience; entities of one name are shown as one to whoever may read both.",
        )
    if merged:
        _move(_aliases([one.id for one in merged]), target.id)
        ids = [one.id for one in merged]
        earlier = Q(id__in=ids) | Q(merged_into_id__in=ids)
        Entity.objects.filter(earlier, tenant_id=target.tenant_id).update(merged_into=target)
        _settle(target.tenant_id, [target.id, *ids])
        _record("graph.merged", target, {"from": [str(one.id) for one in merged]})
    return view(target.id)


def split_entity(entity_id: UUID, aliases: Sequence[str]) -> EntityView:
    """Give these names of the entity an entity of their own (the one they came from, if a merge brought them).

    Raises NotFound for an unknown entity or name, Invalid when no name would stay, Forbidden as merging does.
    """
    entity = _locked([entity_id])[entity_id]
    own = _aliases([entity_id])
    keys = {name_key(name) for name in aliases}
    leaving = [alias for alias in own if alias.name_key in keys]
    if not keys or keys - {alias.name_key for alias in leaving}:
        raise NotFound("The entity has no such name.", field="aliases", hint="Its profile lists its names.")
    if not any(_is_proper(alias) for alias in own if alias not in leaving):
        raise Invalid("No name would stay.", field="aliases", hint="Name only those that belong to somebody else.")
    if not any(_is_proper(alias) for alias in leaving):
        raise Invalid(
            "A role or initials alone name nobody.", field="aliases", hint="Split off a name of its own with them."
        )
    other = _origin(entity, leaving) or _new(entity, leaving)
    _move(leaving, other.id)
    _settle(entity.tenant_id, [entity.id, other.id])
    _record("graph.split", entity, {"into": str(other.id), "aliases": len(leaving)})
    return view(other.id)


def _locked(ids: Sequence[UUID]) -> dict[UUID, Entity]:
    """The entities, under their audiences' locks. Raises NotFound, Forbidden."""
    rows = _rows(ids)
    audiences.lock({_owner(row) for row in rows.values()})
    return _rows(ids)


def _rows(ids: Sequence[UUID]) -> dict[UUID, Entity]:
    rows = {row.id: row for row in Entity.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids)}
    if set(ids) - rows.keys():
        raise NotFound("There is no such entity.", field="id")
    if scope.current().reach is not Reach.TENANT and any(row.visibility == Visibility.SHARED for row in rows.values()):
        raise Forbidden("Shared entities belong to all agents: a member of the tenant can change them, no agent.")
    return rows


def _owner(row: Entity) -> Owner:
    return Owner(row.tenant_id, row.agent_id, row.user_id, Visibility(row.visibility))


def _aliases(entity_ids: Sequence[UUID]) -> list[Alias]:
    return list(Alias.objects.filter(tenant_id=scope.current().tenant_id, entity_id__in=entity_ids).order_by("id"))


def _is_proper(alias: Alias) -> bool:
    return alias.kind not in {AliasKind.ROLE, AliasKind.INITIALS}


def _move(aliases: Sequence[Alias], entity_id: UUID) -> None:
    """Move the names and pin them: no rule moves what a person put in its place."""
    ids = [alias.id for alias in aliases]
    moving.move(scope.current().tenant_id, dict.fromkeys(ids, entity_id))
    Alias.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids).update(pinned=True)


def _origin(entity: Entity, leaving: Sequence[Alias]) -> Entity | None:
    """The entity whose own name is among those that leave, and that was merged into this one."""
    rows = Entity.objects.filter(
        tenant_id=entity.tenant_id, merged_into_id=entity.id, name_key__in=[alias.name_key for alias in leaving]
    )
    origin = rows.order_by("id").first()
    if origin is not None:
        origin.merged_into = None
        origin.save(update_fields=["merged_into"])
    return origin


def _new(entity: Entity, leaving: Sequence[Alias]) -> Entity:
    name = next(alias for alias in leaving if _is_proper(alias))
    return Entity.objects.create(
        id=new_id(),
        tenant_id=entity.tenant_id,
        agent_id=entity.agent_id,
        user_id=entity.user_id,
        visibility=entity.visibility,
        canonical_name=name.name,
        name_key=name.name_key,
        type=entity.type,
        type_confidence=entity.type_confidence,
    )


def _settle(tenant_id: UUID, entity_ids: Sequence[UUID]) -> None:
    """What follows from names having moved: shown names, what closes what, copies of the graph."""
    naming.rename(tenant_id, entity_ids)
    spoken_of = Relation.objects.filter(tenant_id=tenant_id, object_id__in=entity_ids, subject_id__isnull=False)
    others = close(tenant_id, {*entity_ids, *spoken_of.values_list("subject_id", flat=True)})
    topics.changed([*_nodes({*entity_ids, *others}), *_units(tenant_id, entity_ids)])


def _nodes(entity_ids: Iterable[UUID]) -> list[Node]:
    return [Node(NodeKind.ENTITY, one) for one in entity_ids]


def _units(tenant_id: UUID, entity_ids: Sequence[UUID]) -> list[Node]:
    """The units whose mentions have moved."""
    rows = Mention.objects.filter(tenant_id=tenant_id, entity_id__in=entity_ids).values_list("unit", "unit_id")
    return [Node(NodeKind(unit), unit_id) for unit, unit_id in rows.distinct()]


def _record(operation: str, entity: Entity, data: dict[str, object]) -> None:
    record(JournalLine(operation, "entity", entity.id, data))
