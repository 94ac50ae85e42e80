"""The tenant's own prices of models, which are added and never changed, and what may be spent on them."""

from typing import Any

from django.contrib import admin
from django.db.models import F
from django.http import HttpRequest
from typing_extensions import override

from apps.budgets import services, standings
from apps.budgets.models import Budget, Price
from apps.core import scope
from apps.tenants.admin import TenantForm, TenantModelAdmin


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


@admin.register(Budget)
class BudgetAdmin(TenantModelAdmin):
    """The amounts are changed in the list."""

    list_display = ("agent_or_all", "period", "soft_usd", "hard_usd", "spent")
    list_display_links = ("agent_or_all",)
    list_editable = ("soft_usd", "hard_usd")
    list_select_related = ("agent",)
    ordering = (F("agent__slug").asc(nulls_first=True), "period")
    fields = ("agent", "period", "soft_usd", "hard_usd")
    actions = None

    @admin.display(description="agent")
    def agent_or_all(self, row: Budget) -> str:
        return row.agent.slug if row.agent else "all agents"

    @admin.display(description="spent (US dollars)")
    def spent(self, row: Budget) -> str:
        standing = next((each for each in standings.current(scope.current()) if each.id == row.id), None)
        return "" if standing is None else f"{standing.spent_usd:.2f} ({standing.pressure})"

    @override
    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> Any:
        """The list's rows are checked as the form's are."""
        return super().get_changelist_form(request, **{**kwargs, "form": TenantForm, "fields": self.list_editable})

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("agent", "period") if obj else ()

    @override
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_change_permission(request, obj)

    @override
    def save_model(self, request: HttpRequest, obj: Budget, form: Any, change: bool) -> None:
        services.save_budget(obj)

    @override
    def delete_model(self, request: HttpRequest, obj: Budget) -> None:
        services.delete_budget(obj.pk)
