"""Preparing a PostgreSQL, the embedded one or one's own: roles, database, extension and grants; and saying what lacks.

The one place where the roles are made. The logins own nothing and see nothing by themselves: they must step into a
role, transaction by transaction (`apps.core.scope`). Requests come in by one; migrations and commands, which may act
as the tables' owner, by another where there is one.
"""

import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from memory_platform.errors import Invalid, Unavailable

LOGIN: Final = "memory"
MIGRATOR: Final = "memory_migrator"
DATABASE: Final = "memory"
OWNER: Final = "memory_owner"
APPLICATION: Final = "memory_app"
ERASER: Final = "memory_eraser"

# GRANT … WITH INHERIT and any_value came with 16, hnsw.iterative_scan with 0.8.
OLDEST_SERVER: Final = 16
OLDEST_VECTOR: Final = (0, 8)
CONNECT_SECONDS: Final = 10

PREPARE: Final = "`memory database prepare --admin-url postgresql://ADMINISTRATOR:PASSWORD@HOST:5432/postgres`"
_URL: Final = "MEMORY_DATABASE_URL"
_MIGRATION: Final = "MEMORY_MIGRATION_URL"
_ADMIN: Final = "--admin-url"

# Columns of pg_roles and the words that change them.
_ATTRIBUTES: Final[Mapping[str, str]] = {
    "rolsuper": "SUPERUSER",
    "rolbypassrls": "BYPASSRLS",
    "rolreplication": "REPLICATION",
    "rolcreatedb": "CREATEDB",
    "rolcreaterole": "CREATEROLE",
    "rolcanlogin": "LOGIN",
    "rolinherit": "INHERIT",
}

