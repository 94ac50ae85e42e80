"""Which items have gained the priority of their first night."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_views")]
    operations = [
        migrations.AddField(
            model_name="itemuse",
            name="favoured",
            field=models.BooleanField(
                db_default=False, help_text="Has the priority a new item gains in its first night."
            ),
        ),
    ]
