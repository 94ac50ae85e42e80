"""Agents apart: an agent's scope sees its own entries and words, and changes no words."""

from django.db import migrations

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [("journal", "0002_users_apart")]

    operations = [
        rls.narrow("journal_entry", reads=rls.OWN, inserts=rls.OWN),
        rls.narrow("journal_log_text", reads=rls.OWN, inserts=rls.OWN, updates=rls.NO_AGENT, deletes=rls.NO_AGENT),
    ]
