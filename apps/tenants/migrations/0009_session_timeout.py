"""How long a session may be silent before it is ended."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0008_schedules"), ("tenants", "0008_deleting_a_login")]

    operations = [
        migrations.AddField(
            model_name="policy",
            name="session_timeout_minutes",
            field=models.PositiveIntegerField(
                default=30,
                help_text="Minutes of silence after which a session is ended.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
    ]
