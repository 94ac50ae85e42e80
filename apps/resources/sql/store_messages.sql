WITH moved AS (
    UPDATE resources_session s SET
        next_ordinal = given.next_ordinal,
        next_turn = given.next_turn
    FROM jsonb_to_recordset(%(places)s::jsonb) AS given (session_id uuid, next_ordinal integer, next_turn integer)
    WHERE s.tenant_id = %(tenant)s AND s.id = given.session_id
)
INSERT INTO resources_resource
    (id, tenant_id, session_id, agent_id, user_id, visibility, ordinal, turn_number, role, speaker, content_type,
     raw_content, content_hash, external_id, content_at, created_at)
SELECT
    said.id, %(tenant)s, said.session, %(agent)s, said.user, said.visibility, said.ordinal, said.turn, said.role,
    said.speaker, said.content_type, said.content, said.digest, said.external_id, said.at, now()
FROM jsonb_to_recordset(%(messages)s::jsonb) AS said (
    id uuid, session uuid, "user" text, visibility text, ordinal integer, turn integer, role text, speaker text,
    content_type text, content text, digest bytea, external_id text, at timestamptz
)
