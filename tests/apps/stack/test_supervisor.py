import signal
import socket
from pathlib import Path

import pytest

from apps.stack.data_root import PROJECT, FolderLock, default_root
from apps.stack.supervisor import Health, Stack, StackOptions, serve
from memory_platform.errors import Unavailable


def test_the_wait_doubles_up_to_its_bound_and_a_steady_minute_resets_it() -> None:
    health = Health(started_at=0.0)

    assert [health.died(now) for now in (1.0, 2.0, 3.0)] == [0.2, 0.4, 0.8]
    assert health.restart_at == 3.8
    assert [health.died(10.0) for _ in range(8)] == [1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0, 30.0]
    health.started_at = 20.0
    assert health.died(81.0) == 0.2


def test_options_come_from_the_environment() -> None:
    options = StackOptions.from_environment(
        {"MEMORY_HOME": "/data", "MEMORY_HOST": "0.0.0.0", "MEMORY_PORT": "9000", "MEMORY_REDIS_URL": "redis://r/0"}
    )

    assert options == StackOptions(root=Path("/data"), host="0.0.0.0", port=9000, redis_url="redis://r/0")
    assert StackOptions.from_environment({"MEMORY_PORT": ""}) == StackOptions(root=PROJECT / "var")
    assert default_root() == PROJECT / "var"


@pytest.mark.parametrize(
    ("host", "url"),
    [("0.0.0.0", "http://127.0.0.1:8000"), ("localhost", "http://localhost:8000"), ("::1", "http://[::1]:8000")],
)
def test_the_url_is_one_this_machine_can_open(tmp_path: Path, host: str, url: str) -> None:
    assert Stack(StackOptions(root=tmp_path, host=host), report=print).url == url


def test_named_servers_are_used_instead_of_embedded_ones(tmp_path: Path) -> None:
    options = StackOptions(root=tmp_path, database_url="postgresql://memory:x@db/memory", redis_url="redis://cache/0")
    stack = Stack(options, report=print)

    assert (stack.postgres, stack.valkey) == (None, None)
    assert stack.variables["MEMORY_DATABASE_URL"] == "postgresql://memory:x@db/memory"
    assert stack.variables["MEMORY_REDIS_URL"] == "redis://cache/0"


def test_a_role_for_migrations_is_not_inherited_by_the_servers(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MEMORY_DATABASE_ROLE", "memory_owner")
    monkeypatch.setenv("MEMORY_MIGRATION_URL", "postgresql://memory_migrator:x@db/memory")
    options = StackOptions(root=tmp_path, database_url="postgresql://memory:x@db/memory", redis_url="redis://cache/0")

    environment = Stack(options, report=print).environment
    assert environment.keys() & {"MEMORY_DATABASE_ROLE", "MEMORY_MIGRATION_URL"} == set()


def test_a_failing_start_says_why_and_leaves_nothing_running(tmp_path: Path) -> None:
    options = StackOptions(
        root=tmp_path,
        port=0,
        database_url="postgresql://memory:x@127.0.0.1:1/memory",
        redis_url="redis://127.0.0.1:1/0",
    )
    stack = Stack(options, report=print)

    with pytest.raises(Unavailable, match=r"port 1 failed: Connection refused") as caught:
        stack.start()

    assert caught.value.hint == "Is the server running, and is the address in MEMORY_DATABASE_URL right?"

    assert stack.pids == {}
    lock = FolderLock(tmp_path)
    lock.acquire()
    lock.release()


def test_a_server_of_ones_own_without_its_valkey_is_told_in_one_line(postgres, tmp_path: Path) -> None:
    options = StackOptions(
        root=tmp_path,
        port=0,
        database_url=postgres.login_url(),
        migration_url=postgres.migration_url(),
        redis_url="redis://:secret@127.0.0.1:1/0",
    )

    with pytest.raises(Unavailable, match="No Redis or Valkey answers at MEMORY_REDIS_URL") as caught:
        Stack(options, report=print).start()

    assert "\n" not in caught.value.message
    assert "secret" not in caught.value.message


def test_a_failing_serve_says_why_and_gives_the_signals_back(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(Unavailable, match=f"port {port} of 127.0.0.1, wanted for the web server") as caught:
            serve(StackOptions(root=tmp_path, port=port), report=lambda _line: None)

    assert "MEMORY_PORT" in (caught.value.hint or "")
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert not (tmp_path / "postgres" / "data").exists()
