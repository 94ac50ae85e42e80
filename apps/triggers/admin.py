"""Triggers of the chosen tenant, to look at: agents change theirs."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from typing_extensions import override

from apps.tenants.admin import TenantModelAdmin
from apps.triggers.models import FutureTrigger


@admin.register(FutureTrigger)
class FutureTriggerAdmin(TenantModelAdmin):
    list_display = ("at", "precision", "status", "ending", "recurrence", "time_zone", "user_id", "text")
    list_filter = ("status", "precision")
    ordering = ("at", "id")
    actions = None

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
