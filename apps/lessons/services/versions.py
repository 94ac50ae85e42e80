"""Every change of a lesson, with the version that says so."""

from typing import Any
from uuid import UUID

from apps.core import clock, scope
from apps.lessons.models import Lesson, LessonStatus, LessonVersion
from memory_platform.lifecycle.lessons import Pattern
from memory_platform.model import Audience


def make(audience: Audience, pattern: Pattern, **fields: Any) -> Lesson:
    """Store a new lesson."""
    now = clock.now()
    row = Lesson.objects.create(
        tenant_id=scope.current().tenant_id,
        agent_id=audience.agent_id,
        user_id=audience.user_id,
        visibility=audience.visibility.value,
        pattern=pattern.value,
        created_at=now,
        updated_at=now,
        **fields,
    )
    _note(row, "learnt", "")
    return row


def change(row: Lesson, status: LessonStatus, operation: str, *, replaced_by: UUID | None = None) -> None:
    before, row.status = row.status, status
    row.replaced_by_id, row.updated_at = replaced_by, clock.now()
    row.save(update_fields=["status", "replaced_by", "text", "resources", "updated_at"])
    _note(row, operation, before)


def _note(row: Lesson, operation: str, before: str) -> None:
    LessonVersion.objects.create(
        tenant_id=row.tenant_id,
        agent_id=row.agent_id,
        user_id=row.user_id,
        visibility=row.visibility,
        lesson_id=row.id,
        operation=operation,
        before=before,
        after=row.status,
    )
