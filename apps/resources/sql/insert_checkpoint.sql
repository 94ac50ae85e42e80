INSERT INTO resources_checkpoint
    (id, tenant_id, session_id, agent_id, user_id, visibility, turn_number, user_input, tool_calls, llm_output,
     internal_state, content_hash, occurred_at, created_at)
VALUES
    (%(id)s, %(tenant)s, %(session)s, %(agent)s, %(user)s, %(visibility)s, %(turn)s, %(user_input)s,
     %(tool_calls)s::jsonb, %(llm_output)s, %(internal_state)s::jsonb, %(digest)s, %(at)s, now())
ON CONFLICT (tenant_id, session_id, turn_number) DO NOTHING
RETURNING turn_number
