"""Prices of a tenant's own, days summed up, and how many turns an operation observed."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

import apps.core.clock
import apps.core.ids
from apps.core import rls


class Migration(migrations.Migration):
    dependencies = [
        ("budgets", "0003_agents_apart"),
        ("tenants", "0007_retention"),
    ]

    operations = [
        migrations.AddField(
            model_name="usage",
            name="turns",
            field=models.PositiveIntegerField(default=0, help_text="Turns observed."),
        ),
        migrations.AlterField(
            model_name="usage",
            name="queries",
            field=models.PositiveIntegerField(default=0, help_text="Recalls answered."),
        ),
        migrations.CreateModel(
            name="UsageDay",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField()),
                ("day", models.DateField()),
                ("agent_id", models.UUIDField(null=True)),
                ("operation", models.CharField(max_length=32)),
                ("model", models.CharField(max_length=128)),
                ("session_id", models.UUIDField(null=True)),
                ("rows", models.BigIntegerField()),
                ("unpriced_rows", models.BigIntegerField()),
                ("tokens_in", models.BigIntegerField()),
                ("tokens_out", models.BigIntegerField()),
                ("embedding_calls", models.BigIntegerField()),
                ("llm_calls", models.BigIntegerField()),
                ("failed_calls", models.BigIntegerField()),
                ("queries", models.BigIntegerField()),
                ("turns", models.BigIntegerField()),
                ("milliseconds", models.FloatField()),
                (
                    "cost_usd",
                    models.DecimalField(decimal_places=8, help_text="Of the rows whose price is known.", max_digits=20),
                ),
            ],
            options={
                "db_table": "budgets_usage_day",
                "indexes": [models.Index(models.F("tenant_id"), models.F("day"), name="budgets_usage_day_day")],
            },
        ),
        migrations.CreateModel(
            name="Price",
            fields=[
                ("id", models.UUIDField(default=apps.core.ids.new_id, primary_key=True, serialize=False)),
                ("model", models.CharField(help_text="The name under which it is asked for.", max_length=128)),
                (
                    "usd_per_million_in",
                    models.DecimalField(
                        decimal_places=6,
                        help_text="US dollars per million tokens sent.",
                        max_digits=14,
                        validators=[django.core.validators.MinValueValidator(0)],
                    ),
                ),
                (
                    "usd_per_million_out",
                    models.DecimalField(
                        decimal_places=6,
                        help_text="US dollars per million tokens answered.",
                        max_digits=14,
                        validators=[django.core.validators.MinValueValidator(0)],
                    ),
                ),
                (
                    "valid_from",
                    models.DateTimeField(
                        default=apps.core.clock.now, help_text="Calls before it keep the cost they were metered with."
                    ),
                ),
                ("tenant", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="tenants.tenant")),
            ],
            options={
                "db_table": "budgets_price",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "model", "valid_from"), name="budgets_price_once")
                ],
            },
        ),
        rls.protect("budgets_usage_day", grants="SELECT, INSERT, DELETE"),
        rls.narrow("budgets_usage_day", reads=rls.NO_AGENT, inserts=rls.NO_AGENT, deletes=rls.NO_AGENT),
        # Every agent's calls are priced by them; who administers the tenant writes them.
        rls.protect("budgets_price", grants="SELECT, INSERT, DELETE"),
        rls.narrow("budgets_price", inserts=rls.NO_AGENT, deletes=rls.NO_AGENT),
    ]
