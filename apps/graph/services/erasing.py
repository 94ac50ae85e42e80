"""What goes from the graph: what units that go say, and the names and entities that nothing else speaks of."""

from collections import Counter
from dataclasses import replace
from typing import Final
from uuid import UUID

from django.db.models import Q

from apps.core import erasing, scope
from apps.core.erasing import OF_USER, Doomed, Rule
from apps.core.rows import among
from apps.core.scope import Scope
from apps.graph import stores, topics
from apps.graph.models import Entity, Mention, Projection
from apps.graph.services import exporting, moving, naming
from memory_platform.knowledge.graph import Node, NodeKind, Traces

SAID: Final = (
    Rule("graph_mention", erasing.any_of("unit_id", "units")),
    Rule(
        "graph_relation",
        erasing.either(
            *(
                erasing.any_of(column, "units")
                for column in ("unit_id", "from_unit_id", "to_unit_id", "item_id", "resource_id")
            ),
            erasing.says("object_text", "quote"),
        ),
    ),
    Rule("graph_asked_episode", erasing.any_of("resource_id", "resources")),
)
_SPOKEN_OF: Final = (
    "(entity_id = ANY(%(entities)s::uuid[]) OR " + OF_USER + ") AND NOT EXISTS (SELECT FROM graph_mention said"
    " WHERE said.tenant_id = %(tenant)s AND said.alias_id = graph_alias.id)"
)
_UNNAMED: Final = (
    "(id = ANY(%(entities)s::uuid[]) OR merged_into_id = ANY(%(entities)s::uuid[]) OR " + OF_USER + ")"
    # What was merged has no name of its own left; it stays as long as the other goes by its name.
    " AND NOT EXISTS (SELECT FROM graph_alias name WHERE name.tenant_id = %(tenant)s"
    " AND (name.entity_id = graph_entity.id"
    " OR name.entity_id = graph_entity.merged_into_id AND name.name_key = graph_entity.name_key))"
)
NAMES: Final = (Rule("graph_alias", _SPOKEN_OF), Rule("graph_entity", _UNNAMED))
RULES: Final = (*SAID, *NAMES)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing.

    Entities that are spoken of elsewhere stay, under the names they have there.
    """
    tenant_id = scope.current().tenant_id
    doomed = _with_spoken_of(doomed)
    gone = erasing.purge(RULES, doomed)
    rows = Entity.objects.filter(Q(id__in=doomed.entity_ids), tenant_id=tenant_id)
    kept = set(rows.values_list("id", flat=True))
    moving.recount(tenant_id, kept)
    rows.exclude(summary="").update(summary="", summary_digest="", summary_writer="")
    naming.rename(tenant_id, kept)
    topics.changed(_nodes(doomed))
    return gone


def _with_spoken_of(doomed: Doomed) -> Doomed:
    """With the entities that a projection named which was under way when the others were written down."""
    said = Mention.objects.filter(tenant_id=scope.current().tenant_id, unit_id__in=among(doomed.unit_ids))
    return replace(doomed, entity_ids=tuple({*doomed.entity_ids, *said.values_list("entity_id", flat=True)}))


def is_copied() -> bool:
    """Whether there is a copy on another server."""
    return stores.is_configured()


def purge_copy(doomed: Doomed, *, within: Scope) -> int:
    """Take the nodes out of the copy on another server, where there is one; returns how many it holds no more.

    Called without an open scope. Raises ProviderRetryable while the server is down.
    """
    if not is_copied():
        return 0
    with scope.enter(within):
        if not Projection.objects.filter(tenant_id=within.tenant_id).exists():
            return 0
    return exporting.export(_nodes(doomed), within=within).gone


def left_in_copy(doomed: Doomed, *, before: UUID, within: Scope) -> int:
    """How many rows of the copy on another server are still of it; what a user said from `before` on is not.

    Called without an open scope. Raises ProviderRetryable while the server is down.
    """
    if not is_copied():
        return 0
    wanted = Traces(
        nodes=tuple(node for node in _nodes(doomed) if node.kind is not NodeKind.ENTITY),
        user_id=doomed.user_id,
        words=doomed.words,
        users=doomed.users,
        before=before,
    )
    return stores.writable().traces(within.tenant_id, wanted)


def _nodes(doomed: Doomed) -> list[Node]:
    return [
        *(Node(NodeKind.ITEM, one) for one in doomed.item_ids),
        *(Node(NodeKind.EPISODE, one) for one in doomed.resource_ids),
        *(Node(NodeKind.ENTITY, one) for one in doomed.entity_ids),
    ]
