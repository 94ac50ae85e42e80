import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0022_key_made_by"),
    ]

    operations = [
        migrations.AlterField(
            model_name="category",
            name="ttl_days",
            field=models.PositiveIntegerField(
                blank=True,
                default=90,
                help_text="Days since last confirmed after which a memory is tagged stale; empty: never.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(36500),
                ],
                verbose_name="TTL in days",
            ),
        ),
        migrations.AlterField(
            model_name="policy",
            name="fusion",
            field=models.CharField(
                choices=[
                    ("learned", "learned head"),
                    ("contextual", "contextual BM25 + gated cosine"),
                    ("keyword", "contextual BM25 alone"),
                    ("vector", "cosine alone"),
                    ("reciprocal_rank", "weighted reciprocal rank"),
                    ("dual", "dual score"),
                ],
                default="learned",
                help_text="How what the keywords, the vectors and the graph say of a memory becomes one score.",
                max_length=16,
            ),
        ),
    ]
