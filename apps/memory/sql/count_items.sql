SELECT CASE grouping(status, verdict, category) WHEN 3 THEN 'status' WHEN 5 THEN 'verdict' WHEN 6 THEN 'category'
    ELSE 'all' END, coalesce(status, verdict, category, ''), count(*)
FROM memory_item WHERE tenant_id = %(tenant)s AND status_reason <> 'merged'
GROUP BY GROUPING SETS ((status), (verdict), (category), ()) ORDER BY 1, 3 DESC, 2
