-- Another category for items whose audiences are locked, with its version in their history; others only keep by which
-- version of the taxonomy they were looked at.
WITH told AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(categories)s::text[], %(filed_by)s::text[], %(version_ids)s::uuid[])
        AS t (id, category, filed_by, version_id)
), held AS (
    SELECT item.id, item.category AS old_category, told.category, told.filed_by, clock.changes, told.version_id
    FROM told JOIN memory_item item ON item.tenant_id = %(tenant)s AND item.id = told.id
    JOIN memory_audience_clock clock ON clock.tenant_id = %(tenant)s AND clock.visibility = item.visibility
        AND clock.user_id IS NOT DISTINCT FROM item.user_id
        AND clock.agent_id IS NOT DISTINCT FROM CASE WHEN item.visibility = 'shared' THEN NULL ELSE item.agent_id END
), changed AS (
    UPDATE memory_item item SET category = held.category, filed_by = held.filed_by,
        taxonomy_version = %(taxonomy)s,
        change_number = CASE WHEN held.category = held.old_category THEN item.change_number ELSE held.changes END
    FROM held WHERE item.tenant_id = %(tenant)s AND item.id = held.id
    RETURNING item.id, item.agent_id, item.user_id, item.visibility, item.category, held.old_category, held.version_id
)
INSERT INTO memory_item_version
    (id, tenant_id, agent_id, user_id, visibility, item_id, at, operation, reason, before, after)
SELECT version_id, %(tenant)s, agent_id, user_id, visibility, id, %(at)s, 'refiled', 'taxonomy',
    jsonb_build_object('category', old_category), jsonb_build_object('category', category)
FROM changed WHERE category <> old_category