Connection = psycopg.Connection[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class DatabaseLogin:
    """Who connects to which database; `password` None where the URL has none."""

    name: str
    password: str | None
    database: str

    @classmethod
    def of(cls, url: str, setting: str = _URL) -> "DatabaseLogin":
        """The login a URL names, `memory` on `memory` where it names none. Raises Invalid, naming the `setting`."""
        parts = _parts(url, setting)
        return cls(str(parts.get("user") or LOGIN), parts.get("password"), str(parts.get("dbname") or DATABASE))


def prepare(admin_url: str, login_url: str, migration_url: str | None = None) -> str | None:
    """Create what is missing: the roles, the logins, the database of `login_url`, pgvector and the grants.

    With `migration_url` only its login may act as the tables' owner, else the one of `login_url`. Running it again
    changes nothing, except that the logins get the passwords of their URLs. `admin_url` names a superuser or the
    administrator of a managed server, who may create roles and databases. Returns the password made up for a new login
    whose URL has none, else None. Raises Unavailable, saying what to do, or Invalid for what is no URL.
    """
    login = DatabaseLogin.of(login_url)
    migrator = DatabaseLogin.of(migration_url, _MIGRATION) if migration_url else None
    if migrator and (migrator.name == login.name or migrator.database != login.database):
        raise Invalid(f"{_MIGRATION} is of another login on the same database as {_URL}, and this one is not.")
    with connected(admin_url, _ADMIN) as server:
        require_recent(server.info.server_version)
        # Two stacks that start on one server at once would both create the roles. It ends with the connection.
        server.execute("SELECT pg_advisory_lock(hashtext('memory_platform.bootstrap'))")
        with _told_in_one_line():
            made_up = _make_roles(server, login, migrator)
            _make_database(server, login)
        with connected(at(admin_url, login.database), _ADMIN) as database, _told_in_one_line():
            _make_extension(database)
            _open_to(database, login, migrator)
    return made_up


def require_prepared(login_url: str, migration_url: str | None = None) -> None:
    """Raise Unavailable, saying what to do, unless the database is one that `prepare` has seen, for these logins."""
    _require_login(login_url, _URL, APPLICATION)
    if migration_url:
        _require_login(migration_url, _MIGRATION, APPLICATION, OWNER)
    else:
        _require_login(login_url, _URL, OWNER)


def require_recent(version: int) -> None:
    """Raise Unavailable for a server older than we can use; `version` as PostgreSQL numbers it, 180003 for 18.3."""
    if version // 10_000 < OLDEST_SERVER:
        raise Unavailable(
            f"PostgreSQL {version // 10_000} is too old: {OLDEST_SERVER} or newer is needed.",
            hint="Upgrade the server, or name another one.",
        )


def at(url: str, database: str) -> str:
    """The same server and login, another database, as a connection string of libpq."""
    return make_conninfo(**{**_parts(url, _ADMIN), "dbname": database})


def with_login(admin_url: str, login: DatabaseLogin) -> str:
    """A postgresql:// URL of `login` on the server of `admin_url`."""
    parts = _parts(admin_url, _ADMIN)
    host, port = parts.get("host") or "127.0.0.1", parts.get("port") or 5432
    password = f":{quote(login.password, safe='')}" if login.password else ""
    return f"postgresql://{quote(login.name, safe='')}{password}@{host}:{port}/{quote(login.database, safe='')}"


@contextmanager
def connected(url: str, setting: str, **options: Any) -> Iterator[Connection]:
    """A connection of its own, statement by statement; `setting` is named to whoever has to correct the URL.

    Raises Unavailable when there is none, Invalid when `url` is none.
    """
    conninfo = make_conninfo(**{"connect_timeout": CONNECT_SECONDS, **_parts(url, setting)})
    try:
        connection = psycopg.connect(conninfo, autocommit=True, row_factory=dict_row, **options)
    except psycopg.Error as error:
        said = str(error).partition("\n")[0]
        raise Unavailable(f"{said}.", hint=_what_to_do(said, setting)) from error
    with connection:
        connection.execute("SET client_min_messages = warning")
        yield connection


def _parts(url: str, setting: str) -> dict[str, Any]:
    """Its own words would quote the password of a URL it cannot read."""
    try:
        return conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        example = "postgresql://NAME:PASSWORD@HOST:5432/DATABASE"
        raise Invalid(f"{setting} is not the URL of a PostgreSQL.", hint=f"Write it as {example}.") from None


def _what_to_do(said: str, setting: str) -> str:
    if re.search(r'database ".*" does not exist', said):
        return f"Correct the name in {setting}, or create the database with {PREPARE}."
    if "password authentication failed" in said or re.search(r'role ".*" does not exist', said):
        return f"Correct name and password in {setting}, or create the login with {PREPARE}."
    return f"Is the server running, and is the address in {setting} right?"


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    try:
        yield
    except errors.InsufficientPrivilege as error:
        raise Unavailable(
            f"The administrator may not do this: {error.diag.message_primary}.",
            hint="Name one who may create roles and databases, best the one who created the roles, or a superuser.",
        ) from error
    except psycopg.Error as error:
        raise Unavailable(f"PostgreSQL refused: {error.diag.message_primary or error}.") from error


def _make_roles(server: Connection, login: DatabaseLogin, migrator: DatabaseLogin | None) -> str | None:
    for role in (OWNER, APPLICATION, ERASER):
        _make_role(server, role, {"rolinherit"})
    is_new = _make_role(server, login.name, {"rolcanlogin"})
    password = login.password or (secrets.token_urlsafe(32) if is_new else None)
    if password:
        _set_password(server, login.name, password)
    _grant(server, APPLICATION, login.name)
    if migrator is None:
        _grant(server, OWNER, login.name)
    else:
        _make_migrator(server, migrator, login)
    return password if is_new and not login.password else None


def _make_migrator(server: Connection, migrator: DatabaseLogin, login: DatabaseLogin) -> None:
    _make_role(server, migrator.name, {"rolcanlogin"})
    if migrator.password:
        _set_password(server, migrator.name, migrator.password)
    _grant(server, APPLICATION, migrator.name)
    _grant(server, OWNER, migrator.name)
    # What a request may call, a command may, too.
    _grant(server, login.name, migrator.name, inherit=True, become=False)
    if _value(server, _MEMBERSHIPS, OWNER, login.name):
        server.execute(sql.SQL("REVOKE {} FROM {}").format(sql.Identifier(OWNER), sql.Identifier(login.name)))


def _make_role(server: Connection, role: str, wanted: set[str]) -> bool:
    """Whether it was missing. A role that is there gets and loses only what differs: a managed server's administrator
    may not even say NOSUPERUSER.
    """
    is_new = not _value(server, "SELECT count(*) FROM pg_roles WHERE rolname = %s", role)
    if is_new:
        server.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(role)))
    (held,) = server.execute("SELECT * FROM pg_roles WHERE rolname = %s", [role]).fetchall()
    changes = [
        word if column in wanted else f"NO{word}"
        for column, word in _ATTRIBUTES.items()
        if held[column] != (column in wanted)
    ]
    if changes:
        server.execute(sql.SQL("ALTER ROLE {} {}").format(sql.Identifier(role), sql.SQL(" ".join(changes))))
    return is_new


def _set_password(server: Connection, role: str, password: str) -> None:
    """As a SCRAM verifier: a server that logs statements would log the password."""
    verifier = server.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    server.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(verifier)))


_MEMBERSHIPS: Final = (
    "SELECT count(*) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles u ON u.oid = m.member"
    " WHERE r.rolname = %s AND u.rolname = %s"
)


