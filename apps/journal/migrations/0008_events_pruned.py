"""Up to which position events are gone: who goes on behind an earlier one is told that it missed some."""

from django.db import migrations, models

from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [("journal", "0007_log_of_a_session")]

    operations = [
        migrations.AddField("eventcount", "pruned", models.BigIntegerField(default=0, db_default=0)),
        rls.narrow("journal_event_count", updates=rls.NO_AGENT),
        migrations.RunSQL(
            "GRANT UPDATE (pruned) ON journal_event_count TO memory_app",
            "REVOKE UPDATE (pruned) ON journal_event_count FROM memory_app",
        ),
    ]
