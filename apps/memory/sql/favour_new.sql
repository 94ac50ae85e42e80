-- Once an item: who is favoured already is left as it is.
WITH chosen AS (
    SELECT item.id FROM memory_item item LEFT JOIN memory_item_use use ON use.item_id = item.id
    WHERE item.tenant_id = %(tenant)s AND item.id >= %(since)s AND item.status = 'active' AND item.verdict = 'allow'
        AND NOT coalesce(use.favoured, false)
    ORDER BY item.id LIMIT %(most)s
)
INSERT INTO memory_item_use AS use
    (tenant_id, item_id, retrieval_priority, access_count, recall_count, favoured)
SELECT %(tenant)s, id, %(gain)s, 0, 0, true FROM chosen
ON CONFLICT (item_id) DO UPDATE SET
    retrieval_priority = least(1, use.retrieval_priority + excluded.retrieval_priority), favoured = true
WHERE NOT use.favoured
