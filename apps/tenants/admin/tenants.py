"""The tenant itself: its name, and whether its keys are refused."""

from typing import Any

from django.contrib import admin
from django.db.models import F, QuerySet
from django.http import HttpRequest
from typing_extensions import override

from apps.tenants import services
from apps.tenants.admin.base import TenantModelAdmin
from apps.tenants.models import ApiKey, Tenant


@admin.register(Tenant)
class TenantAdmin(TenantModelAdmin):
    needs = ApiKey.Scope.ADMIN
    told_as = "tenant"
    named_by = F("slug")
    section = "Access"
    icon = "apartment"
    title = "Tenant"
    tenant_column = "id"
    list_display = ("name", "slug", "created_at", "suspended_at")
    fields = ("slug", "name", "created_at", "suspended_at")
    readonly_fields = ("slug", "created_at", "suspended_at")
    actions = ("suspend", "resume")

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        """`manage.py create_tenant` does it: it looks across tenants, which no request may."""
        return False

    @override
    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        services.rename_tenant(name=form.cleaned_data["name"])

    @admin.action(description="Suspend: refuse its keys", permissions=["change"])
    def suspend(self, request: HttpRequest, _rows: QuerySet[Tenant]) -> None:
        services.set_suspended(suspended=True)
        self.message_user(request, "Suspended. Its keys are refused until it is resumed.")

    @admin.action(description="Resume", permissions=["change"])
    def resume(self, request: HttpRequest, _rows: QuerySet[Tenant]) -> None:
        services.set_suspended(suspended=False)
        self.message_user(request, "Resumed.")
