UPDATE graph_alias a SET entity_id = held.holder FROM (
    SELECT DISTINCT ON (r.tenant_id, r.subject_id, r.predicate) r.object_id AS holder, r.predicate,
        own.name_key AS owner, r.visibility, r.user_id, s.agent_id
    FROM graph_relation r
    JOIN graph_entity s ON s.tenant_id = r.tenant_id AND s.id = r.subject_id
    JOIN graph_alias own ON own.tenant_id = r.tenant_id AND own.id = r.subject_alias_id
    WHERE r.tenant_id = %(tenant)s AND r.subject_id = ANY(%(owners)s) AND r.predicate = ANY(%(roles)s)
        AND NOT r.negated AND r.object_id IS NOT NULL AND r.closed_at IS NULL AND r.retracted_at IS NULL
    ORDER BY r.tenant_id, r.subject_id, r.predicate, r.valid_from DESC, r.id
) held
WHERE a.tenant_id = %(tenant)s AND a.kind = 'role' AND NOT a.pinned AND a.entity_id <> held.holder
    AND a.visibility = held.visibility AND a.user_id IS NOT DISTINCT FROM held.user_id
    AND a.agent_id IS NOT DISTINCT FROM held.agent_id
    AND a.name_key = CASE held.owner WHEN %(speaker)s THEN 'my ' ELSE held.owner || '''s ' END || held.predicate
