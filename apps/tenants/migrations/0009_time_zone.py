"""The tenant's time zone."""

from django.db import migrations, models

import apps.tenants.models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0008_deleting_a_login")]

    operations = [
        migrations.AddField(
            model_name="policy",
            name="time_zone",
            field=models.CharField(
                default="UTC",
                help_text="In which schedules are meant: Europe/Berlin, America/New_York.",
                max_length=64,
                validators=[apps.tenants.models.check_time_zone],
            ),
        ),
    ]
