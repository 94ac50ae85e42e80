"""Lessons in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import OfUser, mutation, query
from apps.api.lessons import handlers
from apps.api.lessons.contract import Lesson, LessonFilter, LessonsFile, LessonsFileInput
from apps.core.paging import page


@strawberry.type
class Query:
    @query(verbs.LESSONS)
    def lessons(
        self,
        info: Info,
        filter: LessonFilter | None = None,  # noqa: A002  the API's word
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Lesson]:
        wanted = filter or LessonFilter()
        gateway = info.context.ask(info, wanted.user_id, all_users=wanted.all_users)
        return connection(handlers.lessons(gateway, wanted.as_filter(), page(first, after)), after=after)

    @query(verbs.LESSONS_FILE)
    def lessons_file(self, info: Info, user_id: OfUser = None, max_tokens: int | None = None) -> LessonsFile:
        given = LessonsFileInput.model_validate({"user_id": user_id, "max_tokens": max_tokens})
        return handlers.lessons_file(info.context.ask(info, given.user_id), given.max_tokens)


@strawberry.type
class Mutation:
    @mutation(verbs.DISMISS_LESSON)
    def dismiss_lesson(self, info: Info, id: strawberry.ID) -> Lesson:  # noqa: A002  the API's word
        return handlers.dismiss_lesson(info.context.ask(info), uuid_of(id, field="id"))
