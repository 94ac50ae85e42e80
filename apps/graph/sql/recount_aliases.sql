UPDATE graph_alias a SET mention_count = (
    SELECT count(DISTINCT coalesce((
            SELECT o.resource_id FROM memory_origin o
            WHERE o.tenant_id = m.tenant_id AND o.item_id = m.unit_id ORDER BY o.id LIMIT 1
        ), m.unit_id)) FROM graph_mention m
    WHERE m.tenant_id = a.tenant_id AND m.entity_id = a.entity_id AND m.alias_id = a.id
)
WHERE a.tenant_id = %(tenant)s AND a.entity_id = ANY(%(ids)s)
