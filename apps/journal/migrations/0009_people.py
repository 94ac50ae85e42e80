"""What people did, found without what agents did."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("journal", "0008_events_pruned")]

    operations = [
        migrations.AddIndex(
            "entry",
            models.Index(
                models.F("tenant_id"),
                models.F("at").desc(),
                name="journal_entry_people",
                condition=models.Q(("actor__startswith", "member")),
            ),
        ),
    ]
