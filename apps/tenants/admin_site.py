"""The admin: one tenant per login session, its scope opened around each page of tenant data.

Django's own tables belong to the login role and tenant tables to `memory_app`, so a request is cut in three: the user,
the session and the content types are loaded first; the page is made inside the scope; the session is saved after it.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.admin import AdminSite
from django.contrib.contenttypes.models import ContentType
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from typing_extensions import override

from apps.core.limiter import LOGINS_PER_MINUTE, login_is_limited
from apps.tenants import services
from apps.tenants.access import Member, opened
from apps.tenants.selectors import MemberTenant, invitations, member_tenants
from memory_platform.errors import NotFound

SESSION_KEY = "tenant"

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class TenantAdminSite(AdminSite):
    site_header = "Memory Platform"
    site_title = "Memory Platform"
    index_title = "Tenant"
    index_template = "admin/tenants/index.html"
    enable_nav_sidebar = False

    @override
    def get_urls(self) -> list[URLPattern | URLResolver]:
        return [path("tenant/", self.admin_view(self.choose_tenant), name="choose_tenant"), *super().get_urls()]

    @override
    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Every page knows its member; pages of tenant models run inside the chosen tenant's scope."""
        is_scoped = getattr(getattr(view, "__self__", None), "is_tenant_data", False)

        def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            tenant = chosen(request)
            principal = Member(tenant.id, _user_id(request), tenant.role) if tenant else None
            request.tenant, request.principal = tenant, principal  # type: ignore[attr-defined]
            if not is_scoped:
                return view(request, *args, **kwargs)
            if principal is None:
                there = reverse("admin:choose_tenant")
                return HttpResponseRedirect(f"{there}?{urlencode({'next': request.get_full_path()})}")
            return _scoped(principal, request, lambda: view(request, *args, **kwargs))

        return super().admin_view(cast("View", page), cacheable)

    @override
    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        return {**super().each_context(request), "member": getattr(request, "tenant", None)}

    @override
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if request.method == "POST" and login_is_limited(request):
            message = f"More than {LOGINS_PER_MINUTE} attempts within a minute. Wait a minute and try again.\n"
            return HttpResponse(message, status=429, content_type="text/plain", headers={"Retry-After": "60"})
        return super().login(request, extra_context)

    def choose_tenant(self, request: HttpRequest) -> HttpResponse:
        """A small page for members of several tenants."""
        there = _safe(request.POST.get("next") or request.GET.get("next") or "", request)
        if request.method == "POST" and "join" in request.POST:
            self._join(request)
        held = member_tenants(_user_id(request))
        if request.method == "POST":
            wanted = request.POST.get("tenant") or request.POST.get("join", "")
            if any(str(tenant.id) == wanted for tenant in held):
                request.session[SESSION_KEY] = wanted
                return HttpResponseRedirect(there)
        page = {**self.each_context(request), "title": "Choose a tenant", "tenants": held, "next": there}
        page["invitations"] = invitations(_user_id(request))
        return TemplateResponse(request, "admin/tenants/choose_tenant.html", page)

    def _join(self, request: HttpRequest) -> None:
        with suppress(NotFound, ValueError):
            services.join(tenant_id=UUID(request.POST["join"]), user_id=_user_id(request))


def chosen(request: HttpRequest) -> MemberTenant | None:
    """The tenant of this login session: the one chosen, or the only one."""
    if not request.user.is_authenticated:
        return None
    held = member_tenants(_user_id(request))
    wanted = request.session.get(SESSION_KEY)
    for tenant in held:
        if str(tenant.id) == wanted:
            return tenant
    return held[0] if len(held) == 1 else None


def _scoped(principal: Member, request: HttpRequest, view: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    _load_what_the_login_role_reads(request)
    with opened(principal):
        response = view()
        if isinstance(response, TemplateResponse):
            response.render()
    return response


def _load_what_the_login_role_reads(request: HttpRequest) -> None:
    """The user with its permissions, the session, and every content type; each is remembered once loaded."""
    request.user.get_all_permissions()
    request.session.get(SESSION_KEY)
    for content_type in ContentType.objects.all():
        ContentType.objects._add_to_cache("default", content_type)  # type: ignore[attr-defined]  # noqa: SLF001


def _user_id(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


def _safe(target: str, request: HttpRequest) -> str:
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()})
    return target if is_ours else reverse("admin:index")
