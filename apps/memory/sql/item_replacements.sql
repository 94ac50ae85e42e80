-- What took an item's place is at the end of the chain of those that did; what probably did stands beside it.
WITH RECURSIVE successor AS (
    SELECT id AS replaced_id, id, status, verdict FROM memory_item
    WHERE tenant_id = %(tenant)s AND id = ANY(%(ids)s::uuid[]) AND status = 'superseded'
    UNION
    SELECT successor.replaced_id, item.id, item.status, item.verdict FROM successor
    JOIN memory_item_link link ON link.tenant_id = %(tenant)s AND link.to_item_id = successor.id
        AND link.kind = 'supersedes' AND link.closed_at IS NULL
    JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = link.from_item_id
    WHERE successor.status = 'superseded'
)
SELECT replaced_id, id, true FROM successor WHERE status IN ('active', 'stale') AND verdict = 'allow'
UNION ALL
SELECT held.id, newer.id, false FROM memory_item held
JOIN memory_item_link link ON link.tenant_id = %(tenant)s AND link.to_item_id = held.id
    AND link.kind = 'probably_superseded' AND link.closed_at IS NULL
JOIN memory_item newer ON newer.tenant_id = %(tenant)s AND newer.id = link.from_item_id
    AND newer.status IN ('active', 'stale') AND newer.verdict = 'allow'
WHERE held.tenant_id = %(tenant)s AND held.id = ANY(%(ids)s::uuid[]) AND held.status IN ('active', 'stale')
ORDER BY 1, 2
