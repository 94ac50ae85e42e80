"""What the verbs of lessons do, once the gateway has let the caller in."""

from uuid import UUID

from apps.api import verbs
from apps.api.gateway import Gateway
from apps.api.lessons.contract import Lesson, LessonsFile
from apps.core.paging import PageRequest, Slice
from apps.lessons import selectors, services
from apps.lessons.requests import LessonFilter


def lessons(gateway: Gateway, wanted: LessonFilter, page: PageRequest) -> Slice[Lesson]:
    with gateway.open(verbs.LESSONS, whose=gateway.content_of):
        return gateway.page(Lesson, selectors.lessons(filter=wanted, page=page))


def lessons_file(gateway: Gateway, max_tokens: int | None) -> LessonsFile:
    with gateway.open(verbs.LESSONS_FILE, whose=gateway.content_of):
        return gateway.answer(LessonsFile, selectors.file(max_tokens=max_tokens))


def dismiss_lesson(gateway: Gateway, lesson_id: UUID) -> Lesson:
    with gateway.open(verbs.DISMISS_LESSON):
        return gateway.answer(Lesson, services.dismiss(lesson_id))
