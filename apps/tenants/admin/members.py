"""Who belongs to the tenant, and as what."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Case, CharField, Value, When
from django.db.models.functions import Concat
from django.http import HttpRequest
from typing_extensions import override
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.tenants import selectors, services
from apps.tenants.access import MEMBER
from apps.tenants.admin.base import TenantForm, TenantModelAdmin, acting_member, badge, member_of
from apps.tenants.models import ApiKey, Membership


class MembershipForm(TenantForm):
    username = forms.CharField(
        max_length=150,
        widget=UnfoldAdminTextInputWidget,
        help_text="Whoever logs in under this name is asked to join. Logins are created under Logins, by a superuser.",
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
    needs = ApiKey.Scope.ADMIN
    told_as = "membership"
    named_by = Case(
        When(user_id=None, then="invited_as"), default=Concat(Value(MEMBER), "user_id", output_field=CharField())
    )
    section = "Access"
    icon = "group"
    title = "Members"
    form = MembershipForm
    list_display = ("login", "role", "state", "created_at")
    fields = ("username", "role")
    actions = None

    @override
    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Names are asked for once, not row by row."""
        shown = super().get_changelist_instance(request)
        logins = selectors.member_logins()
        for row in shown.result_list:
            row.login_name = logins.get(row.user_id, row.invited_as) if row.user_id else row.invited_as
        return shown

    @admin.display(description="login")
    def login(self, row: Any) -> str:
        return str(row.login_name)

    @admin.display(description="state")
    def state(self, row: Membership) -> str:
        return badge("member", "good") if row.user_id else badge("invited", "wary")

    @override
    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        by = acting_member(request)
        if change:
            services.change_member(membership_id=obj.pk, role=obj.role, by=by)
            return
        saved = services.invite_member(username=form.cleaned_data["username"], role=obj.role, by=by)
        obj.pk, obj.invited_as = saved.pk, saved.invited_as

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or self._is_below(request, obj))

    @override
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        member = member_of(request)
        return member is not None and member.is_owner

    @override
    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "role" and not acting_member(request).is_owner:
            kwargs["choices"] = [choice for choice in Membership.Role.choices if choice[0] != Membership.Role.OWNER]
        return super().formfield_for_choice_field(db_field, request, **kwargs)

    def _is_below(self, request: HttpRequest, row: Membership) -> bool:
        return row.role != Membership.Role.OWNER or acting_member(request).is_owner

    @override
    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        services.remove_member(membership_id=obj.pk, by=acting_member(request))


def _login_of(row: Membership) -> str:
    return selectors.member_logins().get(row.user_id, str(row.user_id)) if row.user_id else row.invited_as
