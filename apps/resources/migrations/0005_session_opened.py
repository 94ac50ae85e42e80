"""Sessions that fall silent are ended by a job that begins to watch when one opens."""

from django.db import migrations, models

import apps.core.clock

# Nothing watches those that are open now: the next turn opens them again.
END_ALL = "UPDATE resources_session SET ended_at = last_active_at WHERE ended_at IS NULL"


class Migration(migrations.Migration):
    dependencies = [("resources", "0004_episode_view")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="opened_at",
            field=models.DateTimeField(
                default=apps.core.clock.now, help_text="When it began, or last went on after it had ended."
            ),
        ),
        migrations.RunSQL(END_ALL, migrations.RunSQL.noop),
    ]
