"""What a tenant's budgets need of its policy: whether there are any, how much a context holds under them."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0009_session_timeout")]

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
    ]
