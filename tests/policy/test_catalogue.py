"""What PostgreSQL itself says about tenancy: policies, keys, columns, grants."""

import re

import psycopg
import pytest
from django.apps import apps

# Its key is the tenant itself; it has no tenant_id.
TENANT = "tenants_tenant"


@pytest.fixture
def tenant_tables(catalogue):
    rows = catalogue(
        """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
           WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"""
    )
    return {name for (name,) in rows}


def test_every_tenant_table_has_row_level_security_for_every_command(catalogue, tenant_tables):
    rows = catalogue(
        """SELECT c.relname, c.relrowsecurity,
                  array(SELECT p.polcmd::text FROM pg_policy p WHERE p.polrelid = c.oid
                        AND 'memory_app'::regrole = ANY (p.polroles))
           FROM pg_class c WHERE c.relname = ANY (%s) AND c.relkind IN ('r', 'p')""",
        [*tenant_tables, TENANT],
    )

    assert len(tenant_tables) > 20
    unprotected = {name for name, secured, commands in rows if not secured or not {"r", "a", "w", "d"} <= set(commands)}
    assert unprotected == set()


def test_every_policy_for_the_application_compares_the_tenant(catalogue):
    rows = catalogue(
        """SELECT c.relname, p.polname, coalesce(pg_get_expr(p.polqual, c.oid), pg_get_expr(p.polwithcheck, c.oid))
           FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE 'memory_app'::regrole = ANY (p.polroles)
           AND p.polpermissive"""
    )

    assert [name for _, name, rule in rows if "app.tenant" not in rule] == []


def test_partitions_are_reached_through_their_parent_only(catalogue):
    rows = catalogue(
        """SELECT c.relname FROM pg_class c WHERE c.relispartition AND c.relkind = 'r'
           AND (has_table_privilege('memory_app', c.oid, 'SELECT') OR has_table_privilege('memory', c.oid, 'SELECT'))"""
    )

    assert rows == []


def test_what_a_request_may_do_a_command_may_and_not_only_a_command(catalogue):
    rows = catalogue(
        """SELECT object, privilege, array_agg(grantee::text) FROM (
               SELECT c.relname AS object, acl.privilege_type AS privilege, acl.grantee::regrole AS grantee
               FROM pg_class c, aclexplode(c.relacl) acl WHERE c.relnamespace = 'public'::regnamespace
               UNION ALL
               SELECT p.oid::regprocedure::text, acl.privilege_type, acl.grantee::regrole
               FROM pg_proc p, aclexplode(p.proacl) acl WHERE p.pronamespace = 'public'::regnamespace
           ) granted WHERE grantee::text IN ('memory', 'memory_migrator') GROUP BY object, privilege"""
    )

    assert {"auth_user", "authenticate_key(text)", "accept_invitation(uuid,integer)"} <= {name for name, _, _ in rows}
    assert [name for name, _, logins in rows if "memory" not in logins] == []


@pytest.mark.usefixtures("database")
def test_the_login_that_serves_requests_cannot_become_the_tables_owner(postgres):
    with psycopg.connect(postgres.login_url()) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SELECT set_config('role', 'memory_owner', true)")


def test_the_login_role_has_no_grant_on_tenant_tables(catalogue, tenant_tables):
    rows = catalogue(
        """SELECT c.relname FROM pg_class c WHERE c.relname = ANY (%s) AND c.relkind IN ('r', 'p')
           AND EXISTS (SELECT FROM aclexplode(c.relacl) g
                       WHERE g.grantee IN ('memory'::regrole, 'memory_migrator'::regrole, 0))""",
        [*tenant_tables, TENANT],
    )

    assert rows == []


def test_every_foreign_key_between_tenant_tables_is_composite(catalogue, tenant_tables):
    rows = catalogue(
        """SELECT con.conname, src.relname, dst.relname,
                  array(SELECT a.attname::text FROM unnest(con.conkey) k
                        JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = k),
                  array(SELECT a.attname::text FROM unnest(con.confkey) k
                        JOIN pg_attribute a ON a.attrelid = con.confrelid AND a.attnum = k)
           FROM pg_constraint con
           JOIN pg_class src ON src.oid = con.conrelid JOIN pg_class dst ON dst.oid = con.confrelid
           WHERE con.contype = 'f' AND con.conparentid = 0"""
    )

    between = [row for row in rows if row[1] in tenant_tables and row[2] in tenant_tables]
    assert len(between) > 5
    assert [name for name, _, _, own, other in between if "tenant_id" not in own or "tenant_id" not in other] == []


def test_every_security_definer_function_pins_its_search_path_and_is_closed_to_the_public(catalogue):
    rows = catalogue(
        """SELECT p.proname, coalesce(array_to_string(p.proconfig, ','), ''),
                  EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g WHERE g.grantee = 0)
           FROM pg_proc p WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace"""
    )

    assert {"authenticate_key", "claim_jobs", "member_tenants"} <= {name for name, _, _ in rows}
    # A schema of the session's own that is not named is looked in first: a temporary table would answer for ours.
    assert [name for name, settings, _ in rows if not re.search(r"search_path=[^=]*\bpg_temp(,|$)", settings)] == []
    assert [name for name, settings, _ in rows if re.search(r"pg_temp, ", settings)] == []
    assert [name for name, _, is_public in rows if is_public] == []


def test_every_text_column_of_a_tenant_table_is_erasable_or_not_content(catalogue, tenant_tables):
    rows = catalogue(
        """SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
           WHERE c.relname = ANY (%s) AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
           AND a.atttypid IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'json'::regtype, 'jsonb'::regtype,
                              'text[]'::regtype, 'varchar[]'::regtype, 'tsvector'::regtype, 'bytea'::regtype)""",
        list(tenant_tables),
    )

    sides = {
        model._meta.db_table: (getattr(model, "ERASABLE", frozenset()), getattr(model, "NOT_CONTENT", frozenset()))
        for model in apps.get_models()
    }
    assert set(rows) == {(table, column) for table, both in sides.items() for column in frozenset().union(*both)}
    assert [table for table, (erasable, not_content) in sides.items() if erasable & not_content] == []
