"""Events of proposals. Nothing changes in the database."""

from django.db import migrations, models

KINDS = ("stored", "held", "superseded", "trigger_due", "budget", "proposal")


class Migration(migrations.Migration):
    dependencies = [("journal", "0005_kept")]

    operations = [
        migrations.AlterField(
            "event", "kind", models.CharField(choices=[(kind, kind) for kind in KINDS], max_length=16)
        ),
    ]
