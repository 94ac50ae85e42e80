"""The first start: one tenant, agent, key and administrator, so that there is something to log in to."""

import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from apps.core import scope
from apps.tenants import access, services
from apps.tenants.access import System
from apps.tenants.models import Membership, Tenant

FIRST_TENANT = "default"
FIRST_AGENT = "assistant"
ADMINISTRATOR = "admin"


@dataclass(frozen=True, slots=True)
class Onboarded:
    """What was made; the token and password exist nowhere else. The password is None if the login existed before."""

    tenant: str
    agent: str
    api_key: str
    admin_username: str
    admin_password: str | None


def exists(slug: str) -> bool:
    with scope.unscoped("find a tenant by its slug"):
        return Tenant.objects.filter(slug=slug).exists()


@transaction.atomic
def onboard(*, slug: str = FIRST_TENANT, name: str = "Default", agent: str = FIRST_AGENT) -> Onboarded:
    """Create a tenant with an agent, a key with every scope, and the administrator as its owner: all or nothing.

    Raises Conflict when the tenant exists.
    """
    user_id, password = _administrator()
    tenant = services.create_tenant(slug=slug, name=name)
    system = System(tenant.id)
    with access.opened(system):
        made = services.create_agent(slug=agent, name=agent.capitalize())
        key = services.create_key(agent_id=made.id, scopes=services.STARTING_SCOPES, name="first key")
        services.add_member(user_id=user_id, role=Membership.Role.OWNER, by=system)
    return Onboarded(slug, agent, key.token, ADMINISTRATOR, password)


def _administrator() -> tuple[int, str | None]:
    held = User.objects.filter(username=ADMINISTRATOR).first()
    if held is not None:
        return held.pk, None
    password = secrets.token_urlsafe(15)
    return User.objects.create_superuser(ADMINISTRATOR, password=password).pk, password
