"""The tenant's own prices of models. A price is added, never changed."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from typing_extensions import override

from apps.budgets import services
from apps.budgets.models import Price
from apps.tenants.admin import TenantModelAdmin


@admin.register(Price)
class PriceAdmin(TenantModelAdmin):
    list_display = ("model", "usd_per_million_in", "usd_per_million_out", "valid_from")
    fields = ("model", "usd_per_million_in", "usd_per_million_out", "valid_from")
    actions = None

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @override
    def save_model(self, request: HttpRequest, obj: Price, form: Any, change: bool) -> None:
        services.add_price(obj)
