-- What a session begins with (a recall without a query) nobody asked for: it is no use.
WITH waiting AS (
    SELECT recall_id, rank FROM retrieval_recalled
    WHERE tenant_id = %(tenant)s AND NOT counted LIMIT %(limit)s FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE retrieval_recalled hit SET counted = true FROM waiting
    WHERE hit.tenant_id = %(tenant)s AND hit.recall_id = waiting.recall_id AND hit.rank = waiting.rank
    RETURNING hit.item_id, hit.recall_id
)
SELECT taken.item_id, recall.at FROM taken
JOIN retrieval_recall recall ON recall.tenant_id = %(tenant)s AND recall.id = taken.recall_id
WHERE taken.item_id IS NOT NULL AND recall.query <> ''
