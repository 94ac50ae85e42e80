"""Logins and groups, for who runs the servers: a superuser."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest
from typing_extensions import override
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from apps.tenants import services
from apps.tenants.admin.base import RefusalsShown, SecretsRefused


class LoginForm(SecretsRefused, UserChangeForm):  # type: ignore[misc]
    pass


class NewLoginForm(SecretsRefused, UserCreationForm):  # type: ignore[misc]
    pass


class LoginGroupForm(SecretsRefused):
    pass


class LoginAdmin(RefusalsShown, UserAdmin):  # type: ignore[type-arg]
    """Logins, for who runs the servers: one that goes leaves its tenants first."""

    section = "Servers"
    icon = "badge"
    title = "Logins"
    form = LoginForm
    add_form = NewLoginForm
    change_password_form = AdminPasswordChangeForm
    # Django's two lists side by side name their signs where no screen reader may read a name.
    filter_horizontal = ()
    # The theme's own, which is empty, would stand before Django's.
    add_fieldsets = ((None, {"fields": ("username", "password1", "password2", "is_staff")}),)

    @override
    def delete_model(self, request: HttpRequest, obj: User) -> None:
        services.leave_tenants(user_id=obj.pk, by=int(request.user.pk or 0))
        super().delete_model(request, obj)

    @override
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for login in queryset:
            self.delete_model(request, login)


class LoginGroupAdmin(RefusalsShown, GroupAdmin):
    section = "Servers"
    icon = "groups"
    form = LoginGroupForm
    filter_horizontal = ()


admin.site.unregister([User, Group])
admin.site.register(User, LoginAdmin)
admin.site.register(Group, LoginGroupAdmin)
