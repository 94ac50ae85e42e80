-- What was filed in sessions from their first to before their last item of a batch, and the last few before that.
SELECT batch.session_id, said.id, said.category
FROM unnest(%(sessions)s::uuid[], %(firsts)s::uuid[], %(lasts)s::uuid[]) AS batch (session_id, first_id, last_id)
CROSS JOIN LATERAL (
    (
        SELECT item.id, item.category FROM memory_item item
        WHERE item.tenant_id = %(tenant)s AND item.session_id = batch.session_id AND item.id < batch.first_id
        ORDER BY item.id DESC LIMIT %(before)s
    )
    UNION ALL
    SELECT item.id, item.category FROM memory_item item
    WHERE item.tenant_id = %(tenant)s AND item.session_id = batch.session_id
        AND item.id >= batch.first_id AND item.id < batch.last_id
) said
ORDER BY said.id
