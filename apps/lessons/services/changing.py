"""What callers do with lessons."""

from uuid import UUID

from apps.core import scope
from apps.core.scope import Reach
from apps.journal.services import record
from apps.lessons import selectors
from apps.lessons.models import Lesson, LessonStatus
from apps.lessons.results import LessonView
from apps.lessons.services import versions
from memory_platform.errors import Conflict, Forbidden, NotFound
from memory_platform.model import JournalLine


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


def _own(found: Lesson) -> Lesson:
    """The row, locked. What another agent shares can be read, and is its own to change."""
    opened = scope.current()
    if opened.reach is not Reach.TENANT and found.agent_id != opened.agent_id:
        raise Forbidden("This lesson is another agent's.")
    if found.user_id is None and opened.whose.user_id is not None:
        raise Forbidden("This lesson is no user's, and not one user's to change.")
    return Lesson.objects.select_for_update().get(tenant_id=opened.tenant_id, id=found.id)
