"""Migration operations for tenant tables: row-level security, composite foreign keys, hash partitions, append-only.

Policies wrap `current_setting` in a sub-select, so that PostgreSQL evaluates it once a statement and not once a row.
"""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState
from typing_extensions import override

from apps.core.sql import statement

PARTITIONS = 16

_TENANT = "tenant_id = (SELECT nullif(current_setting('app.tenant', true), '')::uuid)"
_EVERYONE = "(SELECT current_setting('app.audience', true)) = 'tenant'"
_OWN = "agent_id = (SELECT nullif(current_setting('app.agent', true), '')::uuid)"
_ANY_USER = "(SELECT current_setting('app.user', true)) = '*'"
_ASKED_USER = "user_id = (SELECT nullif(substr(current_setting('app.user', true), 2), ''))"
_NO_USER_ASKED = "(SELECT coalesce(current_setting('app.user', true), '')) = ''"
_READS_SHARED = "(SELECT current_setting('app.audience', true)) = 'shared'"
_SHARED = f"({_READS_SHARED} AND visibility = 'shared')"

OWN = _OWN
NOBODYS = "agent_id IS NULL"
NO_AGENT = "false"
"""For `narrow`: the agent's own rows, those of no agent, and none: a scope of the whole tenant is needed."""


def protect(
    table: str,
    *,
    audience: bool = False,
    tenant_column: str = "tenant_id",
    grants: str = "SELECT, INSERT, UPDATE, DELETE",
) -> migrations.RunSQL:
    """Enable row-level security: rows of the scope's tenant only, and with `audience` those its agent may read.

    Writing demands more than reading: a shared row of another agent can be read, never changed. The owner is not
    forced, so that SECURITY DEFINER functions and `unscoped()` work.
    """
    tenant = _TENANT.replace("tenant_id", tenant_column, 1)
    readable = f"{tenant} AND ({_EVERYONE} OR {_OWN} OR {_SHARED})" if audience else tenant
    writable = f"{tenant} AND ({_EVERYONE} OR {_OWN})" if audience else tenant
    return migrations.RunSQL(
        f"""
        ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
        CREATE POLICY {table}_reads ON {table} FOR SELECT TO memory_app USING ({readable});
        CREATE POLICY {table}_inserts ON {table} FOR INSERT TO memory_app WITH CHECK ({writable});
        CREATE POLICY {table}_updates ON {table} FOR UPDATE TO memory_app USING ({writable}) WITH CHECK ({writable});
        CREATE POLICY {table}_deletes ON {table} FOR DELETE TO memory_app USING ({writable});
        GRANT {grants} ON {table} TO memory_app;
        """,
        f"""
        DROP POLICY IF EXISTS {table}_reads ON {table};
        DROP POLICY IF EXISTS {table}_inserts ON {table};
        DROP POLICY IF EXISTS {table}_updates ON {table};
        DROP POLICY IF EXISTS {table}_deletes ON {table};
        ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
        """,
    )


def narrow(
    table: str,
    *,
    reads: str | None = None,
    inserts: str | None = None,
    updates: str | None = None,
    deletes: str | None = None,
    tenant_column: str = "tenant_id",
) -> migrations.RunSQL:
    """Narrow the policies of a table that was protected without an audience, for scopes of one agent.

    Each rule is a condition on the row, such as OWN; None leaves the command to every scope of the tenant.
    """
    tenant = _TENANT.replace("tenant_id", tenant_column, 1)
    rules = {"reads": reads, "inserts": inserts, "updates": updates, "deletes": deletes}
    narrowed = {
        command: f"{tenant} AND ({_EVERYONE} OR ({rule}))" for command, rule in rules.items() if rule is not None
    }
    return migrations.RunSQL(
        [_altered(table, command, rule) for command, rule in narrowed.items()],
        [_altered(table, command, tenant) for command in narrowed],
    )


def through(table: str, column: str, parent: str) -> str:
    """A rule for `narrow`: rows whose parent the scope can read. A look-up by primary key for each row."""
    return (
        f"EXISTS (SELECT FROM {parent} parent WHERE parent.tenant_id = {table}.tenant_id"
        f" AND parent.id = {table}.{column})"
    )


def shared_through(table: str, child: str, column: str) -> str:
    """A rule for `narrow`: rows that something shared hangs on, for scopes that read what is shared."""
    return (
        f"{_READS_SHARED} AND EXISTS (SELECT FROM {child} child WHERE child.tenant_id = {table}.tenant_id"
        f" AND child.{column} = {table}.id AND child.visibility = 'shared')"
    )


