"""Writing to the journal, always inside the transaction that makes the change it tells of."""

from collections.abc import Iterable
from uuid import UUID

from apps.core import context, scope
from apps.journal.models import Entry, LogText
from memory_platform.model import JournalLine


def record(*lines: JournalLine, agent_id: UUID | None = None) -> list[Entry]:
    """Append entries for the open scope's tenant; `agent_id` defaults to the scope's agent."""
    return Entry.objects.bulk_create(_entries(lines, agent_id))


def log_action(*, action: str, tool: str, detail: str, reason: str) -> Entry:
    """Append what an agent says it did; its words go to the erasable LogText row."""
    opened = scope.current()
    (entry,) = record(JournalLine(operation="agent.logged", subject="log"))
    LogText.objects.create(
        tenant_id=opened.tenant_id,
        entry_id=entry.id,
        agent_id=opened.agent_id,
        user_id=opened.whose.user_id,
        action=action,
        tool=tool,
        detail=detail,
        reason=reason,
    )
    return entry


def _entries(lines: Iterable[JournalLine], agent_id: UUID | None) -> list[Entry]:
    opened = scope.current()
    caller = context.current()
    return [
        Entry(
            tenant_id=opened.tenant_id,
            agent_id=agent_id or opened.agent_id,
            operation=line.operation,
            actor=caller.actor,
            subject=line.subject or "",
            subject_id=line.subject_id,
            request_id=caller.request_id,
            data=dict(line.data),
        )
        for line in lines
    ]
