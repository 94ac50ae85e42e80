"""The tenant's own prices of models, which are added and never changed, and what may be spent on them."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import admin
from django.db.models import CharField, F, Value
from django.db.models.functions import Coalesce, Concat
from django.http import HttpRequest
from django.utils.html import format_html
from typing_extensions import override

from apps.budgets import balances, services
from apps.budgets.models import ALL_AGENTS, Budget, Price
from apps.core import scope
from apps.tenants.admin.base import RowForm, TenantModelAdmin, Tone, badge
from apps.tenants.models import ApiKey
from memory_platform.model import Pressure

_TONES: Final[Mapping[Pressure, Tone]] = {Pressure.OK: "good", Pressure.SOFT: "wary", Pressure.HARD: "bad"}


@admin.register(Price)
class PriceAdmin(TenantModelAdmin):
    needs = ApiKey.Scope.BILLING
    told_as = "price"
    named_by = F("model")
    section = "Tuning"
    icon = "sell"
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

    needs = ApiKey.Scope.BILLING
    told_as = "budget"
    named_by = Concat(Coalesce("agent__slug", Value(ALL_AGENTS)), Value(", a "), "period", output_field=CharField())
    section = "Tuning"
    icon = "savings"
    list_display = ("agent_or_all", "period", "soft_usd", "hard_usd", "spent")
    list_display_links = ("agent_or_all",)
    list_editable = ("soft_usd", "hard_usd")
    list_select_related = ("agent",)
    ordering = (F("agent__slug").asc(nulls_first=True), "period")
    fields = ("agent", "period", "soft_usd", "hard_usd")
    actions = None

    @admin.display(description="agent")
    def agent_or_all(self, row: Budget) -> str:
        return row.agent_or_all

    @admin.display(description="spent (US dollars)")
    def spent(self, row: Budget) -> str:
        balance = next((each for each in balances.current(scope.current()) if each.id == row.id), None)
        if balance is None:
            return ""
        most = next(amount for amount in (row.hard_usd, row.soft_usd) if amount is not None)
        return format_html(
            '<span class="spent"><progress value="{}" max="{}" aria-label="spent"></progress> {} {}</span>',
            min(balance.spent_usd, most),
            most,
            f"{balance.spent_usd:.2f}",
            badge(balance.pressure.value, _TONES[balance.pressure]),
        )

    @override
    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> Any:
        """The list's rows are checked as the form's are."""
        return super().get_changelist_form(request, **{**kwargs, "form": RowForm, "fields": self.list_editable})

    @override
    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The agent of a budget by its name: Django would link to its page, which is not open to who pays."""
        return ("agent_or_all", *self.fields[1:]) if obj else self.fields

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("agent_or_all", "period") if obj else ()

    @override
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_change_permission(request, obj)

    @override
    def save_model(self, request: HttpRequest, obj: Budget, form: Any, change: bool) -> None:
        services.save_budget(obj)

    @override
    def delete_model(self, request: HttpRequest, obj: Budget) -> None:
        services.delete_budget(obj.pk)
