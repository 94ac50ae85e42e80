"""Lessons over REST."""

from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Page, page_of
from apps.api.lessons import handlers
from apps.api.lessons.contract import Lesson, LessonsFile, LessonsFileInput, LessonsInput
from apps.api.rest.routing import gateway_of, serve

router = Router()

MARKDOWN: Final = "text/markdown"
_AS_MARKDOWN: Final = {"responses": {200: {"content": {MARKDOWN: {"schema": {"type": "string"}}}}}}


@serve(router, "GET", "/lessons", verbs.LESSONS)
def lessons(request: HttpRequest, query: Query[LessonsInput]) -> Page[Lesson]:
    """Repeat `status` to allow several."""
    cut = handlers.lessons(gateway_of(request).of_named(query), query.as_filter(), query.as_page())
    return page_of(cut)


@serve(router, "GET", "/lessons.md", verbs.LESSONS_FILE, answers=LessonsFile, describes=_AS_MARKDOWN)
def lessons_file(request: HttpRequest, query: Query[LessonsFileInput]) -> LessonsFile | HttpResponse:
    """The file as it is; with `Accept: application/json` its tokens beside it."""
    file = handlers.lessons_file(gateway_of(request).of(query.user_id), query.max_tokens)
    if request.get_preferred_type([MARKDOWN, "application/json"]) == MARKDOWN:
        return HttpResponse(file.text, content_type=f"{MARKDOWN}; charset=utf-8")
    return file


@serve(router, "POST", "/lessons/{lesson_id}/dismiss", verbs.DISMISS_LESSON)
def dismiss_lesson(request: HttpRequest, lesson_id: UUID) -> Lesson:
    return handlers.dismiss_lesson(gateway_of(request), lesson_id)
