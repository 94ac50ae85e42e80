"""Schedules, the two functions with which the tick looks across tenants, and what a run that is over tells its own."""

from importlib import import_module

from django.db import migrations, models

import apps.core.ids
from apps.core import rls

fair = import_module("apps.jobs.migrations.0004_fair_claims")
before = import_module("apps.jobs.migrations.0002_functions")

# The app that knows the tenants replaces its body.
TENANTS = """
CREATE FUNCTION scheduled_tenants() RETURNS TABLE (tenant_id uuid, time_zone text)
LANGUAGE sql STABLE AS $$ SELECT NULL::uuid, NULL::text WHERE false $$
"""

LACKING = """
CREATE FUNCTION tenants_lacking_schedules(names text[]) RETURNS TABLE (tenant_id uuid, time_zone text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT t.tenant_id, t.time_zone FROM scheduled_tenants() t
    WHERE (SELECT count(*) FROM jobs_schedule s WHERE s.tenant_id = t.tenant_id AND s.name = ANY (names))
        < cardinality(names)
$$
"""

# `ahead`: a last run behind it was written while the clock was wrong, and what is planned after it, too.
OVERDUE = """
CREATE FUNCTION tenants_with_overdue(at timestamptz, ahead timestamptz, names text[], most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT s.tenant_id FROM jobs_schedule s
    WHERE s.enabled AND (s.next_run_at <= at OR s.last_run_at > ahead) AND s.name = ANY (names)
    GROUP BY s.tenant_id ORDER BY min(s.next_run_at) LIMIT most
$$
"""

FINISH = """
CREATE OR REPLACE FUNCTION finish_job(
    job uuid, worker text, attempt integer, new_state text, result jsonb, reason text, retry_in interval
) RETURNS boolean LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH finished AS (
        UPDATE jobs_job SET
            state = new_state, outcome = result, error = reason, locked_until = NULL,
            attempts = CASE WHEN new_state = 'queued' AND retry_in IS NULL THEN attempts - 1 ELSE attempts END,
            run_after = CASE WHEN new_state = 'queued' THEN clock_timestamp() + coalesce(retry_in, interval '0')
                ELSE run_after END,
            finished_at = CASE WHEN new_state = 'queued' THEN NULL ELSE clock_timestamp() END
        WHERE id = job AND state = 'running' AND locked_by = worker AND attempts = attempt
        RETURNING tenant_id, id, finished_at
    ), told AS (
        UPDATE jobs_schedule s SET counts = result, error = reason, finished_at = f.finished_at
        FROM finished f WHERE f.finished_at IS NOT NULL AND s.job_id = f.id AND s.tenant_id = f.tenant_id
    )
    SELECT EXISTS (SELECT FROM finished)
$$
"""

RECLAIM = """
CREATE OR REPLACE FUNCTION reclaim_jobs(dead text[], worker text, active uuid[], lease interval) RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH lost AS (
        SELECT id FROM jobs_job
        WHERE state = 'running' AND (
            locked_until < clock_timestamp() OR locked_by = ANY (dead)
            OR (locked_by = worker AND NOT id = ANY (active)
                AND locked_until < clock_timestamp() + lease - interval '5 seconds')
        )
        FOR UPDATE SKIP LOCKED
    ), taken AS (
        UPDATE jobs_job j SET
            state = CASE WHEN attempts >= max_attempts THEN 'failed' ELSE 'queued' END,
            error = 'worker_lost', locked_until = NULL, run_after = clock_timestamp(),
            finished_at = CASE WHEN attempts >= max_attempts THEN clock_timestamp() END
        FROM lost WHERE j.id = lost.id
        RETURNING j.tenant_id, j.id, j.outcome, j.error, j.finished_at
    ), told AS (
        UPDATE jobs_schedule s SET counts = t.outcome, error = t.error, finished_at = t.finished_at
        FROM taken t WHERE t.finished_at IS NOT NULL AND s.job_id = t.id AND s.tenant_id = t.tenant_id
    )
    SELECT count(*)::integer FROM taken
$$
"""

SIGNATURES = ("tenants_lacking_schedules(text[])", "tenants_with_overdue(timestamptz, timestamptz, text[], integer)")


class Migration(migrations.Migration):
    dependencies = [("jobs", "0004_fair_claims")]
    operations = [
        migrations.CreateModel(
            name="Schedule",
            fields=[
                ("id", models.UUIDField(default=apps.core.ids.new_id, primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField()),
                ("name", models.CharField(max_length=64)),
                (
                    "cron",
                    models.CharField(
                        help_text="Minute, hour, day of the month, month, day of the week.", max_length=100
                    ),
                ),
                ("time_zone", models.CharField(default="UTC", max_length=64)),
                ("enabled", models.BooleanField(default=True)),
                ("next_run_at", models.DateTimeField()),
                ("last_run_at", models.DateTimeField(null=True)),
                (
                    "finished_at",
                    models.DateTimeField(help_text="When the last run was over; null while it runs.", null=True),
                ),
                ("job_id", models.UUIDField(help_text="The job of the last run.", null=True)),
                (
                    "counts",
                    models.JSONField(default=dict, help_text="What the last run that was over achieved."),
                ),
                (
                    "error",
                    models.CharField(
                        blank=True, default="", help_text="Reason code and class; never content.", max_length=200
                    ),
                ),
            ],
            options={
                "db_table": "jobs_schedule",
                "indexes": [
                    models.Index(
                        models.F("next_run_at"), condition=models.Q(("enabled", True)), name="jobs_schedule_due"
                    ),
                    models.Index(
                        models.F("job_id"), condition=models.Q(("job_id__isnull", False)), name="jobs_schedule_job"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(models.F("tenant_id"), models.F("name"), name="jobs_schedule_once")
                ],
            },
        ),
        rls.protect("jobs_schedule"),
        migrations.RunSQL(
            [TENANTS, "REVOKE EXECUTE ON FUNCTION scheduled_tenants() FROM PUBLIC", LACKING, OVERDUE, FINISH, RECLAIM],
            [
                fair.FINISH,
                fair.replacing(before.RECLAIM),
                *(f"DROP FUNCTION {signature}" for signature in SIGNATURES),
                "DROP FUNCTION scheduled_tenants()",
            ],
        ),
        migrations.RunSQL(
            [
                statement
                for signature in SIGNATURES
                for statement in (
                    f"REVOKE EXECUTE ON FUNCTION {signature} FROM PUBLIC",
                    f"GRANT EXECUTE ON FUNCTION {signature} TO SESSION_USER",
                )
            ],
            migrations.RunSQL.noop,
        ),
        rls.share_grants_with_requests(),
    ]
