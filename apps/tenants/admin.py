"""Tenant, members, agents, keys, categories and policy, for those who run a tenant. Every save calls a service."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.options import ModelAdmin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import ForeignKey, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from typing_extensions import override

from apps.core import scope
from apps.core.paging import Page
from apps.journal import selectors as journal
from apps.journal.selectors import EntryFilter
from apps.tenants import selectors, services
from apps.tenants.access import Member
from apps.tenants.models import Agent, ApiKey, Category, Membership, Policy, Tenant
from memory_platform.errors import Forbidden, MemoryPlatformError

if TYPE_CHECKING:
    _Admin = ModelAdmin[Any]
    _Form = ModelForm[Any]
else:
    _Admin = ModelAdmin
    _Form = ModelForm


class RefusalsShown(_Admin):
    """What a service refuses is said above the list, and nothing of it is kept."""

    @override
    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refusals of actions only: one that comes of showing the list would be sent to the list for ever."""
        if request.method != "POST":
            return super().changelist_view(request, *args, **kwargs)
        return self._or_refused(request, super().changelist_view, *args, **kwargs)

    @override
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._or_refused(request, super().changeform_view, *args, **kwargs)

    @override
    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._or_refused(request, super().delete_view, *args, **kwargs)

    def _or_refused(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        try:
            with transaction.atomic():
                return view(request, *args, **kwargs)
        except MemoryPlatformError as error:
            self.message_user(request, error.message, level="ERROR")
            return HttpResponseRedirect(reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"))


class TenantForm(_Form):
    """Knows its tenant, so that what is unique per tenant is checked before it is saved."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "tenant" in {field.name for field in self._meta.model._meta.fields}:  # noqa: SLF001
            self.instance.tenant_id = scope.current().tenant_id

    def _get_validation_exclusions(self) -> set[str]:
        return super()._get_validation_exclusions() - {"tenant"}  # type: ignore[no-any-return, misc]


class TenantModelAdmin(RefusalsShown):
    """Rows of the chosen tenant. Owners and admins edit; other members look. What happened is in the journal."""

    is_tenant_data = True
    tenant_column = "tenant_id"
    form = TenantForm
    actions_on_bottom = False
    show_full_result_count = False

    @override
    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(**{self.tenant_column: scope.current().tenant_id})

    @override
    def formfield_for_foreignkey(self, db_field: "ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any) -> Any:
        related: Any = db_field.related_model
        kwargs["queryset"] = related.objects.filter(tenant_id=scope.current().tenant_id)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    @override
    def has_module_permission(self, request: HttpRequest) -> bool:
        return _member(request) is not None

    @override
    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _member(request) is not None

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        member = _member(request)
        return member is not None and member.may_edit

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        member = _member(request)
        return member is not None and member.may_edit

    @override
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    # The services write the journal; django_admin_log is not a tenant's.
    @override
    def log_addition(self, *_args: Any, **_kwargs: Any) -> Any:
        return None

    @override
    def log_change(self, *_args: Any, **_kwargs: Any) -> Any:
        return None

    @override
    def log_deletions(self, *_args: Any, **_kwargs: Any) -> Any:
        return None

    @override
    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        wanted = EntryFilter(subject_id=row.pk) if row is not None else EntryFilter()
        entries = journal.entries(filter=wanted, page=Page(100)).rows if row is not None else ()
        logins = selectors.member_logins()
        page = {
            **self.admin_site.each_context(request),
            "title": f"History of {row}",
            "entries": [(entry, _who(entry.actor, logins)) for entry in entries],
            "opts": self.opts,
            "original": row,
        }
        return TemplateResponse(request, "admin/tenants/history.html", page)


def _member(request: HttpRequest) -> Member | None:
    return getattr(request, "principal", None)


def _acting(request: HttpRequest) -> Member:
    """Who changes something. Raises Forbidden for nobody."""
    member = _member(request)
    if member is None:
        raise Forbidden("Choose a tenant first.")
    return member


def _changes(form: _Form) -> dict[str, object]:
    return {name: form.cleaned_data[name] for name in form.changed_data}


@admin.register(Tenant)
class TenantAdmin(TenantModelAdmin):
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


class MembershipForm(TenantForm):
    username = forms.CharField(
        max_length=150,
        help_text="Whoever logs in under this name is asked to join. Logins are created under Users, by a superuser.",
    )

    class Meta:
        model = Membership
        fields = ("role",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance._state.adding:  # noqa: SLF001
            self.fields["username"].initial = _login_of(self.instance)
            self.fields["username"].disabled = True


@admin.register(Membership)
class MembershipAdmin(TenantModelAdmin):
    form = MembershipForm
    list_display = ("login", "role", "has_joined", "created_at")
    fields = ("username", "role")
    actions = None

    @admin.display(description="login")
    def login(self, row: Membership) -> str:
        return _login_of(row)

    @admin.display(description="joined", boolean=True)
    def has_joined(self, row: Membership) -> bool:
        return row.user_id is not None

    @override
    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        by = _acting(request)
        if change:
            services.change_member(membership_id=obj.pk, role=obj.role, by=by)
            return
        saved = services.invite_member(username=form.cleaned_data["username"], role=obj.role, by=by)
        obj.pk = saved.pk

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or self._is_below(request, obj))

    @override
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        member = _member(request)
        return member is not None and member.is_owner

    @override
    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "role" and not _acting(request).is_owner:
            kwargs["choices"] = [choice for choice in Membership.Role.choices if choice[0] != Membership.Role.OWNER]
        return super().formfield_for_choice_field(db_field, request, **kwargs)

    def _is_below(self, request: HttpRequest, row: Membership) -> bool:
        return row.role != Membership.Role.OWNER or _acting(request).is_owner

    @override
    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        services.remove_member(membership_id=obj.pk, by=_acting(request))


class LoginAdmin(RefusalsShown, UserAdmin):  # type: ignore[type-arg]
    """Logins, for who runs the servers: one that goes leaves its tenants first."""

    @override
    def delete_model(self, request: HttpRequest, obj: User) -> None:
        services.leave_tenants(user_id=obj.pk, by=int(request.user.pk or 0))
        super().delete_model(request, obj)

    @override
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for login in queryset:
            self.delete_model(request, login)


admin.site.unregister(User)
admin.site.register(User, LoginAdmin)


def _login_of(row: Membership) -> str:
    return selectors.member_logins().get(row.user_id, str(row.user_id)) if row.user_id else row.invited_as


def _who(actor: str, logins: Mapping[int, str]) -> str:
    """An actor of the journal, a member by the name of the login."""
    kind, _, login_id = actor.partition(":")
    return logins.get(int(login_id), actor) if kind == "member" and login_id else actor


@admin.register(Agent)
class AgentAdmin(TenantModelAdmin):
    list_display = ("slug", "name", "domain", "writes_per_minute", "created_at")
    fields = ("slug", "name", "domain", "writes_per_minute")
    search_fields = ("slug", "name")

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The slug is the caller's name for it: changing it would cut callers off."""
        return ("slug",) if obj else ()

    @override
    def save_model(self, request: HttpRequest, obj: Agent, form: Any, change: bool) -> None:
        if change:
            services.change(obj, _changes(form))
            return
        made = services.create_agent(
            slug=obj.slug, name=obj.name, domain=obj.domain, writes_per_minute=obj.writes_per_minute
        )
        obj.pk = made.pk


class ApiKeyForm(TenantForm):
    scopes = forms.MultipleChoiceField(
        choices=ApiKey.Scope.choices,
        widget=forms.CheckboxSelectMultiple,
        initial=[ApiKey.Scope.READ, ApiKey.Scope.WRITE],
    )

    @override
    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        beyond = set(given.get("scopes", ())) - services.USER_SCOPES
        if given.get("user_id") and beyond:
            self.add_error("scopes", f"A key of one user cannot have: {', '.join(sorted(beyond))}.")
        return given


@admin.register(ApiKey)
class ApiKeyAdmin(TenantModelAdmin):
    form = ApiKeyForm
    list_display = (
        "prefix",
        "agent",
        "user_id",
        "name",
        "scopes",
        "created_at",
        "expires_at",
        "revoked_at",
        "last_used_at",
    )
    list_select_related = ("agent",)
    fields = ("agent", "user_id", "name", "scopes", "expires_at")
    actions = ("rotate", "revoke")

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


@admin.register(Category)
class CategoryAdmin(TenantModelAdmin):
    list_display = ("label", "slug", "purpose", "ttl_days", "decay_lambda", "retention", "taxonomy_version")
    ordering = ("label",)
    fieldsets = (
        (None, {"fields": ("slug", "label", "purpose", "keywords")}),
        ("How it ages", {"fields": ("ttl_days", "decay_lambda", "retention")}),
    )

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Memories name their category by its slug."""
        return ("slug",) if obj else ()

    @override
    def save_model(self, request: HttpRequest, obj: Category, form: Any, change: bool) -> None:
        if change:
            services.change(obj, _changes(form))
        else:
            services.create_category(obj)


@admin.register(Policy)
class PolicyAdmin(TenantModelAdmin):
    """One row: its list leads straight to it."""

    fieldsets = (
        (
            "What is kept",
            {"fields": ("keep_raw_secrets", "gate_minimum_length", "gate_allow_above", "gate_discard_below")},
        ),
        (
            "Confidence",
            {
                "fields": (
                    ("confidence_explicit", "confidence_implied", "confidence_inferred"),
                    ("reinforce_other_source", "reinforce_same_session"),
                    ("contradicted_penalty", "access_bonus"),
                )
            },
        ),
        ("Duplicates", {"fields": ("dedup_related", ("merge_from", "close_from", "doubt_from"))}),
        (
            "Recall: what is relevant",
            {
                "fields": (
                    "relevance_floor",
                    "fusion",
                    ("graph_weight", "time_weight"),
                    ("rrf_k", "rrf_keyword_weight", "rrf_vector_weight"),
                    "intent_threshold",
                )
            },
        ),
        (
            "Recall: ranking",
            {
                "fields": (
                    ("stale_multiplier", "off_domain_multiplier"),
                    ("sentiment_multiplier", "priority_clamp"),
                    ("uncertain_below", "weak_below"),
                )
            },
        ),
        (
            "Recall: how much",
            {
                "fields": (
                    ("lean_limit", "balanced_limit", "deep_limit"),
                    ("context_limit", "pressed_context_limit"),
                    ("simple_depth", "complex_depth", "simple_seeds", "complex_seeds"),
                    ("facts_share", "profiles_share", "timeline_share", "evidence_share"),
                )
            },
        ),
        (
            "Decay",
            {
                "fields": (
                    ("ebbinghaus_rate", "ebbinghaus_power"),
                    ("operational_grace_days", "operational_weekly_loss"),
                )
            },
        ),
        (
            "Maintenance",
            {
                "fields": (
                    "time_zone",
                    ("stale_after_days", "forget_stale_after_days"),
                    ("prune_below", "operational_inactive_below"),
                    "new_priority",
                )
            },
        ),
        (
            "Learning from use",
            {
                "fields": (
                    ("feedback_used", "feedback_ignored", "feedback_ignored_expensive"),
                    ("feedback_used_from", "feedback_half_life_days", "feedback_window_hours"),
                    ("feedback_helpful", "outdated_ends_validity"),
                )
            },
        ),
        (
            "Summaries",
            {
                "fields": (
                    ("summary_debounce_seconds", "summary_items", "summary_versions"),
                    ("summaries_asked", "summary_sufficient"),
                )
            },
        ),
        (
            "Lessons",
            {"fields": (("lesson_guidance_from", "lesson_request_sessions", "lesson_start_share"),)},
        ),
        (
            "Limits",
            {
                "fields": (
                    ("writes_per_minute", "requests_per_minute"),
                    ("captures_per_minute", "captures_burst", "ingest_lines_per_minute"),
                    "event_streams",
                )
            },
        ),
        ("Sessions", {"fields": ("session_timeout_minutes",)}),
        (
            "Retention, in days",
            {
                "fields": (
                    ("recall_retention_days", "job_retention_days"),
                    ("rejection_retention_days", "event_retention_days"),
                )
            },
        ),
    )

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @override
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:tenants_policy_change", args=[scope.current().tenant_id]))

    @override
    def save_model(self, request: HttpRequest, obj: Policy, form: Any, change: bool) -> None:
        if form.changed_data:
            services.change(obj, _changes(form))
