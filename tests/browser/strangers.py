"""Two tenants of one stack, of which one has something of everything: made by `manage.py shell` on its own database."""

import json

from django.contrib.auth.models import User
from django.test.utils import setup_test_environment

from apps.tenants import access, services
from apps.tenants.access import System
from tests.admin_addresses import one_of_each
from tests.browser.people import PASSWORD
from tests.conftest import judging
from tests.policy.conftest import new_victim

OWNER, STRANGER = "owner-of-everything", "owner-of-nothing"


def tell() -> None:
    """Make a tenant that holds something, one that holds nothing and an owner of each; print what the first holds."""
    # The victim's agent speaks to the platform without a server.
    setup_test_environment()
    with judging():
        victim = new_victim()
    _own(OWNER, System(victim.tenant_id))
    rows = one_of_each(victim.tenant_id)
    _own(STRANGER, System(services.create_tenant(slug="nothing-at-all", name="Nothing at all").id))
    print(json.dumps({"ids": victim.ids, "rows": rows}))  # noqa: T201


def _own(name: str, system: System) -> None:
    """A login of that name, which comes into the admin, too."""
    user = User.objects.create_user(name, password=PASSWORD, is_staff=True)
    with access.opened(system):
        services.add_member(user_id=user.pk, role="owner", by=system)
