"""The tenant's time zone and the numbers by which memories age; schedules learn from here which tenants there are."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models

import apps.tenants.models

UNIT = [MinValueValidator(0.0), MaxValueValidator(1.0)]

TENANTS = """
CREATE OR REPLACE FUNCTION scheduled_tenants() RETURNS TABLE (tenant_id uuid, time_zone text)
LANGUAGE sql STABLE AS $$ SELECT p.tenant_id, p.time_zone::text FROM tenants_policy p $$
"""
NOBODY = """
CREATE OR REPLACE FUNCTION scheduled_tenants() RETURNS TABLE (tenant_id uuid, time_zone text)
LANGUAGE sql STABLE AS $$ SELECT NULL::uuid, NULL::text WHERE false $$
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0007_retention"), ("jobs", "0005_schedules")]
    operations = [
        migrations.AddField(
            model_name="policy",
            name="time_zone",
            field=models.CharField(
                default="UTC",
                help_text="In which schedules are meant: Europe/Berlin, America/New_York.",
                max_length=64,
                validators=[apps.tenants.models.check_time_zone],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="stale_after_days",
            field=models.PositiveIntegerField(
                default=90,
                help_text="Days a memory lies here and is not recalled before it counts as stale.",
                validators=[MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="forget_stale_after_days",
            field=models.PositiveIntegerField(
                default=180,
                help_text="Days a memory is stale before it is forgotten; restore undoes it.",
                validators=[MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="prune_below",
            field=models.FloatField(
                default=0.05,
                help_text="Effective confidence below which a memory past its TTL is archived; 0: none is.",
                validators=UNIT,
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="operational_inactive_below",
            field=models.FloatField(
                default=0.3,
                help_text="The same for memories of operational categories.",
                validators=UNIT,
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="new_priority",
            field=models.FloatField(
                default=0.1,
                help_text="Priority gained in the night after a memory was stored.",
                validators=UNIT,
            ),
        ),
        migrations.RunSQL(TENANTS, NOBODY),
    ]
