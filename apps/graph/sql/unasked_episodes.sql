-- Episodes and what was said just before each, which no model was asked about and no connective joins; the latest first.
SELECT before.id, e.id
FROM memory_live_episode e
JOIN memory_live_episode before ON before.tenant_id = e.tenant_id AND before.session_id = e.session_id
    AND before.ordinal = e.ordinal - 1 AND before.agent_id = e.agent_id AND before.visibility = e.visibility
    AND before.user_id IS NOT DISTINCT FROM e.user_id
WHERE e.tenant_id = %(tenant)s
    AND NOT EXISTS (
        SELECT FROM graph_asked_episode asked WHERE asked.tenant_id = %(tenant)s AND asked.resource_id = e.id
    )
    AND NOT EXISTS (
        SELECT FROM graph_relation r WHERE r.tenant_id = %(tenant)s AND r.kind = 'causal'
            AND (r.from_unit_id = before.id AND r.to_unit_id = e.id OR r.from_unit_id = e.id AND r.to_unit_id = before.id)
    )
ORDER BY e.id DESC LIMIT %(most)s
