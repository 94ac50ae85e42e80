-- How many documents there are and hold each lexeme, and the postings of the lexemes that choose candidates, rarest
-- first. The first is read whatever its df, newest documents first, so that a query of common words finds something.
-- Deltas that wait are looked at only where the corpus is small.
WITH q AS (
    SELECT lexeme, place - 1 AS place FROM unnest(%(lexemes)s::bigint[]) WITH ORDINALITY AS q (lexeme, place)
), folded AS MATERIALIZED (
    SELECT coalesce((SELECT documents FROM index_corpus_stat WHERE tenant_id = %(tenant)s), 0) AS documents
), waiting AS MATERIALIZED (
    SELECT d.documents, d.lexemes, d.counts FROM index_term_delta d
    WHERE d.tenant_id = %(tenant)s AND (SELECT documents FROM folded) < %(fresh_up_to)s
), corpus AS MATERIALIZED (
    SELECT documents + coalesce((SELECT sum(documents) FROM waiting), 0) AS documents FROM folded
), stat AS MATERIALIZED (
    SELECT q.lexeme, q.place, greatest(coalesce(s.documents, 0) + coalesce(w.documents, 0), 0) AS df
    FROM q
    LEFT JOIN index_term_stat s ON s.tenant_id = %(tenant)s AND s.lexeme = q.lexeme
    LEFT JOIN (
        SELECT u.lexeme, sum(u.n) AS documents FROM waiting, unnest(lexemes, counts) AS u (lexeme, n) GROUP BY u.lexeme
    ) w ON w.lexeme = q.lexeme
), ranked AS (
    SELECT lexeme, place, df, sum(df) OVER rarest AS running, row_number() OVER rarest AS rank
    FROM stat WINDOW rarest AS (ORDER BY df, place)
), chosen AS MATERIALIZED (
    SELECT lexeme, place FROM ranked, corpus
    WHERE rank = 1 OR (df <= greatest(%(common_share)s * documents, %(always_read)s) AND running <= %(budget)s)
)
SELECT (SELECT documents FROM corpus)::bigint,
    (SELECT array_send(array_agg(df::bigint ORDER BY place)) FROM stat),
    (SELECT array_send(array_agg(place)) FROM chosen),
    {narrow},
    hits.*,
    {settings}
FROM (
    SELECT array_send(array_agg(p.document_id)),
        array_send(array_agg((t.place << 32) | (p.tf::bigint << 16) | p.length)),
        array_send(array_agg(p.center))
    FROM chosen t CROSS JOIN LATERAL (
        SELECT p.document_id, p.tf, p.length, p.center FROM index_posting p
        WHERE p.tenant_id = %(tenant)s AND p.lexeme = t.lexeme
        ORDER BY p.document_id DESC LIMIT %(budget)s
    ) p
) hits
