"""What crosses the line between logins and tenants: finding a key, the tenants of a login, the logins of a tenant."""

from django.db import migrations

# plpgsql, not sql: its plans stay cached for the life of the pooled connection.
AUTHENTICATE_KEY = """
CREATE FUNCTION authenticate_key(wanted text) RETURNS TABLE (
    key_id uuid, tenant_id uuid, agent_id uuid, agent_slug text, domain text, scopes text[], secret_hash bytea,
    problem text, unused_lately boolean,
    requests integer, writes integer, captures integer, captures_burst integer, ingest_lines integer
) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, public AS $$
BEGIN
    RETURN QUERY
    SELECT k.id, k.tenant_id, a.id, a.slug::text, a.domain::text, k.scopes::text[], k.secret_hash,
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

TOUCH_KEY = """
CREATE FUNCTION touch_key(used uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
    UPDATE tenants_api_key SET last_used_at = clock_timestamp()
    WHERE id = used AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '60 seconds')
$$
"""

MEMBER_TENANTS = """
CREATE FUNCTION member_tenants(login integer) RETURNS TABLE (id uuid, slug text, name text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
    SELECT t.id, t.slug::text, t.name::text, coalesce(m.role, 'owner')::text
    FROM auth_user u
    CROSS JOIN tenants_tenant t
    LEFT JOIN tenants_membership m ON m.tenant_id = t.id AND m.user_id = u.id
    WHERE u.id = login AND u.is_active AND (m.id IS NOT NULL OR u.is_superuser)
    ORDER BY t.name, t.id
$$
"""

# Inside a scope nobody reads auth_user; these tell a tenant's administrator the names of its own members, and whether a
# login to be added exists.
MEMBER_LOGINS = """
CREATE FUNCTION member_logins() RETURNS TABLE (user_id integer, username text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
    SELECT u.id, u.username::text
    FROM tenants_membership m JOIN auth_user u ON u.id = m.user_id
    WHERE m.tenant_id = nullif(current_setting('app.tenant', true), '')::uuid
$$
"""

LOGIN_NAMED = """
CREATE FUNCTION login_named(wanted text) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
    SELECT id FROM auth_user WHERE username = wanted AND is_active
$$
"""

FUNCTIONS = {
    "authenticate_key(text)": AUTHENTICATE_KEY,
    "touch_key(uuid)": TOUCH_KEY,
    "member_tenants(integer)": MEMBER_TENANTS,
}
SCOPED_FUNCTIONS = {"member_logins()": MEMBER_LOGINS, "login_named(text)": LOGIN_NAMED}


def _create(signature: str, definition: str, role: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        [
            definition,
            f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC",
            f"GRANT EXECUTE ON FUNCTION {signature} TO {role}",
        ],
        f"DROP FUNCTION {signature}",
    )


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_initial")]
    operations = [
        *(_create(signature, definition, "SESSION_USER") for signature, definition in FUNCTIONS.items()),
        *(_create(signature, definition, "memory_app") for signature, definition in SCOPED_FUNCTIONS.items()),
    ]
