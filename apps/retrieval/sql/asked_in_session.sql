SELECT recall.id, recall.at, recall.query, recall.rewritten, recall.profile, recall.intent, recall.tier, recall.degraded,
    recall.milliseconds, recall.reported_at IS NOT NULL,
    coalesce((SELECT jsonb_agg(jsonb_build_object('rank', hit.rank, 'unit', hit.unit, 'unit_id', hit.unit_id,
            'item_id', hit.item_id, 'score', hit.score, 'tags', hit.tags, 'used', hit.used) ORDER BY hit.rank)
        FROM retrieval_recalled hit
        WHERE hit.tenant_id = %(tenant)s AND hit.recall_id = recall.id), '[]')
FROM retrieval_recall recall
JOIN unnest(%(names)s::text[], %(before)s::uuid[]) AS own(name, before) ON recall.session_external_id = own.name
    AND recall.id < own.before
WHERE recall.tenant_id = %(tenant)s AND recall.agent_id = %(agent)s AND recall.user_id IS NOT DISTINCT FROM %(user)s
    AND recall.id > %(after)s
ORDER BY recall.id
LIMIT %(most)s
