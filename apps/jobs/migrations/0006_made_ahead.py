"""A schedule that was made while the clock ran ahead, and never ran since, is planned anew, too."""

from importlib import import_module

from django.db import migrations

before = import_module("apps.jobs.migrations.0005_schedules")
fair = import_module("apps.jobs.migrations.0004_fair_claims")

# Ids begin with the milliseconds at which they were made.
OVERDUE = """
CREATE OR REPLACE FUNCTION tenants_with_overdue(at timestamptz, ahead timestamptz, names text[], most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT s.tenant_id FROM jobs_schedule s
    WHERE s.enabled AND s.name = ANY (names) AND (
        s.next_run_at <= at OR s.last_run_at > ahead OR s.last_run_at IS NULL AND s.id > (
            lpad(to_hex(floor(extract(epoch FROM ahead) * 1000)::bigint), 12, '0') || repeat('0', 20)
        )::uuid
    )
    GROUP BY s.tenant_id ORDER BY min(s.next_run_at) LIMIT most
$$
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0005_schedules")]
    operations = [migrations.RunSQL([OVERDUE], [fair.replacing(before.OVERDUE)])]
