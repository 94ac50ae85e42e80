SELECT r.subject_id, r.object_id, r.kind, r.predicate, count(*)::integer, max(r.confidence), min(r.valid_from),
    CASE WHEN bool_or(r.valid_until IS NULL) THEN NULL ELSE max(r.valid_until) END,
    (array_agg(r.item_id ORDER BY r.recorded_at DESC) FILTER (WHERE r.item_id IS NOT NULL))[1]
FROM graph_relation r
WHERE r.tenant_id = %(tenant)s AND r.subject_id = ANY(%(among)s) AND r.object_id = ANY(%(among)s) AND NOT r.negated
    AND r.recorded_at <= %(believed)s AND (r.retracted_at IS NULL OR r.retracted_at > %(believed)s)
    AND r.valid_from <= %(true)s AND (r.valid_until IS NULL OR r.valid_until > %(true)s)
GROUP BY r.subject_id, r.object_id, r.kind, r.predicate
ORDER BY count(*) DESC, max(r.confidence) DESC, r.predicate, r.subject_id, r.object_id LIMIT %(limit)s
