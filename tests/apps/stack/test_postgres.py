import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from apps.stack import postgres as module
from apps.stack.network import LOOPBACK
from apps.stack.postgres import EmbeddedPostgres
from apps.stack.process import command_line, wait_until
from memory_platform.errors import Unavailable


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedPostgres]:
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedPostgres(Path(folder), durable=False)
        server.start()
        server.bootstrap("memory")
        yield server
        server.stop()


def one(url: str, statement: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(statement).fetchone()
    assert row is not None
    return row[0]


def test_the_wheel_holds_what_we_rely_on() -> None:
    assert {"postgres", "initdb", "psql"} <= {path.name for path in module.binaries().iterdir()}
    version = subprocess.run([module.binaries() / "postgres", "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith("postgres (PostgreSQL) 18.")


def test_vectors_work_and_the_settings_are_frugal(server: EmbeddedPostgres) -> None:
    url = server.superuser_url("memory")

    assert one(url, "SELECT '[1,2,3]'::public.halfvec(3) <=> '[1,2,3]'") == 0
    assert one(url, "SELECT extversion FROM pg_extension WHERE extname = 'vector'") == "0.8.6"
    assert one(url, "SHOW shared_buffers") == "128MB"
    assert one(url, "SHOW jit") == "off"
    assert one(url, "SHOW listen_addresses") == LOOPBACK


def test_the_login_role_sees_nothing_until_it_steps_into_a_role(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.migration_url() + "?options=-c%20role%3Dmemory_owner") as connection:
        connection.execute("CREATE TABLE note (id int)")
        connection.execute("GRANT SELECT ON note TO memory_app")

    with psycopg.connect(server.login_url()) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM note")
        connection.rollback()
        connection.execute("SET LOCAL ROLE memory_app")
        assert connection.execute("SELECT count(*) FROM note").fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("CREATE TABLE other (id int)")


@pytest.mark.parametrize("role", ["memory_owner", "memory_migrator", "memory_eraser", "postgres"])
def test_the_login_role_can_become_nobody_above_it(server: EmbeddedPostgres, role: str) -> None:
    with psycopg.connect(server.login_url()) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(f"SET ROLE {role}")


def test_no_role_of_the_platform_is_above_the_row_level_policies(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.superuser_url()) as connection:
        rows = connection.execute(
            "SELECT rolname, rolcanlogin, rolinherit, rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb"
            " FROM pg_roles WHERE rolname LIKE 'memory%' ORDER BY rolname"
        ).fetchall()

    assert rows == [
        ("memory", True, False, False),
        ("memory_app", False, True, False),
        ("memory_eraser", False, True, False),
        ("memory_migrator", True, False, False),
        ("memory_owner", False, True, False),
    ]


def test_bootstrapping_again_changes_nothing_and_another_database_is_its_own(server: EmbeddedPostgres) -> None:
    catalogue = (
        "SELECT md5(string_agg(datname || coalesce(datacl::text, ''), ',' ORDER BY datname)) FROM pg_database"
        " WHERE datname <> 'other'"
    )
    before = one(server.superuser_url(), catalogue)

    server.bootstrap("memory")
    server.bootstrap("other")

    assert one(server.superuser_url(), catalogue) == before
    assert one(server.login_url("other"), "SELECT current_database()") == "other"


def test_a_wrong_password_is_refused(server: EmbeddedPostgres) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(f"postgresql://memory:wrong@{LOOPBACK}:{server.port}/memory")


def test_what_a_failing_statement_says_stays_out_of_the_log(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.superuser_url()) as connection:
        connection.execute("CREATE TEMP TABLE once (text text PRIMARY KEY)")
        connection.execute("INSERT INTO once VALUES ('my secret diary')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO once VALUES (%s)", ["my secret diary"])

    log = server.log.read_text()
    assert "duplicate key value" in log
    assert "diary" not in log


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = EmbeddedPostgres(tmp_path, port=port, durable=False)

        with pytest.raises(Unavailable, match=f"port {port} of 127.0.0.1, wanted for PostgreSQL") as caught:
            server.start()

    assert "StackOptions.postgres_port" in (caught.value.hint or "")
    assert not server.is_running


def test_a_held_root_is_refused_and_its_server_left_alone(server: EmbeddedPostgres) -> None:
    with pytest.raises(Unavailable, match=f"already in use by process {os.getpid()}"):
        EmbeddedPostgres(server.root).start()

    assert server.is_running


@pytest.mark.faults
def test_a_killed_server_comes_back_on_its_port_with_its_data() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedPostgres(Path(folder))
        server.start()
        with psycopg.connect(server.superuser_url("postgres")) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        port, pid = server.port, server.pid
        assert pid is not None

        os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: not server.is_running, seconds=5)
        server.start()

        assert server.port == port
        assert one(server.superuser_url("postgres"), "SELECT number FROM kept") == 7
        server.stop()


@pytest.mark.faults
def test_a_killed_run_leaves_nothing_that_stops_the_next_one() -> None:
    start_and_die = (
        "import os, signal, sys; from pathlib import Path; from apps.stack.postgres import EmbeddedPostgres;"
        "server = EmbeddedPostgres(Path(sys.argv[1])); server.start(); print(server.pid, flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", start_and_die, folder], capture_output=True, text=True, check=False
        )
        leftover = int(done.stdout)

        server = EmbeddedPostgres(Path(folder))
        server.start()

        assert server.pid != leftover
        assert str(server.data) not in (command_line(leftover) or "")
        assert one(server.superuser_url("postgres"), "SELECT 1") == 1
        server.stop()


@pytest.mark.faults
def test_a_stale_postmaster_file_whose_pid_lives_on_as_another_program_is_removed() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedPostgres(Path(folder), durable=False)
        server.start()
        file = server.data / "postmaster.pid"
        lines = file.read_text().splitlines()
        server.stop()
        with subprocess.Popen(["sleep", "60"], **_as_owner_of(server.data)) as other:  # type: ignore[call-overload]
            file.write_text("\n".join([str(other.pid), *lines[1:]]) + "\n")

            server.start()

            assert other.poll() is None
            other.kill()
        server.stop()


def _as_owner_of(path: Path) -> dict[str, object]:
    owner = path.stat()
    return {} if owner.st_uid == os.geteuid() else {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
