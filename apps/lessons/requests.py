"""What is asked of lessons."""

from dataclasses import dataclass

from apps.lessons.models import LessonStatus


@dataclass(frozen=True, slots=True)
class LessonFilter:
    """`statuses` None: those that hold."""

    statuses: tuple[LessonStatus, ...] | None = None
