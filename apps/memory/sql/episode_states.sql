-- An item counts as gone when it is superseded or forgotten; merged wordings have their target's state. What only
-- echoes an item is replaced with it, and gone with nothing. Fresher words replace nothing, nor does the same value again.
-- What may not be learnt of a message was forgotten, though no item says so: it came with an import.
-- As of a moment only what had been superseded, and was known, by then counts.
WITH RECURSIVE item AS NOT MATERIALIZED (
    SELECT id, status_reason, claim_hash, value, is_negated, recorded_at,
        CASE WHEN status = 'superseded' AND least(valid_until, retracted_at) > %(as_of)s::timestamptz THEN 'active'
            ELSE status END AS status
    FROM memory_item WHERE tenant_id = %(tenant)s
), drawn AS (
    SELECT source.resource_id, item.id, item.status FROM memory_item_source source
    JOIN item ON item.id = source.item_id AND item.status_reason <> 'merged'
    WHERE source.tenant_id = %(tenant)s AND source.resource_id = ANY(%(ids)s::uuid[])
), told AS (
    SELECT resource_id, id, status, true AS is_drawn FROM drawn
    UNION ALL
    SELECT resource_id, NULL, 'deleted', true FROM memory_suppression
    WHERE tenant_id = %(tenant)s AND resource_id = ANY(%(ids)s::uuid[])
    UNION ALL
    SELECT link.from_resource_id, item.id, item.status, false FROM memory_item_link link
    JOIN item ON item.id = link.to_item_id
    WHERE link.tenant_id = %(tenant)s AND link.from_resource_id = ANY(%(ids)s::uuid[]) AND link.kind = 'echoes'
), successor AS (
    SELECT resource_id, id AS first_id, id, status, false AS is_replaced FROM told
    UNION
    SELECT successor.resource_id, successor.first_id, item.id, item.status,
        successor.is_replaced OR link.kind = 'supersedes' AND link.reason <> 'fresher_wording'
    FROM successor
    JOIN memory_item_link link ON link.tenant_id = %(tenant)s AND link.closed_at IS NULL
        AND (link.to_item_id = successor.id AND link.kind = 'supersedes'
            OR link.from_item_id = successor.id AND link.kind = 'merged_into')
    JOIN item ON item.id = CASE link.kind WHEN 'supersedes' THEN link.from_item_id ELSE link.to_item_id END
    WHERE successor.status = 'superseded'
), current AS (
    SELECT successor.resource_id, successor.id,
        successor.is_replaced AND item.claim_hash <> first.claim_hash
            AND (first.value = '' OR lower(item.value) <> lower(first.value) OR item.is_negated <> first.is_negated)
            AS is_replaced
    FROM successor
    JOIN item ON item.id = successor.id
    JOIN item AS first ON first.id = successor.first_id
    WHERE successor.status IN ('active', 'stale')
)
SELECT told.resource_id,
    coalesce(bool_and(told.status IN ('superseded', 'deleted')) FILTER (WHERE is_drawn), false),
    ARRAY(SELECT DISTINCT current.id FROM current WHERE current.resource_id = told.resource_id AND current.is_replaced
        ORDER BY current.id),
    ARRAY(SELECT DISTINCT newer.id FROM current AS held
        JOIN memory_item_link link ON link.tenant_id = %(tenant)s AND link.to_item_id = held.id
            AND link.kind = 'probably_superseded' AND link.closed_at IS NULL
        JOIN item AS newer ON newer.id = link.from_item_id AND newer.status IN ('active', 'stale')
            AND coalesce(newer.recorded_at <= %(as_of)s::timestamptz, true)
        WHERE held.resource_id = told.resource_id AND NOT held.is_replaced ORDER BY newer.id)
FROM told GROUP BY told.resource_id
