"""A key may be bound to a user; authenticating says to which."""

from importlib import import_module

from django.db import migrations, models

AUTHENTICATE_KEY = """
CREATE FUNCTION authenticate_key(wanted text) RETURNS TABLE (
    key_id uuid, tenant_id uuid, agent_id uuid, agent_slug text, domain text, scopes text[], user_id text,
    secret_hash bytea, problem text, unused_lately boolean,
    requests integer, writes integer, captures integer, captures_burst integer, ingest_lines integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, public AS $$
BEGIN
    RETURN QUERY
    SELECT k.id, k.tenant_id, a.id, a.slug::text, a.domain::text, k.scopes::text[], k.user_id::text,
        k.secret_hash,
        CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
             WHEN k.expires_at <= clock_timestamp() THEN 'expired'
             WHEN t.suspended_at IS NOT NULL THEN 'suspended'
             ELSE '' END,
        k.last_used_at IS NULL OR k.last_used_at < clock_timestamp() - interval '60 seconds',
        p.requests_per_minute, coalesce(a.writes_per_minute, p.writes_per_minute), p.captures_per_minute,
        p.captures_burst, p.ingest_lines_per_minute
    FROM tenants_api_key k
    JOIN tenants_tenant t ON t.id = k.tenant_id
    JOIN tenants_agent a ON a.tenant_id = k.tenant_id AND a.id = k.agent_id
    JOIN tenants_policy p ON p.tenant_id = k.tenant_id
    WHERE k.prefix = wanted;
END $$
"""
SIGNATURE = "authenticate_key(text)"
BEFORE = import_module("apps.tenants.migrations.0002_before_a_tenant").AUTHENTICATE_KEY


def _replaced_by(definition: str) -> list[str]:
    """Other columns are another function to PostgreSQL: it is dropped and made anew, closed to the public again."""
    return [
        f"DROP FUNCTION {SIGNATURE}",
        definition,
        f"REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC",
        f"GRANT EXECUTE ON FUNCTION {SIGNATURE} TO SESSION_USER",
    ]


class Migration(migrations.Migration):
    dependencies = [("tenants", "0004_understanding")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="user_id",
            field=models.CharField(
                blank=True,
                help_text="The caller's own id of the one user whose memories it reaches; empty: every user's.",
                max_length=200,
                null=True,
            ),
        ),
        migrations.RunSQL(_replaced_by(AUTHENTICATE_KEY), _replaced_by(BEFORE)),
    ]
