-- A session, under the caller's own id, and what it is a branch of: until when each counts, and until which turn. The
-- recursive part of a statement, as `line`; the session need not be there yet.
SELECT %(session)s::text AS name, session.parent_id, session.parent_turn, 'infinity'::timestamptz AS until
FROM (SELECT) AS always
LEFT JOIN resources_session session ON session.tenant_id = %(tenant)s AND session.external_id = %(session)s
    AND session.agent_id = %(agent)s::uuid AND session.user_id IS NOT DISTINCT FROM %(user)s::text
UNION ALL
SELECT parent.external_id, parent.parent_id, least(line.parent_turn, parent.parent_turn), turn.created_at
FROM line
JOIN resources_session parent ON parent.tenant_id = %(tenant)s AND parent.id = line.parent_id
LEFT JOIN LATERAL (
    SELECT created_at FROM resources_checkpoint
    WHERE tenant_id = %(tenant)s AND session_id = parent.id AND turn_number <= line.parent_turn
    ORDER BY turn_number DESC LIMIT 1
) AS turn ON true
