SELECT e.id, e.agent_id, e.user_id, e.visibility, e.text, e.said_at, e.recorded_at, e.speaker, e.role, before.id
FROM memory_live_episode e
LEFT JOIN resources_episode before ON before.tenant_id = e.tenant_id AND before.session_id = e.session_id
    AND before.ordinal = e.ordinal - 1 AND before.agent_id = e.agent_id AND before.visibility = e.visibility
    AND before.user_id IS NOT DISTINCT FROM e.user_id
WHERE e.tenant_id = %s AND e.id = ANY(%s)
