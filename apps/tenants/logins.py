"""A person's login session: which of their tenants it is in, and where on our pages it goes on."""

from contextlib import suppress
from typing import Final
from uuid import UUID

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

from apps.tenants import services
from apps.tenants.selectors import MemberTenant, member_tenants
from memory_platform.errors import NotFound

SESSION_KEY: Final = "tenant"


def login_id(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


def chosen(request: HttpRequest) -> MemberTenant | None:
    """The tenant of this login session: the one chosen, or the only one."""
    if not request.user.is_authenticated:
        return None
    held = member_tenants(login_id(request))
    wanted = request.session.get(SESSION_KEY)
    for tenant in held:
        if str(tenant.id) == wanted:
            return tenant
    return held[0] if len(held) == 1 else None


def choose_as_asked(request: HttpRequest) -> bool:
    """Join where the posted form says so, and go on there or in the tenant it names; False when neither can be."""
    invited = request.POST.get("join", "")
    if invited:
        join(request, invited)
    return choose(request, request.POST.get("tenant") or invited)


def choose(request: HttpRequest, wanted: str) -> bool:
    """Go on in the tenant with this id; False when the person is no member of it."""
    is_theirs = any(str(tenant.id) == wanted for tenant in member_tenants(login_id(request)))
    if is_theirs:
        request.session[SESSION_KEY] = wanted
    return is_theirs


def join(request: HttpRequest, wanted: str) -> None:
    """Accept the invitation of the tenant with this id, if there is one."""
    with suppress(NotFound, ValueError):
        services.join(tenant_id=UUID(wanted), user_id=login_id(request))


def destination(request: HttpRequest, *, otherwise: str) -> str:
    """Where whoever came here wanted to go (`next`), if that is a page of ours."""
    return _ours(request.POST.get("next") or request.GET.get("next") or "", request, otherwise)


def origin(request: HttpRequest, *, otherwise: str) -> str:
    """The page whose button was pressed, if the browser says so and it is ours."""
    return _ours(request.headers.get("Referer", ""), request, otherwise)


def _ours(target: str, request: HttpRequest, otherwise: str) -> str:
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()})
    return target if is_ours else otherwise
