-- What may answer, with all that the formula asks about it and about what stands beside it.
--
-- A lateral sub-select with OFFSET 0 keeps the planner from joining the whole tenant: documents are looked up one by
-- one, in order, until enough pass. What stands beside a hit, and the unit after each, is one range of ids; ranges that
-- touch are read as one.
WITH probe AS MATERIALIZED (SELECT %(vector)s::halfvec),
{other_probe}
keyword AS MATERIALIZED (
    SELECT o.id, o.place FROM unnest(%(offered)s::bigint[]) WITH ORDINALITY AS o (id, place)
    CROSS JOIN LATERAL (SELECT FROM index_document d WHERE d.id = o.id AND {wanted} OFFSET 0) d
    ORDER BY o.place LIMIT %(keyword_limit)s
), vector AS MATERIALIZED (
    {vector_arm}
), inside AS MATERIALIZED (
    {window_arm}
), proposed AS MATERIALIZED (
    {proposed_arm}
), beside AS (
    SELECT id - CASE WHEN id < 0 OR place > %(neighbours_of)s THEN 0 ELSE %(distance)s END AS low,
        id + CASE WHEN id < 0 THEN 0 WHEN place > %(neighbours_of)s THEN 1 ELSE %(distance)s + 1 END AS high
    FROM keyword
    UNION ALL
    SELECT id, id + (id > 0)::integer FROM (TABLE vector UNION ALL TABLE inside UNION ALL TABLE proposed) a
), island AS (
    SELECT low, high, sum(starts) OVER (ORDER BY low, high) AS number FROM (
        SELECT low, high, coalesce(low > 1 + max(high) OVER (
            ORDER BY low, high ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true)::integer AS starts
        FROM beside
    ) ranges
), span AS MATERIALIZED (
    SELECT min(low) AS low, max(high) AS high FROM island GROUP BY number
)
SELECT (SELECT array_send(array_agg(id ORDER BY place)) FROM keyword),
    (SELECT array_send(array_agg(id)) FROM vector),
    (SELECT array_send(array_agg(id)) FROM inside),
    (SELECT array_send(array_agg(id)) FROM proposed),
    cosines.*, other_cosines.*, rows.*
FROM ({cosines}) cosines, ({other_cosines}) other_cosines, (
    SELECT array_send(array_agg(d.id)),
        array_send(array_agg(d.center)),
        array_send(array_agg(
            (d.length::bigint << 32) | ((d.cues::bigint & 65535) << 16) | (({asked})::integer << 8)
            | array_position(%(all_units)s, d.unit::text))),
        array_send(array_agg(coalesce(d.event_time, 'infinity'))),
        array_send(array_agg(d.recorded_at)),
        array_send(array_agg(d.unit_id)),
        string_agg(d.category, chr(31)){frequencies}
    FROM span CROSS JOIN LATERAL (
        SELECT d.* FROM index_document d WHERE d.id BETWEEN span.low AND span.high AND {readable} OFFSET 0
    ) d
) rows
