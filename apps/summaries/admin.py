"""Summaries of the chosen tenant with their versions, to look at: jobs write them."""

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from apps.summaries import selectors
from apps.summaries.models import CategorySummary
from apps.summaries.results import SummaryVersionView
from apps.tenants.admin.base import LookedAtAdmin
from apps.tenants.models import ApiKey


@admin.register(CategorySummary)
class CategorySummaryAdmin(LookedAtAdmin):
    needs = ApiKey.Scope.READ
    icon = "summarize"
    title = "Summaries"
    list_display = ("category", "user_id", "visibility", "agent_id", "number", "updated_at")
    list_filter = ("category", "visibility")
    ordering = ("category", "id")
    fields = ("category", "user_id", "visibility", "agent_id", "number", "updated_at", "versions")
    readonly_fields = fields

    @admin.display(description="versions, the newest first")
    def versions(self, row: CategorySummary) -> SafeString:
        """But for those that rest on what was forgotten."""
        shown = selectors.versions(selectors.filing_of(row))
        return format_html_join("", "{}", ((_version(each),) for each in shown))


def _version(each: SummaryVersionView) -> SafeString:
    told = f"{each.number} · {each.at:%Y-%m-%d %H:%M} UTC · {each.writer} {each.degraded}"
    return format_html("<h3>{}</h3><pre>{}</pre><pre>{}</pre>", told.strip(), each.text, each.diff)
