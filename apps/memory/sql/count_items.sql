-- Items are counted once by all three, then summed up: a hundred rows instead of every memory four times. Beside them what
-- was turned down, and what contradicts what.
WITH counted AS (
    SELECT status, verdict, category, count(*) AS items FROM memory_item
    WHERE tenant_id = %(tenant)s AND status_reason <> 'merged' GROUP BY status, verdict, category
), grouped AS (
    SELECT CASE grouping(status, verdict, category) WHEN 3 THEN 'status' WHEN 5 THEN 'verdict' WHEN 6 THEN 'category'
        ELSE 'all' END AS dimension, coalesce(status, verdict, category, '') AS name,
        coalesce(sum(items), 0)::bigint AS items
    FROM counted GROUP BY GROUPING SETS ((status), (verdict), (category), ())
)
TABLE grouped
UNION ALL
SELECT 'rejections', '', count(*) FROM memory_rejection WHERE tenant_id = %(tenant)s
UNION ALL
SELECT 'contradictions', '', count(*) FROM memory_item_link link
LEFT JOIN memory_item held ON held.tenant_id = %(tenant)s AND held.id = link.to_item_id
    AND held.status IN ('active', 'stale')
LEFT JOIN memory_item other ON other.tenant_id = %(tenant)s AND other.id = link.from_item_id
    AND other.status IN ('active', 'stale')
WHERE link.tenant_id = %(tenant)s AND link.kind = 'contradicts' AND link.closed_at IS NULL
    AND held.id IS NOT NULL AND (other.id IS NOT NULL OR link.from_rejection_id IS NOT NULL)
ORDER BY 1, 3 DESC, 2
