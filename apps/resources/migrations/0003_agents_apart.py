"""Agents apart: a session is its agent's; others read it where something in it is shared."""

from django.db import migrations

from apps.core import rls

SHARED = rls.shared_through("resources_session", "resources_resource", "session_id")


class Migration(migrations.Migration):
    dependencies = [("resources", "0002_users_apart")]

    operations = [
        rls.narrow(
            "resources_session", reads=f"{rls.OWN} OR {SHARED}", inserts=rls.OWN, updates=rls.OWN, deletes=rls.OWN
        ),
    ]
