-- What became of items: what took the place of one, and what is forgotten, held, archived or outdated since when.
WITH gone AS (
    SELECT id, CASE
        WHEN status = 'deleted' THEN 'forgotten'
        WHEN status = 'archived' THEN 'archived'
        WHEN status = 'superseded' THEN NULL
        WHEN verdict = 'hold' THEN 'held'
        WHEN status = 'stale' AND status_reason = 'outdated' OR valid_until <= %(now)s THEN 'outdated'
    END AS became
    FROM memory_item WHERE tenant_id = %(tenant)s AND id = ANY(%(ids)s::uuid[])
)
SELECT gone.id, gone.became, since.at, NULL::uuid, NULL::boolean
FROM gone CROSS JOIN LATERAL (
    SELECT version.at FROM memory_item_version version
    WHERE version.tenant_id = %(tenant)s AND version.item_id = gone.id AND CASE gone.became
        WHEN 'held' THEN version.after ->> 'verdict' = 'hold'
        WHEN 'outdated' THEN version.after ->> 'status_reason' = 'outdated' OR version.operation = 'ended'
        ELSE version.after ? 'status'
    END
    ORDER BY version.id DESC LIMIT 1
) AS since
WHERE gone.became IS NOT NULL
UNION ALL
SELECT replaced_id, 'replaced', NULL, by, is_sure FROM ({replacements}) AS replacement (replaced_id, by, is_sure)
ORDER BY 1, 4
