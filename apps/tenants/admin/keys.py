"""Keys: made, shown once, rotated, revoked; never edited."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import Concat
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from typing_extensions import override
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from apps.tenants import selectors, services
from apps.tenants.admin.base import TenantForm, TenantModelAdmin, Tone, badge
from apps.tenants.models import ApiKey
from apps.tenants.selectors import KeyState
from memory_platform.errors import MemoryPlatformError


class ApiKeyForm(TenantForm):
    scopes = forms.MultipleChoiceField(
        choices=ApiKey.Scope.choices,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        initial=[ApiKey.Scope.READ, ApiKey.Scope.WRITE],
    )

    @override
    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        beyond = set(given.get("scopes", ())) - services.USER_SCOPES
        if given.get("user_id") and beyond:
            self.add_error("scopes", f"A key of one user cannot have: {', '.join(sorted(beyond))}.")
        return given


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    @override
    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state.value, state.value) for state in KeyState]

    @override
    def queryset(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> QuerySet[ApiKey]:
        wanted = self.value()
        return queryset.filter(selectors.keys_in(KeyState(wanted))) if wanted in list(KeyState) else queryset


_TONES: Final[Mapping[KeyState, Tone]] = {
    KeyState.WORKS: "good",
    KeyState.EXPIRES: "wary",
    KeyState.EXPIRED: "quiet",
    KeyState.REVOKED: "quiet",
}


@admin.register(ApiKey)
class ApiKeyAdmin(TenantModelAdmin):
    needs = ApiKey.Scope.ADMIN
    told_as = "key"
    named_by = Concat(Value("mp_"), "prefix", Value("… of "), "agent__slug", output_field=CharField())
    section = "Access"
    icon = "key"
    title = "Keys"
    form = ApiKeyForm
    list_display = ("token", "state", "agent", "name", "reaches", "may", "expires_at", "last_used_at", "created_at")
    list_filter = (StateFilter, ("agent", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("agent",)
    ordering = ("-created_at", "-id")
    fields = ("agent", "name", "scopes", "user_id", "expires_at")
    actions = ("rotate", "revoke")

    @admin.display(description="key")
    def token(self, row: ApiKey) -> str:
        return format_html("<code>{}</code>", str(row))

    @admin.display(description="state")
    def state(self, row: ApiKey) -> str:
        state = selectors.key_state(row)
        return badge(state.value, _TONES[state])

    @admin.display(description="reaches")
    def reaches(self, row: ApiKey) -> str:
        return row.user_id or "every user"

    @admin.display(description="may")
    def may(self, row: ApiKey) -> str:
        return ", ".join(row.scopes)

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A key is never edited; the list needs the permission for its actions."""
        return obj is None and super().has_change_permission(request)

    @override
    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        made = services.create_key(
            agent_id=obj.agent_id,
            scopes=obj.scopes,
            name=obj.name,
            expires_at=obj.expires_at,
            user_id=obj.user_id or None,
        )
        obj.pk = made.key.pk
        request.new_tokens = [made]  # type: ignore[attr-defined]

    @override
    def response_add(self, request: HttpRequest, obj: ApiKey, post_url_continue: str | None = None) -> HttpResponse:
        return self._shown_once(request, request.new_tokens)  # type: ignore[attr-defined]

    @admin.action(description="Rotate: new secrets, old ones stop at once", permissions=["change"])
    def rotate(self, request: HttpRequest, rows: QuerySet[ApiKey]) -> HttpResponse | None:
        try:
            return self._shown_once(request, [services.rotate_key(key_id=row.pk) for row in rows])
        except MemoryPlatformError as error:
            self.message_user(request, error.message, level="ERROR")
            return None

    @admin.action(description="Revoke: stop working for good", permissions=["change"])
    def revoke(self, request: HttpRequest, rows: QuerySet[ApiKey]) -> None:
        for row in rows:
            services.revoke_key(key_id=row.pk)
        self.message_user(request, "Revoked.")

    def _shown_once(self, request: HttpRequest, made: list[services.NewKey]) -> HttpResponse:
        """In the answer itself: a redirect would have to carry the secret in a cookie or a session."""
        page = {**self.admin_site.each_context(request), "title": "New API key", "made": made, "opts": self.opts}
        response = TemplateResponse(request, "admin/tenants/new_key.html", page)
        response["Cache-Control"] = "no-store"
        return response
