-- The hits a session was handed last, newest first, then the items it was told of (without a unit): what has replaced one, or
-- is gone itself. A branch was
-- handed what its ancestors were, until the turn it parts from them was captured.
WITH RECURSIVE line AS (
    {line}
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
