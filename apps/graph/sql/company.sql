WITH stated AS (
    SELECT CASE WHEN r.subject_id = ANY(%(ids)s) THEN r.object_id ELSE r.subject_id END AS entity_id
    FROM graph_relation r
    WHERE r.tenant_id = %(tenant)s AND (r.subject_id = ANY(%(ids)s) OR r.object_id = ANY(%(ids)s)) AND NOT r.negated
        AND r.recorded_at <= %(believed)s AND (r.retracted_at IS NULL OR r.retracted_at > %(believed)s)
        AND r.valid_from <= %(true)s AND (r.valid_until IS NULL OR r.valid_until > %(true)s)
), newest AS (
    SELECT m.unit_id, m.valid_from FROM graph_mention m
    WHERE m.tenant_id = %(tenant)s AND m.entity_id = ANY(%(ids)s)
        AND m.recorded_at <= %(believed)s AND (m.retracted_at IS NULL OR m.retracted_at > %(believed)s)
        AND m.valid_from <= %(true)s AND (m.valid_until IS NULL OR m.valid_until > %(true)s)
    ORDER BY m.valid_from DESC LIMIT %(looked_at)s
), beside AS (
    SELECT n.entity_id, 0 AS stated, count(DISTINCT n.unit_id) AS together, min(newest.valid_from) AS since
    FROM newest JOIN graph_mention n ON n.tenant_id = %(tenant)s AND n.unit_id = newest.unit_id AND NOT n.is_speaker
    GROUP BY n.entity_id
    UNION ALL
    SELECT entity_id, count(*), 0, NULL FROM stated GROUP BY entity_id
)
SELECT o.name_key, sum(beside.together)::integer, min(beside.since)
FROM beside JOIN graph_entity o ON o.tenant_id = %(tenant)s AND o.id = beside.entity_id
WHERE o.id <> ALL(%(ids)s) AND o.mention_count > 0
GROUP BY o.name_key
ORDER BY sum(beside.stated) > 0 DESC, sum(beside.stated) + sum(beside.together) DESC, o.name_key LIMIT %(limit)s
