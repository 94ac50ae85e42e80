-- An item counts as gone when it is superseded or forgotten; merged wordings have their target's standing.
WITH RECURSIVE drawn AS (
    SELECT source.resource_id, item.id, item.status FROM memory_item_source source
    JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = source.item_id AND item.status_reason <> 'merged'
    WHERE source.tenant_id = %(tenant)s AND source.resource_id = ANY(%(ids)s::uuid[])
), successor AS (
    SELECT resource_id, id, status FROM drawn WHERE status = 'superseded'
    UNION
    SELECT successor.resource_id, item.id, item.status FROM successor
    JOIN memory_item_link link ON link.tenant_id = %(tenant)s AND link.to_item_id = successor.id
        AND link.kind = 'supersedes' AND link.closed_at IS NULL
    JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = link.from_item_id
    WHERE successor.status = 'superseded'
)
SELECT drawn.resource_id, bool_and(drawn.status IN ('superseded', 'deleted')),
    ARRAY(SELECT successor.id FROM successor WHERE successor.resource_id = drawn.resource_id
        AND successor.status IN ('active', 'stale') ORDER BY successor.id),
    ARRAY(SELECT newer.id FROM drawn AS held
        JOIN memory_item_link link ON link.tenant_id = %(tenant)s AND link.to_item_id = held.id
            AND link.kind = 'probably_superseded' AND link.closed_at IS NULL
        JOIN memory_item newer ON newer.tenant_id = %(tenant)s AND newer.id = link.from_item_id
            AND newer.status IN ('active', 'stale')
        WHERE held.resource_id = drawn.resource_id AND held.status IN ('active', 'stale') ORDER BY newer.id)
FROM drawn GROUP BY drawn.resource_id
