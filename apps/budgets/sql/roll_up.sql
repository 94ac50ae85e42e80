INSERT INTO budgets_usage_day (
    tenant_id, day, agent_id, operation, model, session_id, rows, unpriced_rows, tokens_in, tokens_out,
    embedding_calls, llm_calls, failed_calls, queries, turns, memories, milliseconds,
    cost_usd
)
SELECT
    %(tenant)s, %(day)s, agent_id, operation, model, session_id, count(*), count(*) - count(cost_usd),
    sum(tokens_in), sum(tokens_out), sum(embedding_calls), sum(llm_calls), sum(failed_calls), sum(queries),
    sum(turns), sum(memories), sum(milliseconds), coalesce(sum(cost_usd), 0)
FROM budgets_usage
WHERE tenant_id = %(tenant)s AND at >= %(since)s AND at < %(until)s
GROUP BY agent_id, operation, model, session_id
