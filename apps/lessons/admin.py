"""Lessons of the chosen tenant, to look at: agents dismiss theirs."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from typing_extensions import override

from apps.lessons.models import Lesson, LessonVersion
from apps.tenants.admin import TenantModelAdmin


class LookedAt(TenantModelAdmin):
    actions = None

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Lesson)
class LessonAdmin(LookedAt):
    list_display = ("created_at", "pattern", "status", "user_id", "text", "item_id")
    list_filter = ("pattern", "status")
    ordering = ("-id",)


@admin.register(LessonVersion)
class LessonVersionAdmin(LookedAt):
    list_display = ("at", "operation", "before", "after", "lesson_id")
    list_filter = ("operation",)
    ordering = ("-id",)
