"""Writing the summaries of entities whose facts have changed: by the configured model where it can be believed, else
as the facts stand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from apps.core import scope
from apps.core.scope import Scope
from apps.graph import describing, profiles, viewpoints
from apps.graph.describing import Due
from apps.graph.models import Entity
from apps.graph.results import EntityGroup
from apps.journal.services import record
from apps.memory.results import ItemView
from apps.memory.services.phrasing import Occasion, Wording, worded
from apps.tenants import selectors as tenants
from memory_platform.consolidation.summarising import WRITER
from memory_platform.knowledge.graph import EntityType
from memory_platform.model import JournalLine

OPERATION: Final = "describe"
ENTITIES_AT_ONCE: Final = 50
"""Whose facts are read, and whose summaries are written, in one transaction."""


@dataclass(frozen=True, slots=True)
class _EntityToDescribe:
    due: Due
    name: str
    agent_id: UUID | None
    facts: tuple[ItemView, ...]
    zone: ZoneInfo


def count_undescribed() -> int:
    """How many entities with enough mentions have other facts than their summary. Needs an open scope."""
    return len(_due())


def describe(*, within: Scope) -> Iterator[int]:
    """Write the summaries of entities whose facts have changed; yields how many, a batch at a time.

    Called without an open scope: a model may be asked.
    """
    with scope.enter(within):
        due = _due()
    for start in range(0, len(due), ENTITIES_AT_ONCE):
        with scope.enter(within):
            tasks = _tasks(due[start : start + ENTITIES_AT_ONCE])
        wordings = [_worded(task, within) for task in tasks]
        with scope.enter(within):
            written = _store(tasks, wordings)
        yield written


def _due() -> list[Due]:
    least = tenants.policy(scope.current().tenant_id).entity_summary_mentions
    return describing.due(viewpoints.moment(), least=least)


def _tasks(batch: Sequence[Due]) -> list[_EntityToDescribe]:
    rows = Entity.objects.filter(tenant_id=scope.current().tenant_id, id__in=[each.entity_id for each in batch])
    held = {row.id: row for row in rows}
    zone = tenants.time_zone(scope.current().tenant_id)
    return [_task(each, held[each.entity_id], zone) for each in batch if each.entity_id in held]


def _task(due: Due, row: Entity, zone: ZoneInfo) -> _EntityToDescribe:
    """An entity by itself: those of its name in other audiences have facts of their own."""
    seen = row.first_seen_at or row.created_at
    alone = EntityGroup(
        row.name_key, (row.id,), row.canonical_name, EntityType(row.type), row.mention_count, seen, seen
    )
    return _EntityToDescribe(due, row.canonical_name, row.agent_id, profiles.facts_of(alone, viewpoints.moment()), zone)


def _worded(task: _EntityToDescribe, within: Scope) -> Wording:
    facts = describing.summary_facts(task.facts, task.zone)
    by_rules = Wording(describing.told(task.facts, task.zone), WRITER)
    return worded(task.name, facts, by_rules=by_rules, occasion=Occasion(OPERATION, task.agent_id), within=within)


def _store(tasks: Sequence[_EntityToDescribe], wordings: Sequence[Wording]) -> int:
    """Write the texts, but of entities of which something else holds since: it may have been erased meanwhile."""
    tenant_id = scope.current().tenant_id
    unchanged = describing.unchanged([task.due for task in tasks], viewpoints.moment())
    for task, wording in zip(tasks, wordings, strict=True):
        if task.due.entity_id in unchanged:
            rows = Entity.objects.filter(tenant_id=tenant_id, id=task.due.entity_id)
            rows.update(summary=wording.text, summary_digest=task.due.digest, summary_writer=wording.writer)
    record(JournalLine("graph.described", data={"entities": len(unchanged)}))
    return len(unchanged)
