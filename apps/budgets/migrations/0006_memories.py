"""How many memories an operation stored; what was metered before says of none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("budgets", "0005_budgets")]

    operations = [
        migrations.AddField(
            model_name="usage",
            name="memories",
            field=models.PositiveIntegerField(default=0, help_text="Memories stored."),
        ),
        migrations.AddField(
            model_name="usageday",
            name="memories",
            field=models.BigIntegerField(default=0),
        ),
    ]
