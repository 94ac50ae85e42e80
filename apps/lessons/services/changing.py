"""What callers do with lessons."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from apps.core import scope
from apps.core.scope import Reach
from apps.journal.services import record
from apps.lessons import selectors
from apps.lessons.models import Lesson, LessonStatus
from apps.lessons.results import ExportedLesson, LessonView
from apps.lessons.services import versions
from memory_platform.errors import Conflict, Forbidden, NotFound
from memory_platform.lifecycle.lessons import Pattern
from memory_platform.model import Audience, JournalLine


def dismiss(lesson_id: UUID) -> LessonView:
    """Take it out of the file for good; the memory it stands on stays. Repeating it changes nothing.

    Raises NotFound, Forbidden for another agent's or, to a user, one of no user, Conflict when it is over.
    """
    found = selectors.lesson(lesson_id)
    if found is None:
        raise NotFound("There is no such lesson.", field="id")
    row = _own(found)
    if row.status == LessonStatus.ACTIVE:
        versions.change(row, LessonStatus.DISMISSED, "dismissed")
        record(JournalLine("lesson.dismissed", "lesson", row.id))
    elif row.status != LessonStatus.DISMISSED:
        raise Conflict("It is over.", hint="Read its status.")
    (view,) = selectors.viewed(filter(None, [selectors.lesson(lesson_id)]))
    return view


def keep_again(exported: ExportedLesson, *, on: UUID | Sequence[UUID]) -> tuple[UUID, bool]:
    """Have a lesson that was exported, `on` an item or messages of its owner; and whether that changed anything.

    One that is there already is left alone, or dismissed where that one was. Needs an open scope.
    """
    row = _resting(exported.owner, on)
    if row is None:
        ground = {"item_id": on} if isinstance(on, UUID) else {"text": exported.text, "resources": list(on)}
        row = versions.make(exported.owner, exported.pattern, status=exported.status, **ground)
        record(JournalLine("lesson.imported", "lesson", row.id))
        return row.id, True
    is_over = exported.status is LessonStatus.DISMISSED and row.status == LessonStatus.ACTIVE
    if is_over:
        versions.change(row, LessonStatus.DISMISSED, "dismissed")
        record(JournalLine("lesson.dismissed", "lesson", row.id))
    return row.id, is_over


def _resting(owner: Audience, on: UUID | Sequence[UUID]) -> Lesson | None:
    """The row that stands on the item, or of a request on some of the messages, locked."""
    of_request = {"pattern": Pattern.REQUEST.value, "resources__overlap": on}
    ground = Q(item_id=on) if isinstance(on, UUID) else Q(**of_request)
    rows = Lesson.objects.filter(ground, tenant_id=scope.current().tenant_id, agent_id=owner.agent_id)
    return rows.filter(user_id=owner.user_id, visibility=owner.visibility).select_for_update().order_by("id").first()


def _own(found: Lesson) -> Lesson:
    """The row, locked. What another agent shares can be read, and is its own to change."""
    opened = scope.current()
    if opened.reach is not Reach.TENANT and found.agent_id != opened.agent_id:
        raise Forbidden("This lesson is another agent's.")
    if found.user_id is None and opened.whose.user_id is not None:
        raise Forbidden("This lesson is no user's, and not one user's to change.")
    return Lesson.objects.select_for_update().get(tenant_id=opened.tenant_id, id=found.id)
