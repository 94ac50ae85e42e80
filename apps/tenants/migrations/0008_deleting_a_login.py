"""A login that is deleted leaves its tenants first, each through the service that keeps their last owner.

Django would look for its memberships itself, outside any tenant's scope, where there are none to see.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from apps.core import rls

MEMBERSHIPS_OF = """
CREATE FUNCTION memberships_of(login integer) RETURNS TABLE (tenant_id uuid, membership_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT m.tenant_id, m.id FROM tenants_membership m WHERE m.user_id = login ORDER BY m.tenant_id
$$
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0007_retention"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.AlterField(
            model_name="membership",
            name="user",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="memberships",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunSQL(
            [
                MEMBERSHIPS_OF,
                "REVOKE ALL ON FUNCTION memberships_of(integer) FROM PUBLIC",
                "GRANT EXECUTE ON FUNCTION memberships_of(integer) TO SESSION_USER",
            ],
            "DROP FUNCTION memberships_of(integer)",
        ),
        rls.share_grants_with_requests(),
    ]
