-- What was learnt of the resources leads on to what it was merged into and what replaced it: where that was forgotten
-- or corrected, it would stand again. An import leaves suppressions without an item.
WITH RECURSIVE later AS (
    SELECT source.resource_id, item.claim_hash, item.id
    FROM memory_item_source source
    JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = source.item_id
    WHERE source.tenant_id = %(tenant)s AND source.resource_id = ANY(%(ids)s::uuid[])
    UNION
    SELECT later.resource_id, later.claim_hash, CASE link.kind WHEN 'merged_into' THEN link.to_item_id ELSE link.from_item_id END
    FROM later
    JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = later.id AND item.status = 'superseded'
    JOIN memory_item_link link ON link.tenant_id = %(tenant)s AND link.closed_at IS NULL
        AND ((link.kind = 'merged_into' AND link.from_item_id = later.id)
            OR (link.kind = 'supersedes' AND link.to_item_id = later.id))
), ended AS (
    SELECT later.resource_id, later.claim_hash,
        coalesce(CASE item.status WHEN 'superseded' THEN item.retracted_at END, (SELECT max(version.at)
            FROM memory_item_version version WHERE version.tenant_id = %(tenant)s
            AND version.item_id = item.id AND version.after ? 'status')) AS at
    FROM later
    JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = later.id
    WHERE item.status = 'deleted' OR (item.status = 'superseded' AND item.status_reason = 'corrected')
    UNION ALL
    SELECT suppression.resource_id, suppression.claim_hash, batch.created_at
    FROM memory_suppression suppression
    JOIN memory_forget_batch batch ON batch.tenant_id = %(tenant)s AND batch.id = suppression.batch_id
    WHERE suppression.tenant_id = %(tenant)s AND suppression.resource_id = ANY(%(ids)s::uuid[])
)
SELECT resource_id, array_agg(DISTINCT claim_hash), max(at) FROM ended GROUP BY resource_id
