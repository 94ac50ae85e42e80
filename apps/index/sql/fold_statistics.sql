WITH taken AS (
    DELETE FROM index_term_delta
    WHERE tenant_id = %(tenant)s AND id IN (
        SELECT id FROM index_term_delta WHERE tenant_id = %(tenant)s ORDER BY id LIMIT %(limit)s)
    RETURNING documents, lexemes, counts
), terms AS (
    INSERT INTO index_term_stat AS s (tenant_id, lexeme, documents)
    SELECT %(tenant)s, u.lexeme, sum(u.n) FROM taken, unnest(lexemes, counts) AS u (lexeme, n)
    GROUP BY u.lexeme HAVING sum(u.n) <> 0
    ON CONFLICT (tenant_id, lexeme) DO UPDATE SET documents = s.documents + excluded.documents
), corpus AS (
    INSERT INTO index_corpus_stat AS s (tenant_id, documents, folded_at)
    SELECT %(tenant)s, coalesce(sum(documents), 0), now() FROM taken
    ON CONFLICT (tenant_id) DO UPDATE SET
        documents = s.documents + excluded.documents,
        folded_at = excluded.folded_at
)
SELECT count(*) FROM taken
