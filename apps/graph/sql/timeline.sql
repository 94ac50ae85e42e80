SELECT r.kind, r.predicate, s.canonical_name, coalesce(o.canonical_name, r.object_text), r.object_id,
    r.negated, r.confidence, r.valid_from, r.valid_until, r.item_id, r.resource_id, r.quote
FROM graph_relation r
JOIN graph_entity s ON s.tenant_id = r.tenant_id AND s.id = r.subject_id
LEFT JOIN graph_entity o ON o.tenant_id = r.tenant_id AND o.id = r.object_id
WHERE r.tenant_id = %(tenant)s AND (r.subject_id = ANY(%(ids)s) OR r.object_id = ANY(%(ids)s))
    AND r.recorded_at <= %(believed)s AND (r.retracted_at IS NULL OR r.retracted_at > %(believed)s)
    AND r.valid_from <= %(true)s AND (r.unit <> 'item' OR EXISTS (
        SELECT FROM memory_live_item i WHERE i.tenant_id = r.tenant_id AND i.id = r.unit_id))
ORDER BY r.valid_from DESC, r.id DESC LIMIT %(limit)s
