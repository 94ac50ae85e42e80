"""Agents apart: what an agent spent is its own to see."""

from django.db import migrations

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [("budgets", "0002_usage_failed_calls")]

    operations = [
        rls.narrow("budgets_usage", reads=rls.OWN, inserts=f"{rls.OWN} OR {rls.NOBODYS}", deletes=rls.NO_AGENT),
    ]
