"""A person's login session: which of their tenants it is in."""

from contextlib import suppress
from typing import Final
from uuid import UUID

from django.http import HttpRequest

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
