WITH waiting AS (
    DELETE FROM index_term_delta WHERE tenant_id = %(tenant)s
), counted AS MATERIALIZED (
    SELECT lexeme, count(*)::integer AS documents FROM index_document, unnest(lexemes) AS lexeme
    WHERE tenant_id = %(tenant)s AND NOT hidden GROUP BY lexeme
), unknown AS (
    DELETE FROM index_term_stat s
    WHERE s.tenant_id = %(tenant)s AND NOT EXISTS (SELECT FROM counted c WHERE c.lexeme = s.lexeme)
), known AS (
    INSERT INTO index_term_stat (tenant_id, lexeme, documents)
    SELECT %(tenant)s, lexeme, documents FROM counted
    ON CONFLICT (tenant_id, lexeme) DO UPDATE SET documents = excluded.documents
)
INSERT INTO index_corpus_stat (tenant_id, documents, folded_at)
SELECT %(tenant)s, count(*), now() FROM index_document WHERE tenant_id = %(tenant)s AND NOT hidden
ON CONFLICT (tenant_id) DO UPDATE SET documents = excluded.documents, folded_at = excluded.folded_at
RETURNING documents
