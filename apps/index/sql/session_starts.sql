SELECT coalesce(s.number, nextval('index_document_number')), p.center, coalesce(p.length, 0)
FROM unnest(%(sessions)s::uuid[], %(ordinals)s::bigint[]) WITH ORDINALITY AS g (session_id, ordinal, place)
LEFT JOIN LATERAL (
    SELECT d.id >> %(bits)s AS number FROM index_document d
    WHERE d.tenant_id = %(tenant)s AND d.session_id = g.session_id AND d.id > 0
    ORDER BY d.id DESC LIMIT 1
) s ON true
LEFT JOIN LATERAL (
    SELECT d.center, d.length FROM index_document d
    WHERE d.tenant_id = %(tenant)s AND d.session_id = g.session_id AND d.id > 0
        AND d.id < (s.number << %(bits)s) + g.ordinal
    ORDER BY d.id DESC LIMIT 1
) p ON true
ORDER BY g.place
