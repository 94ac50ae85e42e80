"""Names by role: after "Anna is my boss", "my boss" is Anna, until it is somebody else."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from apps.core.sql import statement
from apps.graph.services.annotating import UnitAnnotations
from apps.graph.services.naming import Register, ResolvedName
from memory_platform.knowledge.graph import AliasKind
from memory_platform.knowledge.relations.annotated_sentence import USER
from memory_platform.knowledge.relations.predicates import SINGLE_ROLES
from memory_platform.knowledge.relations.roles import RoleClaim, role_name
from memory_platform.knowledge.resolution import name_key


def learn_roles(register: Register, annotations: UnitAnnotations) -> list[tuple[ResolvedName, UUID]]:
    """Add the names of the roles a unit gives; returns each with who has the role according to it."""
    held = []
    for role in annotations.roles:
        holder = _holder(role, annotations)
        if role.role in SINGLE_ROLES and holder in annotations.names:
            entity_id = register.named(holder).entity_id
            name = role_name(role)
            held.append((register.alias(name, name_key(name), entity_id, AliasKind.ROLE), entity_id))
    return held


def _holder(role: RoleClaim, annotations: UnitAnnotations) -> str:
    """The key of the name in the text that begins with the role's, which is cut after two words."""
    key = name_key(role.name)
    return next((one for one in annotations.names if one == key or one.startswith(f"{key} ")), key)


def hold_roles(tenant_id: UUID, owners: Iterable[UUID]) -> None:
    """Let each role's name stand for whoever has it according to the latest statement that still holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("graph", "hold_roles"),
            {"tenant": tenant_id, "owners": list(owners), "roles": sorted(SINGLE_ROLES), "speaker": USER},
        )
