"""How long events are kept, and how many may listen at once."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0010_budgets")]

    operations = [
        migrations.AddField(
            model_name="policy",
            name="event_streams",
            field=models.PositiveIntegerField(
                default=20,
                help_text="Listeners to events that each web process serves at once.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="event_retention_days",
            field=models.PositiveIntegerField(
                default=7,
                help_text="Days an event can be asked for again.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
    ]
