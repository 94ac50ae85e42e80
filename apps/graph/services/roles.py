"""Names by role: after "Anna is my boss", "my boss" is Anna, until it is somebody else."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from apps.graph.services.naming import Named, Register
from apps.graph.services.readings import Reading
from memory_platform.knowledge.graph import AliasKind
from memory_platform.knowledge.relations import SINGLE_ROLES, USER, Role, role_name
from memory_platform.knowledge.resolution import name_key


def learn_roles(register: Register, reading: Reading) -> list[tuple[Named, UUID]]:
    """Add the names of the roles a unit gives; returns each with who has the role according to it."""
    held = []
    for role in reading.roles:
        holder = _holder(role, reading)
        if role.role in SINGLE_ROLES and holder in reading.names:
            entity_id = register.named(holder).entity_id
            name = role_name(role)
            held.append((register.alias(name, name_key(name), entity_id, AliasKind.ROLE), entity_id))
    return held


def _holder(role: Role, reading: Reading) -> str:
    """The key of the name in the text that begins with the role's, which is cut after two words."""
    key = name_key(role.name)
    return next((one for one in reading.names if one == key or one.startswith(f"{key} ")), key)


_HOLDERS = f"""
UPDATE graph_alias a SET entity_id = held.holder FROM (
    SELECT DISTINCT ON (r.tenant_id, r.subject_id, r.predicate) r.object_id AS holder, r.predicate,
        own.name_key AS owner, r.visibility, r.user_id, s.agent_id
    FROM graph_relation r
    JOIN graph_entity s ON s.tenant_id = r.tenant_id AND s.id = r.subject_id
    JOIN graph_alias own ON own.tenant_id = r.tenant_id AND own.id = r.subject_alias_id
    WHERE r.tenant_id = %(tenant)s AND r.subject_id = ANY(%(owners)s) AND r.predicate = ANY(%(roles)s)
        AND NOT r.negated AND r.object_id IS NOT NULL AND r.closed_at IS NULL AND r.retracted_at IS NULL
    ORDER BY r.tenant_id, r.subject_id, r.predicate, r.valid_from DESC, r.id
) held
WHERE a.tenant_id = %(tenant)s AND a.kind = 'role' AND NOT a.pinned AND a.entity_id <> held.holder
    AND a.visibility = held.visibility AND a.user_id IS NOT DISTINCT FROM held.user_id
    AND a.agent_id IS NOT DISTINCT FROM held.agent_id
    AND a.name_key = CASE held.owner WHEN '{USER}' THEN 'my ' ELSE held.owner || '''s ' END || held.predicate
"""  # noqa: S608  constants only


def hold_roles(tenant_id: UUID, owners: Iterable[UUID]) -> None:
    """Let each role's name stand for whoever has it according to the latest statement that still holds."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLDERS, {"tenant": tenant_id, "owners": list(owners), "roles": sorted(SINGLE_ROLES)})
