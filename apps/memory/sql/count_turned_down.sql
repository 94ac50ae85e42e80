SELECT (SELECT count(*) FROM memory_rejection WHERE tenant_id = %(tenant)s),
    (SELECT count(*) FROM memory_item_link link
        LEFT JOIN memory_item held ON held.tenant_id = %(tenant)s AND held.id = link.to_item_id
            AND held.status IN ('active', 'stale')
        LEFT JOIN memory_item other ON other.tenant_id = %(tenant)s AND other.id = link.from_item_id
            AND other.status IN ('active', 'stale')
        WHERE link.tenant_id = %(tenant)s AND link.kind = 'contradicts' AND link.closed_at IS NULL
        AND held.id IS NOT NULL AND (other.id IS NOT NULL OR link.from_rejection_id IS NOT NULL))
