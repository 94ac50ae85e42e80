"""From a request to a person's gateway: who is logged in, in which tenant, and whether the page is theirs to see.

Rows of the login (its session, its name) are read before a tenant's scope opens, for `memory_app` may not read them.
"""

import zoneinfo
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from pydantic import ValidationError

from apps.api.contract import problem_of
from apps.api.gateway import Gateway
from apps.console import navigation
from apps.console.navigation import MenuLink
from apps.console.page import ConsolePage, MenuSection
from apps.core.problems import Problem
from apps.tenants import access, logins, selectors
from apps.tenants.access import Member
from apps.tenants.selectors import MemberTenant
from memory_platform.errors import Forbidden, MemoryPlatformError

View = Callable[..., HttpResponseBase]

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class Visit:
    """Who looks at which page; templates know it as `request.visit`."""

    name: str
    tenant: MemberTenant
    page: ConsolePage
    path: str

    @property
    def role(self) -> str:
        return self.tenant.role

    @property
    def navigation(self) -> list[tuple[MenuSection | None, list[MenuLink]]]:
        return navigation.seen_by(self.role, path=self.path)


def public(view: View) -> View:
    """A page that anybody may open."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **captured: object) -> HttpResponseBase:
        response = view(request, *args, **captured)
        if hasattr(response, "render"):
            response.render()
        return _guarded(response)

    return answer


def signed_in(view: View) -> View:
    """A page for whoever is logged in, in whatever tenant."""

    @wraps(view)
    def answer(request: HttpRequest, **captured: object) -> HttpResponseBase:
        if not request.user.is_authenticated:
            if request.method == "POST":
                messages.warning(request, "Nothing was done, for your login is over. Log in, then do it again.")
            return _sent(request, "console:login")
        return view(request, **captured)

    return public(answer)


def entered(page: ConsolePage) -> View:
    """A page of a tenant, for members whose role sees it."""

    def answer(request: HttpRequest, **captured: object) -> HttpResponseBase:
        tenant = logins.chosen(request)
        if tenant is None:
            return _sent(request, "console:tenant")
        request.visit = Visit(request.user.get_username(), tenant, page, request.path)  # type: ignore[attr-defined]
        member = Member(tenant.id, logins.login_id(request), tenant.role)
        if request.method not in page.methods:
            return _not_allowed(request, page)
        try:
            if tenant.role not in page.roles:
                raise Forbidden(f"This page is not for the role {tenant.role}.", hint="Ask an owner of the tenant.")
            with timezone.override(_zone_of(member)):
                return page.view(request, Gateway(member), **captured)
        except (MemoryPlatformError, ValidationError) as error:
            return refused(request, problem_of(error))

    return signed_in(answer)


def refused(request: HttpRequest, problem: Problem) -> HttpResponse:
    """A page that says what is wrong and what to do next."""
    return render(request, "console/refused.html", {"problem": problem}, status=problem.status)


def _not_allowed(request: HttpRequest, page: ConsolePage) -> HttpResponse:
    """405: an address that takes forms was opened as a page, or the other way round."""
    told = "This address only takes what a form sends." if page.method == "POST" else "This page takes no form."
    problem = Problem("INVALID", 405, told, hint="Nothing was done. Go on from the first page.")
    answer = refused(request, problem)
    answer["Allow"] = ", ".join(page.methods)
    return answer


def _zone_of(member: Member) -> zoneinfo.ZoneInfo:
    """Times are shown by the tenant's clock."""
    policy = selectors.cached_policy(member.tenant_id)
    if policy is None:
        with access.opened(member):
            policy = selectors.policy(member.tenant_id)
    return zoneinfo.ZoneInfo(policy.time_zone)


def _sent(request: HttpRequest, name: str) -> HttpResponse:
    """There, and back afterwards to the page that was looked at: a part of it, which htmx asks for, takes it along."""
    is_part = "HX-Request" in request.headers
    here = request.get_full_path() if request.method == "GET" else reverse("console:home")
    back = request.headers.get("HX-Current-URL", here) if is_part else here
    there = f"{reverse(name)}?{urlencode({'next': back})}"
    return HttpResponse(headers={"HX-Redirect": there}) if is_part else HttpResponseRedirect(there)


def _guarded(response: HttpResponseBase) -> HttpResponseBase:
    """Runs nothing that somebody wrote into it, and is kept by nobody."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Cache-Control"] = "no-store"
    return response
