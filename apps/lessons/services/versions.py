"""Every change of a lesson, with the version that says so."""

from uuid import UUID

from apps.core import clock
from apps.lessons.models import Lesson, LessonStatus, LessonVersion


def make(row: Lesson, operation: str = "learnt") -> Lesson:
    """Store a new lesson."""
    row.save(force_insert=True)
    _note(row, operation, "")
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
