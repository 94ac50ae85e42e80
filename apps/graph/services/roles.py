"""Names by role: after "Anna is my boss", "my boss" is Anna, until it is somebody else."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from apps.core.sql import statement
from apps.graph.services.naming import Register, ResolvedName
from apps.graph.services.readings import GraphReading
from memory_platform.knowledge.graph import AliasKind
from memory_platform.knowledge.relations.predicates import SINGLE_ROLES
from memory_platform.knowledge.relations.roles import RoleClaim, role_name
from memory_platform.knowledge.relations.sentence_reading import USER
from memory_platform.knowledge.resolution import name_key


def learn_roles(register: Register, reading: GraphReading) -> list[tuple[ResolvedName, UUID]]:
    """Add the names of the roles a unit gives; returns each with who has the role according to it."""
    held = []
    for role in reading.roles:
        holder = _holder(role, reading)
        if role.role in SINGLE_ROLES and holder in reading.names:
            entity_id = register.named(holder).entity_id
            name = role_name(role)
            held.append((register.alias(name, name_key(name), entity_id, AliasKind.ROLE), entity_id))
    return held


def _holder(role: RoleClaim, reading: GraphReading) -> str:
    """The key of the name in the text that begins with the role's, which is cut after two words."""
    key = name_key(role.name)
    return next((one for one in reading.names if one == key or one.startswith(f"{key} ")), key)


def hold_roles(tenant_id: UUID, owners: Iterable[UUID]) -> None:
    """Let each role's name stand for whoever has it according to the latest statement that still holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("graph", "hold_roles"),
            {"tenant": tenant_id, "owners": list(owners), "roles": sorted(SINGLE_ROLES), "speaker": USER},
        )
