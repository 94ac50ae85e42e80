"""The numbers of insights, of the cold archive and of entity summaries."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0015_lasting_rules"),
    ]

    operations = [
        migrations.AddField(
            model_name="policy",
            name="cold_after_days",
            field=models.PositiveIntegerField(
                default=180,
                help_text="Days an archived or forgotten memory is left alone before it is packed away.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="entity_summary_mentions",
            field=models.PositiveIntegerField(
                default=3,
                help_text="Mentions from which an entity gets a summary.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="insight_least",
            field=models.PositiveIntegerField(
                default=3,
                help_text="Archived memories of one matter that make an insight.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="insight_most",
            field=models.PositiveIntegerField(
                default=50,
                help_text="Memories one insight tells of at most.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="insight_similarity",
            field=models.FloatField(
                default=0.5,
                help_text="How far from a related cosine to a duplicate's what is of one matter lies; 1: only duplicates are.",
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(1.0),
                ],
            ),
        ),
    ]
