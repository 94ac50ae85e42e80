"""Users apart: a session is one user's, and two users may call theirs the same."""

from django.db import migrations, models

from apps.core import rls

# What was captured with several users in one session stays in it; the session is then no single user's.
OF_SEVERAL = """
UPDATE resources_session s SET user_id = NULL WHERE s.user_id IS NOT NULL AND EXISTS (
    SELECT FROM resources_resource r WHERE r.tenant_id = s.tenant_id AND r.session_id = s.id
    AND r.user_id IS DISTINCT FROM s.user_id)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("resources", "0001_initial"),
    ]

    operations = [
        migrations.RunSQL(OF_SEVERAL, migrations.RunSQL.noop),
        migrations.RemoveConstraint(model_name="session", name="resources_session_external"),
        migrations.AddConstraint(
            model_name="session",
            constraint=models.UniqueConstraint(
                fields=("tenant_id", "agent", "user_id", "external_id"),
                name="resources_session_external",
                nulls_distinct=False,
            ),
        ),
        *map(
            rls.keep_users_apart,
            (
                "resources_session",
                "resources_checkpoint",
                "resources_resource",
            ),
        ),
    ]
