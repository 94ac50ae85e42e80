import os
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from apps.stack import valkey as module
from apps.stack.network import LOOPBACK
from apps.stack.process import command_line, wait_until
from apps.stack.valkey import EmbeddedValkey
from memory_platform.errors import Unavailable


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    server = EmbeddedValkey(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


def test_the_wheel_holds_what_we_rely_on() -> None:
    version = subprocess.run([module.binary(), "--version"], capture_output=True, text=True, check=True)
    assert "v=9.1.2" in version.stdout


def test_it_asks_for_its_password(server: EmbeddedValkey) -> None:
    with redis.Redis.from_url(server.url) as client:
        assert client.ping() is True
    once = Retry(NoBackoff(), 0)
    with redis.Redis(host=LOOPBACK, port=server.port, retry=once) as client, pytest.raises(redis.AuthenticationError):
        client.ping()

    password = server.url.split(":")[2].split("@")[0]
    assert password not in (command_line(server.pid or 0) or "")
    assert stat.S_IMODE((server.root / "valkey.conf").stat().st_mode) == 0o600


def test_it_writes_nothing_to_disk_and_evicts_only_what_expires(server: EmbeddedValkey) -> None:
    with redis.Redis.from_url(server.url, decode_responses=True) as client:
        assert client.config_get("save") == {"save": ""}
        assert client.config_get("appendonly") == {"appendonly": "no"}
        assert client.config_get("maxmemory*")["maxmemory-policy"] == "volatile-lru"


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(Unavailable, match=f"port {port} of 127.0.0.1, wanted for Valkey"):
            EmbeddedValkey(tmp_path, port).start()


@pytest.mark.faults
def test_a_killed_server_comes_back_empty_on_its_port(tmp_path: Path) -> None:
    server = EmbeddedValkey(tmp_path)
    server.start()
    with redis.Redis.from_url(server.url) as client:
        client.set("hint", "1")
    port, pid = server.port, server.pid
    assert pid is not None

    os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not server.is_running, seconds=5)
    server.start()

    assert server.port == port
    with redis.Redis.from_url(server.url) as client:
        assert client.dbsize() == 0
    server.stop()
