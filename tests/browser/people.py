"""Members of the filled stack: made by `manage.py shell` on the stack's own database."""

from django.contrib.auth.models import User

from apps.core import scope
from apps.tenants import access, onboarding, services
from apps.tenants.access import System
from apps.tenants.models import Tenant

PASSWORD = "a long enough password"
STAFF = ("owner", "admin")
"""Who comes into the admin, too."""


def join(name: str, role: str) -> None:
    """Make somebody a login of that name and a member of the first tenant."""
    user = User.objects.create_user(name, password=PASSWORD, is_staff=role in STAFF)
    with scope.unscoped("find a tenant by its slug"):
        system = System(Tenant.objects.get(slug=onboarding.FIRST_TENANT).id)
    with access.opened(system):
        services.add_member(user_id=user.pk, role=role, by=system)
