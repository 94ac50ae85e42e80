"""Preparing a server for the platform: by a superuser, by a managed server's administrator, and what is said if not."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from apps.stack import database
from apps.stack.database import DatabaseLogin
from apps.stack.postgres import EmbeddedPostgres
from memory_platform.errors import Invalid, MemoryPlatformError, Unavailable


@pytest.fixture
def server() -> Iterator[EmbeddedPostgres]:
    """A server nobody has prepared, with an administrator as managed ones have: not a superuser."""
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedPostgres(Path(folder), durable=False)
        server.start()
        run(server.superuser_url("postgres"), "CREATE ROLE boss LOGIN CREATEROLE CREATEDB PASSWORD 'boss'")
        run(server.superuser_url("postgres"), "CREATE ROLE clerk LOGIN PASSWORD 'clerk'")
        yield server
        server.stop()


def url(server: EmbeddedPostgres, name: str, database: str, password: str | None = None) -> str:
    return f"postgresql://{name}:{password or name}@127.0.0.1:{server.port}/{database}"


def run(address: str, statement: str) -> list[tuple]:
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def refusal(call, *arguments: str) -> MemoryPlatformError:
    with pytest.raises(MemoryPlatformError) as caught:
        call(*arguments)
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value


CATALOGUE = """
SELECT (SELECT md5(string_agg(r::text, ',' ORDER BY rolname)) FROM pg_roles r WHERE rolname <> 'postgres'),
       (SELECT md5(string_agg(m.roleid || ' ' || m.member || m.inherit_option || m.set_option, ',' ORDER BY m.oid))
        FROM pg_auth_members m),
       (SELECT md5(string_agg(datname || datdba || coalesce(datacl::text, ''), ',' ORDER BY datname)) FROM pg_database)
"""


def test_a_managed_servers_administrator_prepares_it_and_again_changes_nothing(server: EmbeddedPostgres) -> None:
    boss, login = url(server, "boss", "postgres"), url(server, "memory", "own", "p%40ss")

    # The extension is not marked trusted: a managed server lets its administrator create it, this one does not.
    error = refusal(database.prepare, boss, login)
    assert error.message == "The administrator may not create the extension vector."
    assert "`CREATE EXTENSION vector` in the database own" in (error.hint or "")
    run(server.superuser_url("own"), "CREATE EXTENSION vector")

    assert database.prepare(boss, login) is None
    before = run(server.superuser_url("own"), CATALOGUE)
    assert database.prepare(boss, login) is None

    assert run(server.superuser_url("own"), CATALOGUE) == before
    database.require_prepared(login)
    with psycopg.connect(login) as connection:
        connection.execute("SET ROLE memory_owner")
        connection.execute("CREATE TABLE made_by_migrations (id int)")
    with psycopg.connect(login) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SELECT * FROM made_by_migrations")


def test_a_login_of_the_migrations_own_takes_the_owner_from_the_requests(server: EmbeddedPostgres) -> None:
    admin, login = server.superuser_url("postgres"), url(server, "asking", "apart")
    migrator = url(server, "migrating", "apart")
    database.prepare(admin, login)
    database.require_prepared(login)

    database.prepare(admin, login, migrator)

    database.require_prepared(login, migrator)
    error = refusal(database.require_prepared, login)
    assert error.message == "The login asking of MEMORY_DATABASE_URL cannot become memory_owner."
    with psycopg.connect(migrator) as connection:
        connection.execute("SET ROLE memory_owner")
        connection.execute("CREATE TABLE note (id int)")
        connection.execute("GRANT SELECT ON note TO asking")
    assert run(migrator, "SELECT count(*) FROM note") == [(0,)]


def test_one_login_is_not_both_and_two_mean_one_database() -> None:
    for migrator in ("postgresql://memory:x@db/memory", "postgresql://memory_migrator:x@db/another"):
        with pytest.raises(Invalid, match="MEMORY_MIGRATION_URL is of another login on the same database"):
            database.prepare("postgresql://postgres@db/postgres", "postgresql://memory:x@db/memory", migrator)


def test_a_role_that_could_pass_the_policies_is_taken_down(server: EmbeddedPostgres) -> None:
    admin, login = server.superuser_url("postgres"), url(server, "keen", "keen")
    run(admin, "CREATE ROLE keen SUPERUSER BYPASSRLS CREATEROLE")

    database.prepare(admin, login)

    assert run(admin, "SELECT rolsuper, rolbypassrls, rolcreaterole, rolinherit, rolcanlogin FROM pg_roles"
                      " WHERE rolname = 'keen'") == [(False, False, False, False, True)]  # fmt: skip


def test_a_new_login_without_a_password_gets_one_that_works_and_keeps_it(server: EmbeddedPostgres) -> None:
    admin = server.superuser_url("postgres")
    login = DatabaseLogin("fresh", None, "fresh")

    made_up = database.prepare(admin, database.with_login(admin, login))
    again = database.prepare(admin, database.with_login(admin, login))

    assert made_up is not None
    assert again is None
    database.require_prepared(database.with_login(admin, DatabaseLogin("fresh", made_up, "fresh")))


@pytest.mark.parametrize(
    ("name", "base", "said", "todo"),
    [
        ("clerk", "nowhere", 'database "nowhere" does not exist', "Correct the name in MEMORY_DATABASE_URL"),
        ("nobody", "postgres", 'password authentication failed for user "nobody"', "Correct name and password"),
        (
            "clerk",
            "postgres",
            "The login clerk of MEMORY_DATABASE_URL cannot become memory_app",
            "Make the roles",
        ),
        ("postgres", "postgres", "is above row-level security", "Name a login made by"),
    ],
)
def test_what_is_wrong_with_a_database_is_one_line_that_says_what_to_do(server, name, base, said, todo) -> None:
    password = DatabaseLogin.of(server.superuser_url()).password if name == "postgres" else name
    error = refusal(database.require_prepared, url(server, name, base, password))

    assert said in error.message
    assert (error.hint or "").startswith(todo)
    assert "memory database prepare" in (error.hint or "")


def test_a_missing_and_an_old_pgvector_are_named(server: EmbeddedPostgres) -> None:
    admin, login = server.superuser_url("postgres"), url(server, "bare", "bare")
    database.prepare(admin, login)
    run(server.superuser_url("bare"), "DROP EXTENSION vector")
    assert "has no extension vector" in refusal(database.require_prepared, login).message

    run(server.superuser_url("bare"), "CREATE EXTENSION vector")
    run(server.superuser_url("bare"), "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    assert refusal(database.require_prepared, login).message == "pgvector 0.7.4 is too old: 0.8 or newer is needed."


def test_an_administrator_who_may_too_little_is_told_so(server: EmbeddedPostgres) -> None:
    error = refusal(database.prepare, url(server, "clerk", "postgres"), url(server, "another", "another"))

    assert error.message.startswith("The administrator may not do this: permission denied to create role")


@pytest.mark.parametrize(("version", "is_old"), [(150018, True), (159999, True), (160000, False), (180006, False)])
def test_a_server_is_too_old_below_16(version, is_old) -> None:
    if not is_old:
        database.require_recent(version)
        return
    with pytest.raises(Unavailable, match="PostgreSQL 15 is too old: 16 or newer is needed"):
        database.require_recent(version)


def test_what_is_no_url_is_refused_without_repeating_it() -> None:
    with pytest.raises(Invalid) as caught:
        database.require_prepared("postgres//memory:hunter2@db/memory")

    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"
