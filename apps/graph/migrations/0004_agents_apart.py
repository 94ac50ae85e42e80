"""Agents apart: how far the copy has come is the tenant's to say."""

from django.db import migrations

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [("graph", "0003_users_apart")]

    operations = [
        rls.narrow("graph_projection", inserts=rls.NO_AGENT, updates=rls.NO_AGENT, deletes=rls.NO_AGENT),
    ]
