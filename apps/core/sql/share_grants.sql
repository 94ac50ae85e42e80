DO $$
DECLARE
    migrator constant oid := (SELECT oid FROM pg_roles WHERE rolname = SESSION_USER);
    granted record;
BEGIN
    FOR granted IN
        SELECT format('GRANT %s ON %s TO %I', held.privilege, held.object, login.rolname) AS statement
        FROM (
            SELECT acl.privilege_type AS privilege, 'FUNCTION ' || p.oid::regprocedure AS object
            FROM pg_proc p, aclexplode(p.proacl) acl
            WHERE p.pronamespace = 'public'::regnamespace AND acl.grantee = migrator
            UNION ALL
            SELECT acl.privilege_type, CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || c.oid::regclass
            FROM pg_class c, aclexplode(c.relacl) acl
            WHERE c.relnamespace = 'public'::regnamespace AND acl.grantee = migrator
        ) held, pg_auth_members m JOIN pg_roles login ON login.oid = m.roleid
        WHERE m.member = migrator AND m.inherit_option AND login.rolcanlogin
    LOOP
        EXECUTE granted.statement;
    END LOOP;
END $$;
