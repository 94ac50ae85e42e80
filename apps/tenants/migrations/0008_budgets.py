"""What a tenant's budgets need of its policy: the clock they go by, how much a context holds under them."""

import django.core.validators
from django.db import migrations, models

import apps.tenants.models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0007_retention")]

    operations = [
        migrations.AddField(
            model_name="policy",
            name="has_budgets",
            field=models.BooleanField(
                default=False,
                editable=False,
                help_text="Whether there are budgets: who loads the policy need not look.",
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="pressed_context_limit",
            field=models.PositiveIntegerField(
                default=5,
                help_text="The same once the soft amount of a budget is reached.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="time_zone",
            field=models.CharField(
                default="UTC",
                help_text="Whose midnight ends a day or month of a budget: an IANA name such as Europe/Berlin.",
                max_length=64,
                validators=[apps.tenants.models.validate_time_zone],
            ),
        ),
    ]
