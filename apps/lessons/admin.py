"""Lessons of the chosen tenant, to look at: agents dismiss theirs."""

from django.contrib import admin

from apps.lessons.models import Lesson, LessonVersion
from apps.tenants.admin.base import LookedAtAdmin
from apps.tenants.models import ApiKey


@admin.register(Lesson)
class LessonAdmin(LookedAtAdmin):
    needs = ApiKey.Scope.READ
    icon = "school"
    list_display = ("created_at", "pattern", "status", "user_id", "text", "item_id")
    list_filter = ("pattern", "status")
    ordering = ("-id",)


@admin.register(LessonVersion)
class LessonVersionAdmin(LookedAtAdmin):
    needs = ApiKey.Scope.READ
    icon = "difference"
    title = "Lessons' history"
    list_display = ("at", "operation", "before", "after", "lesson_id")
    list_filter = ("operation",)
    ordering = ("-id",)
