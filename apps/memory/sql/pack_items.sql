-- Items whose audiences are locked lose their words, which are packed away, with a version in their history.
WITH told AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(version_ids)s::uuid[]) AS t (id, version_id)
), changed AS (
    UPDATE memory_item item SET text = '', lead_in = '', cold_at = %(at)s, change_number = clock.changes
    FROM told, memory_audience_clock clock
    WHERE item.tenant_id = %(tenant)s AND item.id = told.id
        AND clock.tenant_id = %(tenant)s AND clock.visibility = item.visibility
        AND clock.user_id IS NOT DISTINCT FROM item.user_id
        AND clock.agent_id IS NOT DISTINCT FROM CASE WHEN item.visibility = 'shared' THEN NULL ELSE item.agent_id END
    RETURNING item.id, item.agent_id, item.user_id, item.visibility, told.version_id
), quoted AS (
    UPDATE memory_item_source source SET quote = '' FROM told
    WHERE source.tenant_id = %(tenant)s AND source.item_id = told.id
)
INSERT INTO memory_item_version
    (id, tenant_id, agent_id, user_id, visibility, item_id, at, operation, reason, before, after)
SELECT version_id, %(tenant)s, agent_id, user_id, visibility, id, %(at)s, 'packed', 'untouched', '{}'::jsonb,
    jsonb_build_object('cold_at', %(at)s::timestamptz)
FROM changed
