-- The recursion is read no further than LIMIT: links that go round, or very many, cost a bounded number of rows.
WITH RECURSIVE replaced AS (
    SELECT unnest(%(ids)s::uuid[]) AS id
    UNION
    SELECT item.id FROM replaced
    JOIN memory_item_link link ON link.tenant_id = %(tenant)s AND link.from_item_id = replaced.id
        AND link.kind = 'supersedes' AND link.closed_at IS NULL
    JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = link.to_item_id
        AND item.said_at > %(after)s AND item.status <> 'deleted' AND item.status_reason <> 'merged'
)
SELECT id FROM replaced LIMIT %(most)s
