UPDATE graph_entity e SET mention_count = counted.mentions, first_seen_at = counted.first, last_seen_at = counted.last
FROM (
    SELECT wanted.id,
        count(DISTINCT coalesce((
            SELECT o.resource_id FROM memory_origin o
            WHERE o.tenant_id = m.tenant_id AND o.item_id = m.unit_id ORDER BY o.id LIMIT 1
        ), m.unit_id)) FILTER (WHERE m.id IS NOT NULL) AS mentions,
        min(m.event_time) AS first, max(m.event_time) AS last
    FROM unnest(%(ids)s::uuid[]) AS wanted (id)
    LEFT JOIN graph_mention m ON m.tenant_id = %(tenant)s AND m.entity_id = wanted.id GROUP BY wanted.id
) counted
WHERE e.tenant_id = %(tenant)s AND e.id = counted.id
