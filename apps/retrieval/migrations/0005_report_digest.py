"""Learning from use: what output was reported of a recall, so that the same report teaches once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0004_sessions")]

    operations = [
        migrations.AddField(
            "recall",
            "report_digest",
            models.CharField(
                db_default="", help_text="Of the output that was reported, keyed by the server's secret.", max_length=64
            ),
        ),
    ]
