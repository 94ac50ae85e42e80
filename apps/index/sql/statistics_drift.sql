WITH counted AS (
    SELECT lexeme, count(*)::integer AS documents FROM index_document, unnest(lexemes) AS lexeme
    WHERE tenant_id = %(tenant)s AND NOT hidden GROUP BY lexeme
), stated AS (
    SELECT lexeme, sum(n) AS documents FROM (
        SELECT lexeme, documents AS n FROM index_term_stat WHERE tenant_id = %(tenant)s
        UNION ALL
        SELECT u.lexeme, u.n FROM index_term_delta d, unnest(d.lexemes, d.counts) AS u (lexeme, n)
        WHERE d.tenant_id = %(tenant)s
    ) s GROUP BY lexeme HAVING sum(n) <> 0
), wanted AS (
    SELECT id, unnest(lexemes) AS lexeme FROM index_document WHERE tenant_id = %(tenant)s AND NOT hidden
), held AS (
    SELECT document_id AS id, lexeme FROM index_posting WHERE tenant_id = %(tenant)s
)
SELECT
    (SELECT count(*) FROM index_document WHERE tenant_id = %(tenant)s AND NOT hidden)
        - coalesce((SELECT documents FROM index_corpus_stat WHERE tenant_id = %(tenant)s), 0)
        - coalesce((SELECT sum(documents) FROM index_term_delta WHERE tenant_id = %(tenant)s), 0),
    (SELECT count(*) FROM counted c FULL JOIN stated s USING (lexeme) WHERE c.documents IS DISTINCT FROM s.documents),
    (SELECT count(*) FROM (TABLE wanted EXCEPT TABLE held) m),
    (SELECT count(*) FROM (TABLE held EXCEPT TABLE wanted) o)
