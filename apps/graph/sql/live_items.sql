SELECT i.id, i.agent_id, i.user_id, i.visibility, i.text, i.entity_names, i.confidence, i.event_time, i.valid_from,
       i.valid_until, i.recorded_at, i.retracted_at, i.is_asserted, i.language, said.id,
       coalesce(nullif(i.said_by, ''), said.speaker), said.role
FROM memory_live_item i
LEFT JOIN LATERAL (
    SELECT e.id, e.speaker, e.role FROM memory_origin o
    JOIN resources_episode e ON e.tenant_id = o.tenant_id AND e.id = o.resource_id
    WHERE o.tenant_id = i.tenant_id AND o.item_id = i.id ORDER BY o.id LIMIT 1
) said ON true
WHERE i.tenant_id = %s AND i.id = ANY(%s)