def _grant(server: Connection, role: str, member: str, *, inherit: bool = False, become: bool = True) -> None:
    """Let `member` have the rights of `role` from the beginning (`inherit`), and step into it (`become`)."""
    is_granted = f"{_MEMBERSHIPS} AND m.inherit_option = %s AND m.set_option = %s"
    if not _value(server, is_granted, role, member, inherit, become):
        how = sql.SQL(f"WITH INHERIT {str(inherit).upper()}, SET {str(become).upper()}")
        server.execute(sql.SQL("GRANT {} TO {} {}").format(sql.Identifier(role), sql.Identifier(member), how))


def _make_database(server: Connection, login: DatabaseLogin) -> None:
    if not _value(server, "SELECT rolsuper::int FROM pg_roles WHERE rolname = current_user"):
        # Only who may become the owner can give it a database.
        _grant(server, OWNER, str(_value(server, "SELECT current_user")), inherit=True)
    name = sql.Identifier(login.database)
    owner = _value(server, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = %s", login.database)
    if owner is None:
        server.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, sql.Identifier(OWNER)))
    elif owner != OWNER:
        server.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(name, sql.Identifier(OWNER)))


def _make_extension(database: Connection) -> None:
    version = database.info.server_version // 10_000
    have = (
        f"Have a superuser run `CREATE EXTENSION vector` in the database {database.info.dbname}, then run this again."
    )
    try:
        database.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    except (errors.FeatureNotSupported, errors.UndefinedFile) as error:
        raise Unavailable(
            "The extension vector (pgvector) is not installed on the server.",
            hint=f"Install it there (`apt-get install postgresql-{version}-pgvector`); managed servers name it vector.",
        ) from error
    except errors.InsufficientPrivilege as error:
        raise Unavailable("The administrator may not create the extension vector.", hint=have) from error
    _require_vector(database, have)


def _open_to(database: Connection, login: DatabaseLogin, migrator: DatabaseLogin | None) -> None:
    logins = [login.name, *([migrator.name] if migrator else [])]
    names = {
        "database": sql.Identifier(login.database),
        "logins": sql.SQL(", ").join(map(sql.Identifier, logins)),
        "owner": sql.Identifier(OWNER),
        "others": sql.SQL(", ").join(map(sql.Identifier, (*logins, APPLICATION, ERASER))),
    }
    with database.transaction():
        for statement in (
            "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
            "GRANT CONNECT, TEMPORARY ON DATABASE {database} TO {logins}",
            "ALTER SCHEMA public OWNER TO {owner}",
            "REVOKE ALL ON SCHEMA public FROM PUBLIC",
            "GRANT USAGE ON SCHEMA public TO {others}",
        ):
            database.execute(sql.SQL(statement).format(**names))


def _require_login(url: str, setting: str, *roles: str) -> None:
    with connected(url, setting) as connection:
        require_recent(connection.info.server_version)
        above = "SELECT (rolsuper OR rolbypassrls)::int FROM pg_roles WHERE rolname = current_user"
        if _value(connection, above):
            raise Unavailable(
                f"The login {connection.info.user} of {setting} is above row-level security, which separates tenants.",
                hint=f"Name a login made by {PREPARE}.",
            )
        missing = connection.execute(
            "SELECT role FROM unnest(%s::text[]) AS role WHERE NOT EXISTS"
            " (SELECT FROM pg_roles WHERE rolname = role AND pg_has_role(current_user, oid, 'SET'))"
            " ORDER BY role",
            [list(roles)],
        ).fetchall()
        if missing:
            names = ", ".join(str(row["role"]) for row in missing)
            raise Unavailable(
                f"The login {connection.info.user} of {setting} cannot become {names}.",
                hint=f"Make the roles with {PREPARE}.",
            )
        _require_vector(connection, f"Create it with {PREPARE}.")


def _require_vector(connection: Connection, hint: str) -> None:
    found = _value(connection, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    if found is None:
        raise Unavailable(f"The database {connection.info.dbname} has no extension vector (pgvector).", hint=hint)
    if tuple(int(part) for part in str(found).split(".")[:2]) < OLDEST_VECTOR:
        least = ".".join(map(str, OLDEST_VECTOR))
        raise Unavailable(
            f"pgvector {found} is too old: {least} or newer is needed.",
            hint="Install a newer one on the server and run `ALTER EXTENSION vector UPDATE` in the database.",
        )


def _value(connection: Connection, statement: str, *values: object) -> Any:
    """The first column of the first row, None without one."""
    row = connection.execute(statement.encode(), values).fetchone()
    return next(iter(row.values())) if row else None
