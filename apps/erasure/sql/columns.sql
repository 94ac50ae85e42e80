SELECT c.relname::text, a.attname::text,
    EXISTS (SELECT FROM pg_attribute u
        WHERE u.attrelid = c.oid AND u.attname = 'user_id' AND u.atttypid = 'varchar'::regtype),
    (SELECT k.attname::text FROM pg_attribute k WHERE k.attrelid = c.oid AND k.atttypid = 'uuid'::regtype
        AND k.attname IN ('id', 'unit_id', 'entry_id') ORDER BY k.attname = 'id' DESC LIMIT 1),
    CASE a.atttypid WHEN 'uuid'::regtype THEN 'id' WHEN 'uuid[]'::regtype THEN 'ids' ELSE 'text' END,
    CASE WHEN a.atttypid = 'varchar'::regtype AND a.atttypmod >= 0 THEN a.atttypmod - 4 END
FROM pg_class c
JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'tenant_id'
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'tenant_id'
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND a.atttypid IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'json'::regtype, 'jsonb'::regtype,
        'text[]'::regtype, 'varchar[]'::regtype, 'tsvector'::regtype, 'uuid'::regtype, 'uuid[]'::regtype)
ORDER BY 1, 2
