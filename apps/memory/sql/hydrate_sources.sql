SELECT source.item_id, source.resource_id, episode.external_id, episode.role, episode.speaker,
    coalesce(episode.said_at, source.created_at), source.quote, source.inherited
FROM memory_item_source source
LEFT JOIN resources_episode episode ON episode.tenant_id = %(tenant)s AND episode.id = source.resource_id
WHERE source.tenant_id = %(tenant)s AND source.item_id = ANY(%(ids)s::uuid[])
ORDER BY source.id
