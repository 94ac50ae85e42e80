-- What stands in each category of each audience, or in one of them. The digest differs when other items stand, or one of
-- them is doubted.
SELECT owner, user_id, visibility, category, count(*),
       md5(string_agg(id::text || CASE WHEN doubted.item_id IS NULL THEN '' ELSE '?' END, ',' ORDER BY id))
FROM (
    SELECT CASE visibility WHEN 'shared' THEN NULL ELSE agent_id END AS owner, user_id, visibility, category, id
    FROM memory_item
    WHERE tenant_id = %(tenant)s AND status = 'active' AND verdict = 'allow' AND retracted_at IS NULL
      AND (valid_until IS NULL OR valid_until > %(now)s)
      AND (%(category)s::text IS NULL OR (
          category = %(category)s AND visibility = %(visibility)s AND user_id IS NOT DISTINCT FROM %(user)s
          AND (visibility = 'shared' OR agent_id = %(agent)s)))
) AS item
LEFT JOIN (
    SELECT DISTINCT to_item_id AS item_id FROM memory_item_link
    WHERE tenant_id = %(tenant)s AND kind = 'probably_superseded' AND closed_at IS NULL
) AS doubted ON doubted.item_id = item.id
GROUP BY owner, user_id, visibility, category
ORDER BY category, owner NULLS FIRST, user_id NULLS FIRST
