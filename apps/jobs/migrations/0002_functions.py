"""The queue's functions: SECURITY DEFINER, because a worker looks for work before it knows the tenant."""

from django.db import migrations

# A queue is nearly all dead rows; the defaults would let its indexes grow past what a claim can skip.
TUNE = """
ALTER TABLE jobs_job SET (
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 500,
    autovacuum_analyze_scale_factor = 0.05
);
"""

# Walks the tenants that have queued rows by one index probe each, starting behind `after_tenant`, and takes at most
# `max_per_tenant` of each: 100,000 rows of one tenant cost another tenant's job nothing.
# The probe is ordered by the whole index of queued rows; by the tenant alone, the planner may choose another index
# and wade through every finished job.
# Two claims may pick two jobs of one serial key at once; the unique index lets one through.
CLAIM = """
CREATE FUNCTION claim_jobs(
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
                LIMIT least(max_per_tenant, wanted - taken)
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

# The arguments move and the siblings end in one transaction, so a crash leaves either many jobs or one, never a gap.
ABSORB = """
CREATE FUNCTION absorb_jobs(leader uuid, worker text, argument text, max_items integer)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    head jobs_job;
    sibling record;
    items jsonb;
    absorbed uuid[] := '{}';
BEGIN
    SELECT * INTO head FROM jobs_job WHERE id = leader AND state = 'running' AND locked_by = worker FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    items := head.arguments -> argument;
    FOR sibling IN
        SELECT j.id, j.arguments -> argument AS items FROM jobs_job j
        WHERE j.state = 'queued' AND j.id = ANY (ARRAY(
            SELECT near.id FROM (
                SELECT d.id, d.name, d.serial_key, d.attempts, d.arguments FROM jobs_job d
                WHERE d.tenant_id = head.tenant_id AND d.state = 'queued' AND d.run_after <= now()
                ORDER BY d.run_after, d.id LIMIT 1000
            ) near
            WHERE near.name = head.name AND near.serial_key = head.serial_key AND near.attempts = 0
              AND near.arguments - argument = head.arguments - argument
              AND jsonb_typeof(near.arguments -> argument) = 'array'
            LIMIT max_items
        ))
        ORDER BY j.run_after, j.id
        FOR UPDATE SKIP LOCKED
    LOOP
        EXIT WHEN jsonb_array_length(items) + jsonb_array_length(sibling.items) > max_items;
        items := items || sibling.items;
        absorbed := absorbed || sibling.id;
    END LOOP;
    IF cardinality(absorbed) > 0 THEN
        UPDATE jobs_job SET state = 'done', merged_into = leader, dedup_key = NULL,
            started_at = head.started_at, finished_at = clock_timestamp()
        WHERE id = ANY (absorbed);
        UPDATE jobs_job SET arguments = jsonb_set(arguments, ARRAY[argument], items) WHERE id = leader;
    END IF;
    RETURN items;
END $$;
"""

RENEW = """
CREATE FUNCTION renew_jobs(worker text, jobs uuid[], lease interval) RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH renewed AS (
        UPDATE jobs_job SET locked_until = clock_timestamp() + lease
        WHERE id = ANY (jobs) AND state = 'running' AND locked_by = worker
        RETURNING 1
    )
    SELECT count(*)::integer FROM renewed
$$;
"""

# `attempt` fences: one whose lease was taken over may not overwrite what its successor did.
FINISH = """
CREATE FUNCTION finish_job(
    job uuid, worker text, attempt integer, new_state text, result jsonb, reason text, retry_in interval
) RETURNS boolean LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH finished AS (
        UPDATE jobs_job SET
            state = new_state, outcome = result, error = reason, locked_until = NULL,
            run_after = CASE WHEN new_state = 'queued' THEN clock_timestamp() + retry_in ELSE run_after END,
            finished_at = CASE WHEN new_state = 'queued' THEN NULL ELSE clock_timestamp() END
        WHERE id = job AND state = 'running' AND locked_by = worker AND attempts = attempt
        RETURNING 1
    )
    SELECT EXISTS (SELECT FROM finished)
$$;
"""

RUNNING = """
CREATE FUNCTION running_workers() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT DISTINCT locked_by FROM jobs_job WHERE state = 'running'
$$;
"""

# Takes back what dead workers, expired leases and interrupted runs of the caller itself left behind.
RECLAIM = """
CREATE FUNCTION reclaim_jobs(dead text[], worker text, active uuid[], lease interval) RETURNS integer
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
        RETURNING 1
    )
    SELECT count(*)::integer FROM taken
$$;
"""

DEPTH = """
CREATE FUNCTION queue_depth()
RETURNS TABLE (name text, queued bigint, running bigint, failed bigint, oldest_due_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT j.name::text,
        count(*) FILTER (WHERE state = 'queued'),
        count(*) FILTER (WHERE state = 'running'),
        count(*) FILTER (WHERE state = 'failed'),
        coalesce(extract(epoch FROM clock_timestamp() - min(run_after) FILTER (
            WHERE state = 'queued' AND run_after <= clock_timestamp())), 0)::double precision
    FROM jobs_job j
    WHERE state = 'queued' OR state = 'running' OR (state = 'failed' AND finished_at IS NOT NULL)
    GROUP BY j.name
$$;
"""

DUE = """
CREATE FUNCTION any_job_due() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM jobs_job WHERE state = 'queued' AND run_after <= clock_timestamp())
$$;
"""

SIGNATURES = (
    "claim_jobs(text, integer, integer, interval, uuid, uuid)",
    "absorb_jobs(uuid, text, text, integer)",
    "renew_jobs(text, uuid[], interval)",
    "finish_job(uuid, text, integer, text, jsonb, text, interval)",
    "running_workers()",
    "reclaim_jobs(text[], text, uuid[], interval)",
    "queue_depth()",
    "any_job_due()",
)


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]
    operations = [
        migrations.RunSQL(TUNE, "ALTER TABLE jobs_job RESET (fillfactor)"),
        migrations.RunSQL(
            [CLAIM, ABSORB, RENEW, FINISH, RUNNING, RECLAIM, DEPTH, DUE],
            [f"DROP FUNCTION {signature}" for signature in SIGNATURES],
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
    ]
