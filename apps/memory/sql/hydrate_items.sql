-- As of a moment only what was known by then puts an item in doubt.
SELECT item.id, item.text, item.kind, item.category, item.service, item.entity_names, item.strength, item.sentiment,
    item.priority, item.confidence AS base_confidence, item.reinforced_at, item.verdict, item.status, item.status_reason,
    item.protected, item.event_time, item.said_at, item.valid_from, item.valid_until, item.recorded_at,
    item.retracted_at, item.last_confirmed_at, item.merged_count, item.agent_id, item.user_id, item.visibility,
    item.session_id, item.external_id, coalesce(use.retrieval_priority, 0) AS priority_of_use,
    coalesce(use.learnt, 0) AS learnt, use.learnt_at, coalesce(use.access_count, 0) AS access_count,
    coalesce(use.recall_count, 0) AS recall_count, use.last_accessed_at, item.lead_in, item.subject, item.attribute,
    item.value, item.qualifier, item.mood, item.is_negated, item.said_by, item.reported_by, item.language,
    item.change_number AS version,
    ARRAY(SELECT link.kind || ':' || coalesce(other.id, link.from_rejection_id) FROM memory_item_link link
        LEFT JOIN memory_item other ON other.tenant_id = %(tenant)s AND other.status IN ('active', 'stale')
            AND coalesce(other.recorded_at <= %(as_of)s::timestamptz, true)
            AND other.id = CASE WHEN link.to_item_id = item.id THEN link.from_item_id ELSE link.to_item_id END
        WHERE link.tenant_id = %(tenant)s AND link.closed_at IS NULL
        AND (link.to_item_id = item.id AND link.kind IN ('contradicts', 'probably_superseded')
            OR link.from_item_id = item.id AND link.kind = 'contradicts')
        AND (other.id IS NOT NULL OR link.from_rejection_id IS NOT NULL) ORDER BY link.id) AS open_links
FROM memory_item item LEFT JOIN memory_item_use use ON use.tenant_id = %(tenant)s AND use.item_id = item.id
WHERE item.tenant_id = %(tenant)s AND item.id = ANY(%(ids)s::uuid[])
