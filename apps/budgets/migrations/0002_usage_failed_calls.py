from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("budgets", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="usage",
            name="failed_calls",
            field=models.PositiveIntegerField(default=0, help_text="Calls among them that brought no usable answer."),
        ),
    ]
