import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0024_tending"),
    ]

    operations = [
        migrations.AlterField(
            model_name="policy",
            name="ingest_lines_per_minute",
            field=models.PositiveIntegerField(
                default=20000,
                help_text="Accepted lines of bulk ingest per agent: as many at once, refilled over a minute, so that one "
                "minute may have nearly twice as many.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
    ]
