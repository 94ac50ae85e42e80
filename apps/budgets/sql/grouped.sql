-- The whole days of the span that are summed up end before `end_day`; the rows on either side of them are read one by one.
WITH summed AS (
    SELECT greatest(
        least(%(last_day)s::date, coalesce(max(day) + 1, '-infinity')), %(first_day)s::date
    ) AS end_day
    FROM budgets_usage_day WHERE tenant_id = %(tenant)s
),
bounds AS (
    SELECT
        end_day,
        CASE WHEN end_day > %(first_day)s THEN %(first_day)s::timestamp AT TIME ZONE 'UTC' ELSE %(since)s END AS rolled_from,
        CASE WHEN end_day > %(first_day)s THEN end_day::timestamp AT TIME ZONE 'UTC' ELSE %(since)s END AS rolled_until
    FROM summed
),
spent AS (
    SELECT
        day, agent_id, operation, model, session_id, rows, unpriced_rows, tokens_in, tokens_out, embedding_calls,
        llm_calls, failed_calls, queries, turns, memories, milliseconds, cost_usd
    FROM budgets_usage_day
    WHERE tenant_id = %(tenant)s AND day >= %(first_day)s AND day < (SELECT end_day FROM bounds)
    UNION ALL
    SELECT
        (at AT TIME ZONE 'UTC')::date, agent_id, operation, model, session_id, 1, (cost_usd IS NULL)::int, tokens_in,
        tokens_out, embedding_calls, llm_calls, failed_calls, queries, turns, memories, milliseconds, cost_usd
    FROM budgets_usage
    WHERE tenant_id = %(tenant)s AND at >= %(since)s AND at < (SELECT rolled_from FROM bounds)
    UNION ALL
    SELECT
        (at AT TIME ZONE 'UTC')::date, agent_id, operation, model, session_id, 1, (cost_usd IS NULL)::int, tokens_in,
        tokens_out, embedding_calls, llm_calls, failed_calls, queries, turns, memories, milliseconds, cost_usd
    FROM budgets_usage
    WHERE tenant_id = %(tenant)s AND at >= (SELECT rolled_until FROM bounds) AND at < %(until)s
),
-- A key that is not asked for is a constant, which the planner groups by at no cost.
grouped AS (
    SELECT
        CASE WHEN %(by_day)s THEN day END AS day,
        CASE WHEN %(by_agent)s THEN agent_id END AS agent_id,
        CASE WHEN %(by_operation)s THEN operation END AS operation,
        CASE WHEN %(by_model)s THEN model END AS model,
        CASE WHEN %(by_session)s THEN session_id END AS session_id,
        sum(rows)::bigint AS rows,
        sum(unpriced_rows)::bigint AS unpriced_rows,
        sum(tokens_in)::bigint AS tokens_in,
        sum(tokens_out)::bigint AS tokens_out,
        sum(embedding_calls)::bigint AS embedding_calls,
        sum(llm_calls)::bigint AS llm_calls,
        sum(failed_calls)::bigint AS failed_calls,
        sum(queries)::bigint AS recalls,
        sum(turns)::bigint AS turns,
        sum(memories)::bigint AS memories,
        sum(milliseconds) AS milliseconds,
        coalesce(sum(cost_usd), 0) AS known_cost_usd,
        coalesce(sum(cost_usd) FILTER (WHERE operation = 'recall'), 0) AS known_recall_cost_usd,
        coalesce(sum(unpriced_rows) FILTER (WHERE operation = 'recall'), 0)::bigint AS unpriced_recall_rows
    FROM spent
    GROUP BY 1, 2, 3, 4, 5
),
-- What a group does not have comes first, as the smallest value of its kind.
keyed AS (
    SELECT
        grouped.*,
        coalesce(day, '-infinity') AS day_key,
        coalesce(agent_id, %(no_id)s::uuid) AS agent_key,
        coalesce(operation, '') COLLATE "C" AS operation_key,
        coalesce(model, '') COLLATE "C" AS model_key,
        coalesce(session_id, %(no_id)s::uuid) AS session_key
    FROM grouped
)
SELECT
    day, agent_id, operation, model, session_id, rows, unpriced_rows, tokens_in, tokens_out, embedding_calls, llm_calls,
    failed_calls, recalls, turns, memories, milliseconds, known_cost_usd, known_recall_cost_usd, unpriced_recall_rows
FROM keyed
WHERE %(from_start)s OR (day_key, agent_key, operation_key, model_key, session_key) > (
    coalesce(%(after_day)s::date, '-infinity'), coalesce(%(after_agent)s::uuid, %(no_id)s::uuid),
    %(after_operation)s, %(after_model)s, coalesce(%(after_session)s::uuid, %(no_id)s::uuid)
)
ORDER BY day_key, agent_key, operation_key, model_key, session_key
LIMIT %(limit)s
