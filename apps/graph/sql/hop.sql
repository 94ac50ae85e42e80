WITH reached AS MATERIALIZED (
    SELECT kind, id, any_value(via) AS via, max(since) AS newest
    FROM ({branches}) AS every (kind, id, via, since)
    WHERE id <> ALL(%(found)s::uuid[]) AND NOT EXISTS (
        SELECT FROM memory_forgotten_episode gone
        WHERE gone.tenant_id = %(tenant)s AND gone.resource_id = every.id)
    GROUP BY kind, id ORDER BY kind = 'entity' DESC, newest DESC, id LIMIT %(most)s
)
SELECT kind, id, via, newest, NULL::uuid[], 0, '' FROM reached WHERE kind <> 'entity'
UNION ALL
SELECT 'entity', (array_agg(e.id ORDER BY e.id))[1], any_value(named.via), NULL::timestamptz,
    array_agg(e.id ORDER BY e.id), sum(e.mention_count), (array_agg(e.canonical_name ORDER BY e.id))[1]
FROM (
    SELECT DISTINCT ON (n.name_key) n.name_key, reached.via FROM reached
    JOIN graph_entity n ON n.tenant_id = %(tenant)s AND n.id = reached.id WHERE reached.kind = 'entity'
) named
JOIN graph_entity e ON e.tenant_id = %(tenant)s AND e.name_key = named.name_key
GROUP BY e.name_key
