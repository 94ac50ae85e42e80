SELECT said.id,
    (SELECT observation FROM memory_extraction WHERE tenant_id = %(tenant)s AND resource_id = said.id
        AND stored_at IS NOT NULL ORDER BY id DESC LIMIT 1),
    coalesce((SELECT jsonb_agg(jsonb_build_object('item_id', item.id, 'text', item.text, 'quote', source.quote,
            'kind', item.kind, 'category', item.category, 'status', item.status, 'verdict', item.verdict)
            ORDER BY source.id)
        FROM memory_item_source source
        JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = source.item_id
        WHERE source.tenant_id = %(tenant)s AND source.resource_id = said.id), '[]')
FROM unnest(%(ids)s::uuid[]) AS said(id)
UNION ALL
SELECT item.id, NULL, jsonb_build_array(jsonb_build_object('item_id', item.id, 'text', item.text, 'quote', '',
    'kind', item.kind, 'category', item.category, 'status', item.status, 'verdict', item.verdict))
FROM memory_item item WHERE item.tenant_id = %(tenant)s AND item.id = ANY(%(items)s::uuid[])
