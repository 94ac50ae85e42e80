"""Pruning asks a function of ours how long jobs are kept; the app that knows replaces its body."""

from django.db import migrations

from apps.core import rls

# Until somebody says how long, nothing is pruned.
RETENTION = """
CREATE FUNCTION job_retention() RETURNS TABLE (tenant_id uuid, days integer)
LANGUAGE sql STABLE AS $$ SELECT NULL::uuid, NULL::integer WHERE false $$
"""
PRUNE = """
CREATE OR REPLACE FUNCTION prune_jobs(max_rows integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    pruned integer;
BEGIN
    DELETE FROM jobs_job WHERE id IN (
        SELECT j.id FROM jobs_job j JOIN job_retention() kept ON kept.tenant_id = j.tenant_id
        WHERE j.state IN ('done', 'failed')
          AND j.finished_at < now() - make_interval(days => (SELECT min(days) FROM job_retention()))
          AND j.finished_at < now() - make_interval(days => kept.days)
        ORDER BY j.finished_at LIMIT max_rows
        FOR UPDATE OF j SKIP LOCKED
    );
    GET DIAGNOSTICS pruned = ROW_COUNT;
    RETURN pruned;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0002_functions")]
    operations = [
        migrations.RunSQL(
            [
                RETENTION,
                "REVOKE EXECUTE ON FUNCTION job_retention() FROM PUBLIC",
                PRUNE,
                "REVOKE EXECUTE ON FUNCTION prune_jobs(integer) FROM PUBLIC",
                "GRANT EXECUTE ON FUNCTION prune_jobs(integer) TO SESSION_USER",
            ],
            ["DROP FUNCTION prune_jobs(integer)", "DROP FUNCTION job_retention()"],
        ),
        rls.share_grants_with_requests(),
    ]
