"""What learning from use needs of a policy: when an output counts, what people's feedback is worth, how it fades."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0011_events"),
    ]

    operations = [
        migrations.AddField(
            model_name="policy",
            name="feedback_half_life_days",
            field=models.PositiveIntegerField(
                default=30,
                help_text="Days in which half of what was learnt from use fades.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="feedback_helpful",
            field=models.FloatField(
                default=0.1,
                help_text="Priority gained by a memory somebody called helpful.",
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(1.0),
                ],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="feedback_used_from",
            field=models.FloatField(
                default=0.45,
                help_text="Probability from which an output counts as having used a memory.",
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(1.0),
                ],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="feedback_window_hours",
            field=models.PositiveIntegerField(
                default=24,
                help_text="Hours after a recall in which its output may be reported.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="outdated_ends_validity",
            field=models.BooleanField(
                default=False, help_text="A memory called outdated is no longer true; otherwise it counts as stale."
            ),
        ),
        migrations.AlterField(
            model_name="policy",
            name="feedback_ignored_expensive",
            field=models.FloatField(
                default=0.1,
                help_text="The same where it cost more tokens than the recall's median hit.",
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(1.0),
                ],
            ),
        ),
    ]
