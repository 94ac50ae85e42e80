"""A claim counts what its worker already runs for a tenant; a part of a job is no attempt."""

from importlib import import_module

from django.db import migrations

before = import_module("apps.jobs.migrations.0002_functions")

# `max_per_tenant`: how many jobs of a tenant this worker runs at once; null: no matter how many.
CLAIM = """
CREATE OR REPLACE FUNCTION claim_jobs(
    worker text, wanted integer, max_per_tenant integer, lease interval DEFAULT '30 seconds',
    after_tenant uuid DEFAULT NULL, only_tenant uuid DEFAULT NULL
) RETURNS SETOF jobs_job LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
    nobody constant uuid := '00000000-0000-0000-0000-000000000000';
    origin constant uuid := coalesce(after_tenant, nobody);
    position_ uuid := origin;
    wrapped boolean := false;
    next_tenant uuid;
    candidate record;
    claimed jobs_job;
    taken integer := 0;
    collided boolean;
    tries integer;
BEGIN
    IF max_per_tenant IS NOT NULL THEN
        -- Two threads of a worker must not count what is running at the same time.
        PERFORM pg_advisory_xact_lock(hashtextextended('claim_jobs ' || worker, 0));
    END IF;
    WHILE taken < wanted LOOP
        IF only_tenant IS NOT NULL THEN
            EXIT WHEN wrapped;
            wrapped := true;
            next_tenant := only_tenant;
        ELSE
            SELECT j.tenant_id INTO next_tenant FROM jobs_job j
            WHERE j.state = 'queued' AND j.tenant_id > position_ ORDER BY j.tenant_id, j.run_after, j.id LIMIT 1;
            IF NOT FOUND OR (wrapped AND next_tenant > origin) THEN
                EXIT WHEN wrapped;
                wrapped := true;
                position_ := nobody;
                CONTINUE;
            END IF;
            position_ := next_tenant;
        END IF;
        tries := 0;
        LOOP
            collided := false;
            FOR candidate IN
                SELECT j.id, j.serial_key FROM jobs_job j
                WHERE j.tenant_id = next_tenant AND j.state = 'queued' AND j.run_after <= now()
                  AND (j.serial_key = '' OR NOT EXISTS (
                      SELECT FROM jobs_job r
                      WHERE r.tenant_id = next_tenant AND r.serial_key = j.serial_key AND r.state = 'running'
                        AND r.serial_key <> ''))
                ORDER BY j.run_after, j.id
                LIMIT least(wanted - taken, CASE WHEN max_per_tenant IS NOT NULL THEN greatest(0, max_per_tenant - (
                    SELECT count(*) FROM jobs_job b
                    WHERE b.tenant_id = next_tenant AND b.state = 'running' AND b.locked_by = worker)) END)
                FOR UPDATE OF j SKIP LOCKED
            LOOP
                BEGIN
                    UPDATE jobs_job SET
                        state = 'running', attempts = attempts + 1, dedup_key = NULL, locked_by = worker,
                        locked_until = clock_timestamp() + lease, started_at = clock_timestamp()
                    WHERE id = candidate.id
                    RETURNING * INTO claimed;
                    taken := taken + 1;
                    RETURN NEXT claimed;
                EXCEPTION WHEN unique_violation THEN
                    collided := true;
                END;
            END LOOP;
            tries := tries + 1;
            EXIT WHEN NOT collided OR taken >= wanted OR tries >= 3;
        END LOOP;
    END LOOP;
END $$;
"""

# `retry_in` null: the job did a part of its work, which is no attempt.
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
        RETURNING 1
    )
    SELECT EXISTS (SELECT FROM finished)
$$;
"""


def replacing(statement: str) -> str:
    return statement.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")


class Migration(migrations.Migration):
    dependencies = [("jobs", "0003_prune")]
    operations = [migrations.RunSQL([CLAIM, FINISH], [replacing(before.CLAIM), replacing(before.FINISH)])]