def _altered(table: str, command: str, rule: str) -> str:
    clauses = {"inserts": f"WITH CHECK ({rule})", "updates": f"USING ({rule}) WITH CHECK ({rule})"}
    return f"ALTER POLICY {table}_{command} ON {table} {clauses.get(command, f'USING ({rule})')}"


def keep_users_apart(table: str) -> migrations.RunSQL:
    """Beside `protect`: rows of the scope's user and of no user only, whatever other policies allow.

    Writing demands more than reading: what belongs to no user is not one user's to change.
    """
    readable = f"user_id IS NULL OR {_ASKED_USER} OR {_ANY_USER}"
    writable = f"{_ASKED_USER} OR {_ANY_USER} OR (user_id IS NULL AND {_NO_USER_ASKED})"
    rules = {
        "SELECT": f"USING ({readable})",
        "INSERT": f"WITH CHECK ({writable})",
        "UPDATE": f"USING ({writable}) WITH CHECK ({writable})",
        "DELETE": f"USING ({writable})",
    }
    names = {command: f"{table}_user_{command.lower()}" for command in rules}
    return migrations.RunSQL(
        [
            f"CREATE POLICY {names[command]} ON {table} AS RESTRICTIVE FOR {command} TO memory_app {rule}"
            for command, rule in rules.items()
        ],
        [f"DROP POLICY {name} ON {table}" for name in names.values()],
    )


def tenant_key(table: str) -> migrations.RunSQL:
    """Give an ordinary table the `UNIQUE (tenant_id, id)` that composite foreign keys point at."""
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_tenant_key UNIQUE (tenant_id, id)",
        f"ALTER TABLE {table} DROP CONSTRAINT {table}_tenant_key",
    )


def tenant_foreign_key(table: str, column: str, target: str, *, on_delete: str = "RESTRICT") -> migrations.RunSQL:
    """Reference (tenant_id, column) → target (tenant_id, id).

    A plain foreign key bypasses row-level security and would let one tenant point into another. The Django field
    beside it is declared with `db_constraint=False`.
    """
    name = f"{table}_{column}_tenant_fk"
    action = f"SET NULL ({column})" if on_delete == "SET NULL" else on_delete
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (tenant_id, {column})"
        f" REFERENCES {target} (tenant_id, id) ON DELETE {action} DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


def search_path_ends_with_pg_temp(*signatures: str, before: str = "pg_catalog, public") -> migrations.RunSQL:
    """Look for tables in the session's temporary schema last: unnamed in the path, PostgreSQL looks there first."""
    return migrations.RunSQL(
        [f"ALTER FUNCTION {signature} SET search_path = {before}, pg_temp" for signature in signatures],
        [f"ALTER FUNCTION {signature} SET search_path = {before}" for signature in signatures],
    )


def share_grants_with_requests() -> migrations.RunSQL:
    """Grant what migrations granted to SESSION_USER to the login that serves requests, too.

    Where migrations have a login of their own, it inherits from the one for requests: so that one is found. To be
    repeated after every later grant to SESSION_USER.
    """
    return migrations.RunSQL(statement("core", "share_grants"), migrations.RunSQL.noop)


def append_only(table: str) -> migrations.RunSQL:
    """Refuse UPDATE to everyone and DELETE to everyone but `memory_eraser`."""
    return migrations.RunSQL(
        f"""
        CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table}
        FOR EACH ROW EXECUTE FUNCTION refuse_change();
        GRANT SELECT, DELETE ON {table} TO memory_eraser;
        CREATE POLICY {table}_erases ON {table} FOR ALL TO memory_eraser USING ({_TENANT});
        """,
        f"DROP TRIGGER {table}_append_only ON {table}; DROP POLICY {table}_erases ON {table}",
    )


class CreatePartitionedModel(migrations.CreateModel):
    """CreateModel for the big tables: primary key (tenant_id, …), hash-partitioned by tenant_id."""

    @override
    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        model: Any = to_state.apps.get_model(app_label, self.name)
        sql, params = schema_editor.table_sql(model)
        schema_editor.execute(f"{sql} PARTITION BY HASH (tenant_id)", params or None)
        table = model._meta.db_table  # noqa: SLF001
        for number in range(PARTITIONS):
            schema_editor.execute(
                f"CREATE TABLE {table}_p{number:02} PARTITION OF {table}"
                f" FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
            )
        editor: Any = schema_editor
        editor.deferred_sql.extend(editor._model_indexes_sql(model))  # noqa: SLF001

    @override
    def describe(self) -> str:
        return f"Create partitioned model {self.name}"
