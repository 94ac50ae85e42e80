-- The hits a session was handed last, newest first, then what it was told has replaced one (without a unit). A branch was
-- handed what its ancestors were, until the turn it parts from them was captured.
WITH RECURSIVE line AS (
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
), asked AS (
    SELECT recall.id, recall.at, recall.changed
    FROM line
    CROSS JOIN LATERAL (
        SELECT id, at, changed FROM retrieval_recall
        WHERE tenant_id = %(tenant)s AND session_external_id = line.name AND at <= line.until
            AND agent_id IS NOT DISTINCT FROM %(agent)s::uuid AND user_id IS NOT DISTINCT FROM %(user)s::text
        ORDER BY at DESC LIMIT %(limit)s
    ) AS recall
    ORDER BY recall.at DESC LIMIT %(limit)s
), given AS (
    SELECT asked.at, hit.unit, hit.unit_id, hit.item_id, hit.tags, hit.verdict, hit.tokens
    FROM asked
    JOIN retrieval_recalled hit ON hit.tenant_id = %(tenant)s AND hit.recall_id = asked.id
    ORDER BY asked.at DESC, hit.rank LIMIT %(limit)s
)
SELECT at, unit, unit_id, item_id, tags, verdict, tokens FROM given
UNION ALL
SELECT asked.at, NULL, told.id::uuid, NULL, NULL, NULL, NULL
FROM asked, jsonb_array_elements_text(asked.changed) AS told(id)
ORDER BY at DESC
