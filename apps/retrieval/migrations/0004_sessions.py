"""Sessions: a question remembers, in the caller's own words, the conversation it was asked in, and a hit how it stood."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0003_agents_apart")]

    operations = [
        # Nothing ever wrote it, and a question may come before the session's first message.
        migrations.RemoveField("recall", "session_id"),
        migrations.AddField("recall", "session_external_id", models.CharField(max_length=200, null=True)),
        migrations.AddField("recall", "changed", models.JSONField(default=list)),
        migrations.AddField("recalled", "verdict", models.CharField(max_length=8, null=True)),
        migrations.AddIndex(
            "recall",
            models.Index(
                "tenant_id",
                "session_external_id",
                "at",
                name="retrieval_recall_session",
                condition=models.Q(session_external_id__isnull=False),
            ),
        ),
    ]
