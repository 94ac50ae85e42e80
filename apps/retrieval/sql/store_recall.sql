WITH recall AS (
    INSERT INTO retrieval_recall (id, tenant_id, agent_id, user_id, session_external_id, at, query, rewritten, profile,
                                  intent, tier, degraded, stage_milliseconds, candidates, returned, changed,
                                  milliseconds, cost_usd)
    VALUES (%(id)s, %(tenant)s, %(agent)s, %(user)s, %(session)s, %(at)s, %(query)s, %(rewritten)s, %(profile)s,
            %(intent)s, %(tier)s, %(degraded)s, %(stages)s, %(candidates)s, %(returned)s, %(changed)s,
            %(milliseconds)s, %(cost)s)
)
INSERT INTO retrieval_recalled (tenant_id, recall_id, rank, agent_id, unit, unit_id, item_id, score, scores, tags,
                                verdict, tokens, counted)
SELECT %(tenant)s, %(id)s, hit.rank, %(agent)s, hit.unit, hit.id, hit.item_id, hit.score, hit.scores, hit.tags,
       hit.verdict, hit.tokens, hit.item_id IS NULL
FROM jsonb_to_recordset(%(hits)s) AS hit(rank smallint, unit text, id uuid, item_id uuid, score float8, scores jsonb,
                                         tags jsonb, verdict text, tokens int)
