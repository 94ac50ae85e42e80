-- A new status for items whose audiences are locked, with its version in their history.
WITH told AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(version_ids)s::uuid[]) AS t (id, version_id)
), held AS (
    SELECT item.id, item.status, item.status_reason, clock.changes, told.version_id
    FROM told JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = told.id
    JOIN memory_audience_clock clock ON clock.tenant_id = %(tenant)s AND clock.visibility = item.visibility
        AND clock.user_id IS NOT DISTINCT FROM item.user_id
        AND clock.agent_id IS NOT DISTINCT FROM CASE WHEN item.visibility = 'shared' THEN NULL ELSE item.agent_id END
), changed AS (
    UPDATE memory_item item SET status = %(status)s, status_reason = %(reason)s, change_number = held.changes
    FROM held WHERE item.tenant_id = %(tenant)s AND item.id = held.id
    RETURNING item.id, item.agent_id, item.user_id, item.visibility, held.version_id,
        held.status AS old_status, held.status_reason AS old_reason
)
INSERT INTO memory_item_version
    (id, tenant_id, agent_id, user_id, visibility, item_id, at, operation, reason, before, after)
SELECT version_id, %(tenant)s, agent_id, user_id, visibility, id, %(at)s, %(operation)s, %(reason)s,
    jsonb_build_object('status', old_status, 'status_reason', old_reason),
    jsonb_build_object('status', %(status)s::text, 'status_reason', %(reason)s::text)
FROM changed
