INSERT INTO resources_session AS s
    (id, tenant_id, agent_id, external_id, user_id, next_ordinal, next_turn, started_at, last_active_at, opened_at)
SELECT id, %(tenant)s, %(agent)s, external_id, user_id, 0, 1, started_at, %(now)s, %(now)s
FROM unnest(%(ids)s::uuid[], %(externals)s::text[], %(users)s::text[], %(started)s::timestamptz[])
    AS given (id, external_id, user_id, started_at)
ORDER BY external_id, coalesce(user_id, '')
ON CONFLICT (tenant_id, agent_id, user_id, external_id) DO UPDATE SET
    last_active_at = excluded.last_active_at,
    opened_at = CASE WHEN s.ended_at IS NULL THEN s.opened_at ELSE excluded.opened_at END,
    ended_at = NULL
RETURNING user_id, external_id, id, next_ordinal, next_turn, opened_at = %(now)s, coalesce(parent_turn, 0),
    id = ANY(%(ids)s::uuid[])
