-- The words of items go back into their rows and sources; what held them goes.
WITH held AS (
    SELECT * FROM jsonb_to_recordset(%(held)s::jsonb) AS t (id uuid, text text, lead_in text, quotes jsonb)
), quoted AS (
    UPDATE memory_item_source source SET quote = said.quote
    FROM held CROSS JOIN LATERAL jsonb_each_text(held.quotes) AS said (resource_id, quote)
    WHERE source.tenant_id = %(tenant)s AND source.item_id = held.id AND source.resource_id = said.resource_id::uuid
), emptied AS (
    DELETE FROM memory_cold_item cold USING held WHERE cold.tenant_id = %(tenant)s AND cold.item_id = held.id
)
UPDATE memory_item item SET text = held.text, lead_in = held.lead_in FROM held
WHERE item.tenant_id = %(tenant)s AND item.id = held.id
