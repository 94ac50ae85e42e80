"""Summaries of the chosen tenant with their versions, to look at: jobs write them."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from typing_extensions import override

from apps.summaries import selectors
from apps.summaries.models import CategorySummary
from apps.summaries.results import VersionView
from apps.tenants.admin import TenantModelAdmin


@admin.register(CategorySummary)
class CategorySummaryAdmin(TenantModelAdmin):
    list_display = ("category", "user_id", "visibility", "agent_id", "number", "updated_at")
    list_filter = ("category", "visibility")
    ordering = ("category", "id")
    fields = ("category", "user_id", "visibility", "agent_id", "number", "updated_at", "versions")
    readonly_fields = fields
    actions = None

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="versions, the newest first")
    def versions(self, row: CategorySummary) -> SafeString:
        """But for those that rest on what was forgotten."""
        shown = selectors.versions(selectors.filing_of(row))
        return format_html_join("", "{}", ((_version(each),) for each in shown))


def _version(each: VersionView) -> SafeString:
    told = f"{each.number} · {each.at:%Y-%m-%d %H:%M} UTC · {each.writer} {each.degraded}"
    return format_html("<h3>{}</h3><pre>{}</pre><pre>{}</pre>", told.strip(), each.text, each.diff)
