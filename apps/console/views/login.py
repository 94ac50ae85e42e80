"""Logging in, and going on in a tenant."""

from typing import Any

from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from typing_extensions import override

from apps.console import pages
from apps.core.limiter import LOGINS_PER_MINUTE, login_is_limited
from apps.tenants import logins
from apps.tenants.selectors import invitations, member_tenants


class Login(LoginView):
    """The login is the admin's too; attempts are counted together with its."""

    template_name = "console/login.html"
    next_page = "console:home"
    redirect_authenticated_user = True

    @override
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not login_is_limited(request):
            return super().post(request, *args, **kwargs)
        told = f"More than {LOGINS_PER_MINUTE} attempts within a minute. Wait a minute and try again."
        # The form stays unread: looking for its errors would try the password.
        page = render(request, self.template_name, {"limited": told, "next": self.get_redirect_url()}, status=429)
        page["Retry-After"] = "60"
        return page


def home(request: HttpRequest) -> HttpResponse:
    """The first page the person sees."""
    tenant = logins.chosen(request)
    seen = pages.seen_by(tenant.role) if tenant else []
    return HttpResponseRedirect(reverse(f"console:{seen[0].name}" if seen else "console:tenant"))


def choose_tenant(request: HttpRequest) -> HttpResponse:
    """For members of several tenants, and those who are invited to one."""
    there = logins.destination(request, otherwise=reverse("console:home"))
    if request.method == "POST" and logins.choose_as_asked(request):
        return HttpResponseRedirect(there)
    login_id = logins.login_id(request)
    choice = {"tenants": member_tenants(login_id), "invitations": invitations(login_id), "next": there}
    return render(request, "console/tenant.html", choice)
