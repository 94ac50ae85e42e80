"""Agents apart: keys and members are the tenant's to see, its numbers its to change; members are asked before they join.

Also: tables are looked for in the session's temporary schema last, and what migrations granted to the login that runs
them is granted to the one that serves requests.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from apps.core import rls

INVITATIONS = """
CREATE FUNCTION invitations(login integer) RETURNS TABLE (id uuid, slug text, name text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT t.id, t.slug::text, t.name::text, m.role::text
    FROM auth_user u
    JOIN tenants_membership m ON m.user_id IS NULL AND m.invited_as = u.username
    JOIN tenants_tenant t ON t.id = m.tenant_id
    WHERE u.id = login AND u.is_active
      AND NOT EXISTS (SELECT FROM tenants_membership held WHERE held.tenant_id = t.id AND held.user_id = u.id)
    ORDER BY t.name, t.id
$$
"""

ACCEPT_INVITATION = """
CREATE FUNCTION accept_invitation(tenant uuid, login integer) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH accepted AS (
        UPDATE tenants_membership m SET user_id = u.id, invited_as = ''
        FROM auth_user u
        WHERE m.tenant_id = tenant AND m.user_id IS NULL AND m.invited_as = u.username
          AND u.id = login AND u.is_active
        RETURNING 1
    )
    SELECT EXISTS (SELECT FROM accepted)
$$
"""

# It told any administrator which logins there are.
LOGIN_NAMED = """
CREATE FUNCTION login_named(wanted text) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
    SELECT id FROM auth_user WHERE username = wanted AND is_active
$$
"""

PATHS_BEFORE = ("authenticate_key(text)", "touch_key(uuid)", "member_tenants(integer)", "member_logins()")


def _before_a_tenant(signature: str, definition: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        [
            definition,
            f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC",
            f"GRANT EXECUTE ON FUNCTION {signature} TO SESSION_USER",
        ],
        f"DROP FUNCTION {signature}",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0005_key_of_a_user"),
        ("jobs", "0002_functions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="invited_as",
            field=models.CharField(blank=True, default="", max_length=150),
        ),
        migrations.AlterField(
            model_name="membership",
            name="user",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="memberships",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(
                condition=models.Q(("user__isnull", True)),
                fields=("tenant", "invited_as"),
                name="tenants_membership_invited_once",
            ),
        ),
        *(
            rls.narrow(table, reads=rls.NO_AGENT, inserts=rls.NO_AGENT, updates=rls.NO_AGENT, deletes=rls.NO_AGENT)
            for table in ("tenants_api_key", "tenants_membership")
        ),
        *(
            rls.narrow(table, inserts=rls.NO_AGENT, updates=rls.NO_AGENT, deletes=rls.NO_AGENT)
            for table in ("tenants_agent", "tenants_category", "tenants_policy")
        ),
        rls.narrow("tenants_tenant", updates=rls.NO_AGENT, tenant_column="id"),
        rls.search_path_ends_with_pg_temp(*PATHS_BEFORE),
        migrations.RunSQL(
            "DROP FUNCTION login_named(text)",
            [
                LOGIN_NAMED,
                "REVOKE ALL ON FUNCTION login_named(text) FROM PUBLIC",
                "GRANT EXECUTE ON FUNCTION login_named(text) TO memory_app",
            ],
        ),
        _before_a_tenant("invitations(integer)", INVITATIONS),
        _before_a_tenant("accept_invitation(uuid, integer)", ACCEPT_INVITATION),
        rls.share_grants_with_requests(),
    ]
