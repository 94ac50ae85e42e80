"""The agents that hold keys."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from typing_extensions import override

from apps.tenants import selectors, services
from apps.tenants.admin.base import TenantModelAdmin, changes_of
from apps.tenants.models import Agent, ApiKey
from apps.tenants.selectors import KeyState


@admin.register(Agent)
class AgentAdmin(TenantModelAdmin):
    needs = ApiKey.Scope.ADMIN
    told_as = "agent"
    named_by = F("slug")
    section = "Access"
    icon = "smart_toy"
    list_display = ("slug", "name", "domain", "writes_per_minute", "keys", "created_at")
    fields = ("slug", "name", "domain", "writes_per_minute")
    search_fields = ("slug", "name")

    @override
    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        working = ApiKey.objects.filter(agent=OuterRef("pk"), tenant_id=OuterRef("tenant_id")).exclude(
            selectors.keys_in(KeyState.REVOKED) | selectors.keys_in(KeyState.EXPIRED)
        )
        counted = working.order_by().values("agent").annotate(number=Count("*")).values("number")
        rows: QuerySet[Agent] = super().get_queryset(request)
        return rows.annotate(working_keys=Coalesce(Subquery(counted), 0))

    @admin.display(description="working keys", ordering="working_keys")
    def keys(self, row: Any) -> SafeString:
        listed, new = reverse("admin:tenants_apikey_changelist"), reverse("admin:tenants_apikey_add")
        template = '<a href="{}?agent__id__exact={}">{}</a> · <a href="{}?agent={}">new key</a>'
        return format_html(template, listed, row.pk, row.working_keys, new, row.pk)

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The slug is the caller's name for it: changing it would cut callers off."""
        return ("slug",) if obj else ()

    @override
    def save_model(self, request: HttpRequest, obj: Agent, form: Any, change: bool) -> None:
        if change:
            services.change(obj, changes_of(form))
            return
        made = services.create_agent(
            slug=obj.slug, name=obj.name, domain=obj.domain, writes_per_minute=obj.writes_per_minute
        )
        obj.pk = made.pk
