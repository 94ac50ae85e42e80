"""What was planned while the clock ran ahead is known by when it was planned, edited or made."""

from importlib import import_module

import django.db.models.functions
from django.db import migrations, models

before = import_module("apps.jobs.migrations.0006_made_ahead")

OVERDUE = """
CREATE OR REPLACE FUNCTION tenants_with_overdue(at timestamptz, ahead timestamptz, names text[], most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT s.tenant_id FROM jobs_schedule s
    WHERE s.enabled AND s.name = ANY (names)
        AND (s.next_run_at <= at OR s.last_run_at > ahead OR s.planned_at > ahead)
    GROUP BY s.tenant_id ORDER BY min(s.next_run_at) LIMIT most
$$
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0006_made_ahead")]
    operations = [
        migrations.AddField(
            model_name="schedule",
            name="planned_at",
            field=models.DateTimeField(
                db_default=django.db.models.functions.Now(),
                help_text="When `next_run_at` was reckoned, by the clock it was reckoned from.",
            ),
        ),
        migrations.RunSQL([OVERDUE], [before.OVERDUE]),
    ]
