-- Adds what the accesses add to decay.access_bonus: bonus·(ln(1 + after/scale) − ln(1 + before/scale)). The relative
-- UPDATE waits for whoever changes an item, so nothing of theirs is lost; a bonus that a concurrent merge overwrites is not
-- worth a lock. How a service runs is no surer for having been asked: only observing it again restarts that clock.
WITH told AS (
    SELECT * FROM jsonb_to_recordset(%(rows)s::jsonb)
        AS t (item_id uuid, recalled integer, accessed integer, at timestamptz)
), counted AS (
    INSERT INTO memory_item_use AS use
        (tenant_id, item_id, retrieval_priority, access_count, recall_count, last_accessed_at)
    SELECT %(tenant)s, told.item_id, 0, told.accessed, told.recalled, told.at
    FROM told JOIN memory_item ON memory_item.tenant_id = %(tenant)s AND memory_item.id = told.item_id
    ORDER BY told.item_id
    ON CONFLICT (item_id) DO UPDATE SET
        access_count = use.access_count + excluded.access_count,
        recall_count = use.recall_count + excluded.recall_count,
        last_accessed_at = greatest(use.last_accessed_at, excluded.last_accessed_at)
    RETURNING item_id, access_count
)
UPDATE memory_item SET
    confidence = least(1, confidence + %(bonus)s * (
        ln(1 + counted.access_count / %(scale)s::float)
        - ln(1 + (counted.access_count - told.accessed) / %(scale)s::float)
    )),
    reinforced_at = CASE WHEN memory_item.category = ANY(%(operational)s) THEN reinforced_at
        ELSE greatest(reinforced_at, told.at) END
FROM counted JOIN told USING (item_id)
WHERE memory_item.tenant_id = %(tenant)s AND memory_item.id = counted.item_id AND told.accessed > 0
