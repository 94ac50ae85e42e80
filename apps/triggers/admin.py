"""Triggers of the chosen tenant, to look at: agents change theirs."""

from django.contrib import admin

from apps.tenants.admin.base import LookedAtAdmin
from apps.tenants.models import ApiKey
from apps.triggers.models import FutureTrigger


@admin.register(FutureTrigger)
class FutureTriggerAdmin(LookedAtAdmin):
    needs = ApiKey.Scope.READ
    icon = "event"
    title = "Triggers"
    list_display = ("at", "precision", "status", "ending", "recurrence", "time_zone", "user_id", "text")
    list_filter = ("status", "precision")
    ordering = ("at", "id")
