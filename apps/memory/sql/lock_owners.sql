-- In the order of Python's audience keys: nobody who locks several may wait for another who does.
INSERT INTO memory_audience_clock AS clock (tenant_id, agent_id, user_id, visibility, changes)
SELECT %(tenant)s, owner.agent_id, owner.user_id, owner.visibility, 1
FROM (
    SELECT DISTINCT CASE WHEN visibility = 'shared' THEN NULL ELSE agent_id END AS agent_id, user_id, visibility
    FROM memory_item WHERE tenant_id = %(tenant)s AND id = ANY(%(ids)s::uuid[])
) owner
ORDER BY coalesce(owner.agent_id::text, 'None') COLLATE "C",
    CASE WHEN owner.user_id IS NULL THEN '' ELSE '=' || owner.user_id END COLLATE "C", owner.visibility COLLATE "C"
ON CONFLICT (tenant_id, agent_id, user_id, visibility) DO UPDATE SET changes = clock.changes + 1
